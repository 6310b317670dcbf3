"""The classes of wrapped clients: subclasses of the clients' own.

Every call of the SDKs goes through one public method, `request`; that is what they watch.
"""

import inspect
from functools import cache, wraps
from typing import Any

from langchain_drift.clients.client import DriftClient
from langchain_drift.clients.twin import twin_of


class _Sync(DriftClient):
    def request(self, cast_to: Any, options: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - the SDK's
        watcher, _, key = self._drift_link
        options, call = watcher.ask(options, key)
        result = super().request(cast_to, options, **kwargs)  # type: ignore[misc] # the SDK's
        if call:
            watcher.answer(call, result)
        return result


class _Async(DriftClient):
    async def request(self, cast_to: Any, options: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - the SDK's
        watcher, _, key = self._drift_link
        options, call = watcher.ask(options, key)
        result = await super().request(cast_to, options, **kwargs)  # type: ignore[misc] # the SDK's
        if call:
            await watcher.aanswer(call, result)
        return result


def plain(client: Any) -> Any:  # noqa: ANN401 - of any class
    """Return a client that is not watched: the given one, or a twin of its own class."""
    if not isinstance(client, DriftClient):
        return client
    own = next(cls for cls in type(client).__mro__ if not issubclass(cls, DriftClient))
    return twin_of(client, own, None)


@cache
def watched(own: type[object]) -> type[Any]:
    """Return the watched subclass of a client's class.

    It bears the same name: the SDKs tell services the name of the class, and the requests of a
    wrapped client are those of the client itself.
    """
    kind: Any = own

    @wraps(kind.copy)
    def copy(self: DriftClient, **options: Any) -> Any:  # noqa: ANN401 - the SDK's
        # Made by the client's own class, which may look at what class it is.
        made = plain(self).copy(**options)
        cls = watched(type(made))  # type: ignore[arg-type] # classes can be hashed
        return twin_of(made, cls, self._drift_link)

    about = {
        "__doc__": own.__doc__,
        "__module__": own.__module__,
        "__qualname__": own.__qualname__,
        "copy": copy,
        "with_options": copy,
    }
    base = _Async if inspect.iscoroutinefunction(kind.request) else _Sync
    return type(own.__name__, (base, own), about)
