"""Reading along: what the caller reads of a response is seen, whatever the caller reads it with.

Everything that the SDKs offer to read a streamed response ends in two methods of the HTTP
response: one that gives its bytes and one that closes it. They are watched on this one response.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any


def is_read(response: Any) -> bool:  # noqa: ANN401 - of httpx or httpx2
    """Return whether the body of an HTTP response is already there."""
    return bool(response.is_closed) and hasattr(response, "_content")


class Tap:
    """Watches one HTTP response as it is read.

    Args:
        response: The response, of httpx or httpx2.
        feed: Takes its bytes, decompressed.
    """

    def __init__(self, response: Any, feed: Callable[[bytes], None]) -> None:  # noqa: ANN401 - of httpx or httpx2
        self._response, self._feed = response, feed
        self._reads = False
        """Whether the response is just now reading; it closes itself after its last bytes."""
        self._is_over = False

    def watch(self, end: Callable[[], None]) -> None:
        """Watch a response that is read in threads; `end` is called once, when it is over."""
        read, close = self._response.iter_bytes, self._response.close

        def iter_bytes(*args: object, **kwargs: object) -> Iterator[bytes]:
            chunks = iter(read(*args, **kwargs))
            while (chunk := self._next(chunks)) is not None:
                self._feed(chunk)
                yield chunk
            if self._ends():
                end()

        def closed() -> None:
            close()
            if not self._reads and self._ends():
                end()

        self._response.iter_bytes, self._response.close = iter_bytes, closed

    def awatch(self, end: Callable[[], Awaitable[None]]) -> None:
        """Watch a response that is read on an event loop; see `watch`."""
        read, close = self._response.aiter_bytes, self._response.aclose

        async def aiter_bytes(*args: object, **kwargs: object) -> AsyncIterator[bytes]:
            chunks = aiter(read(*args, **kwargs))
            while (chunk := await self._anext(chunks)) is not None:
                self._feed(chunk)
                yield chunk
            if self._ends():
                await end()

        async def closed() -> None:
            await close()
            if not self._reads and self._ends():
                await end()

        self._response.aiter_bytes, self._response.aclose = aiter_bytes, closed

    def _next(self, chunks: Iterator[bytes]) -> bytes | None:
        self._reads = True
        try:
            return next(chunks, None)
        finally:
            self._reads = False

    async def _anext(self, chunks: AsyncIterator[bytes]) -> bytes | None:
        self._reads = True
        try:
            return await anext(chunks, None)
        finally:
            self._reads = False

    def _ends(self) -> bool:
        was_over, self._is_over = self._is_over, True
        return not was_over
