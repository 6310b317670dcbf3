"""Reading along: what the caller reads of a response is seen, whatever the caller reads it with.

Everything that the SDKs offer to read a streamed response ends in two methods of the HTTP
response: one that gives its bytes and one that closes it. They are watched on this one response.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import cache
from typing import Any

_TAP = "_drift_tap"


def is_read(response: Any) -> bool:  # noqa: ANN401 - of httpx or httpx2
    """Return whether the body of an HTTP response is already there."""
    return bool(response.is_closed) and hasattr(response, "_content")


class Tap:
    """What is done as one HTTP response is read.

    Args:
        feed: Takes its bytes, decompressed.
        end: Is called once, when it is over; gives an awaitable if it is read on an event loop.
    """

    def __init__(
        self, feed: Callable[[bytes], None], end: Callable[[], Awaitable[None] | None]
    ) -> None:
        self.feed, self._end = feed, end
        self.reads = False
        """Whether the response is just now reading; it closes itself after its last bytes."""
        self._is_over = False

    def open(self, response: Any) -> None:  # noqa: ANN401 - of httpx or httpx2
        """Watch a response.

        By its class and not by functions put on it: an object that refers to itself would be
        closed late when it is dropped, by the garbage collector.
        """
        setattr(response, _TAP, self)
        response.__class__ = _tapped(type(response))

    def end(self) -> Awaitable[None] | None:
        """Tell once that the response is over."""
        was_over, self._is_over = self._is_over, True
        return None if was_over else self._end()


@cache
def _tapped(own: type[Any]) -> type[Any]:
    """Return the watched subclass of a class of HTTP responses."""

    def iter_bytes(self: Any, *args: object, **kwargs: object) -> Iterator[bytes]:  # noqa: ANN401 - a response
        tap: Tap = getattr(self, _TAP)
        chunks = iter(own.iter_bytes(self, *args, **kwargs))
        while True:
            tap.reads = True
            try:
                chunk = next(chunks, None)
            finally:
                tap.reads = False
            if chunk is None:
                break
            tap.feed(chunk)
            yield chunk
        tap.end()

    def close(self: Any) -> None:  # noqa: ANN401 - a response
        own.close(self)
        tap: Tap = getattr(self, _TAP)
        if not tap.reads:
            tap.end()

    async def aiter_bytes(self: Any, *args: object, **kwargs: object) -> AsyncIterator[bytes]:  # noqa: ANN401 - a response
        tap: Tap = getattr(self, _TAP)
        chunks = aiter(own.aiter_bytes(self, *args, **kwargs))
        while True:
            tap.reads = True
            try:
                chunk = await anext(chunks, None)
            finally:
                tap.reads = False
            if chunk is None:
                break
            tap.feed(chunk)
            yield chunk
        if ended := tap.end():
            await ended

    async def aclose(self: Any) -> None:  # noqa: ANN401 - a response
        await own.aclose(self)
        tap: Tap = getattr(self, _TAP)
        if not tap.reads and (ended := tap.end()):
            await ended

    methods = (iter_bytes, close, aiter_bytes, aclose)
    about = {"__doc__": own.__doc__, "__module__": own.__module__, "__qualname__": own.__qualname__}
    return type(own.__name__, (own,), {**about, **{each.__name__: each for each in methods}})
