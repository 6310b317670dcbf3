"""Twins of clients: other objects with the same connections and settings."""

from typing import Any

LINK = "_drift_link"
"""The attribute that ties a client to what watches it."""


def twin_of(client: object, cls: type[Any], link: object | None) -> Any:  # noqa: ANN401 - of `cls`
    """Return a twin of a client: all that it holds, but for what calls the client itself.

    Args:
        client: The client; it is not changed.
        cls: The class of the twin.
        link: What ties the twin to what watches it; None if nothing does.
    """
    twin = object.__new__(cls)
    vars(twin).update(
        (name, value)
        for name, value in vars(client).items()
        if name != LINK and getattr(value, "_client", None) is not client
    )
    if link is not None:
        setattr(twin, LINK, link)
    return twin
