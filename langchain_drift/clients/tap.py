"""Reading along: what the caller reads of a response is seen, whatever the caller reads it with.

Everything that the SDKs offer to read a streamed response ends in two methods of the HTTP
response: one that gives its bytes and one that closes it. They are watched on this one response.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


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
        response._drift_tap = self  # noqa: SLF001 - it is ours
        response.__class__ = _tapped(type(response))  # type: ignore[arg-type] # classes can be hashed

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Note that the response is reading."""
        self.reads = True
        try:
            yield
        finally:
            self.reads = False

    def end(self) -> Awaitable[None] | None:
        """Tell once that the response is over."""
        was_over, self._is_over = self._is_over, True
        return None if was_over else self._end()


class _Tapped:
    """What a watched response does its own way; the rest is that of its class."""

    _drift_tap: Tap

    def iter_bytes(self, *args: object, **kwargs: object) -> Iterator[bytes]:
        chunks = iter(super().iter_bytes(*args, **kwargs))  # type: ignore[misc] # of httpx
        try:
            while True:
                with self._drift_tap.reading():
                    chunk = next(chunks, None)
                if chunk is None:
                    break
                self._drift_tap.feed(chunk)
                yield chunk
        finally:  # Not every reader closes a response that broke off.
            self._drift_tap.end()

    def close(self) -> None:
        super().close()  # type: ignore[misc] # of httpx
        if not self._drift_tap.reads:
            self._drift_tap.end()

    async def aiter_bytes(self, *args: object, **kwargs: object) -> AsyncIterator[bytes]:
        chunks = aiter(super().aiter_bytes(*args, **kwargs))  # type: ignore[misc] # of httpx
        try:
            while True:
                with self._drift_tap.reading():
                    chunk = await anext(chunks, None)
                if chunk is None:
                    break
                self._drift_tap.feed(chunk)
                yield chunk
        finally:
            if ended := self._drift_tap.end():
                await ended

    async def aclose(self) -> None:
        await super().aclose()  # type: ignore[misc] # of httpx
        if not self._drift_tap.reads and (ended := self._drift_tap.end()):
            await ended


@cache
def _tapped(own: type[object]) -> type[object]:
    """Return the watched subclass of a class of HTTP responses; it bears the same name."""
    about = {"__doc__": own.__doc__, "__module__": own.__module__, "__qualname__": own.__qualname__}
    return type(own.__name__, (_Tapped, own), about)
