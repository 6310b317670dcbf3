"""Twins of clients: other objects with the same connections and settings."""

import inspect
from collections.abc import Iterator
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
        if name != LINK and not _calls(value, client)
    )
    if link is not None:
        setattr(twin, LINK, link)
    return twin


def patched(client: object) -> Iterator[str]:
    """Yield the methods of a client that somebody replaced, such as `chat.completions.create`.

    A twin makes its own `chat` and so on, and these would not have them.
    """
    for name, value in vars(client).items():
        if _calls(value, client):
            yield from (f"{name}.{rest}" for rest in _replaced(value, client))


def _replaced(resource: object, client: object) -> Iterator[str]:
    for name, value in vars(resource).items():
        if inspect.isfunction(inspect.getattr_static(type(resource), name, None)):
            yield name
        elif _calls(value, client) and value is not client:
            yield from (f"{name}.{rest}" for rest in _replaced(value, client))


def _calls(value: object, client: object) -> bool:
    """Return whether something, such as `client.chat`, calls a client."""
    return getattr(value, "_client", None) is client
