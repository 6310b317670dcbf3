"""Details: the vector of a text, those of its tokens, and where each token stands."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, runtime_checkable

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from langchain_drift.embeddings.cache import CachedEmbeddings


class TextVectors(NamedTuple):
    """What one run of a model gives for a text.

    Attributes:
        text: The vector of the text, `[dimensions]`, of length 1.
        tokens: The vectors of its tokens, `[tokens, dimensions]`, of length 1 each.
        spans: Where each token starts and ends in the text, in characters.
    """

    text: NDArray[np.float32]
    tokens: NDArray[np.float32]
    spans: tuple[tuple[int, int], ...]


@runtime_checkable
class DetailedEmbeddings(Protocol):
    """An embedder that gives the vectors of a text and of its tokens in one run."""

    def embed_details(self, texts: Sequence[str]) -> list[TextVectors]:
        """Return the vectors of each text."""
        ...

    async def aembed_details(self, texts: Sequence[str]) -> list[TextVectors]:
        """Return the same without blocking the event loop."""
        ...


def detailed_embeddings(embeddings: Embeddings) -> DetailedEmbeddings | None:
    """Return what gives the details of an embedder, of a cached one the inner, or None."""
    while isinstance(embeddings, CachedEmbeddings):
        embeddings = embeddings.inner
    return embeddings if isinstance(embeddings, DetailedEmbeddings) else None


MAX_TOKENS: Final = 40_000
"""Tokens remembered by default: about 30 MB at 384 dimensions."""


class DetailCache:
    """Remembers the details of the texts used last; safe to share between threads.

    Vectors are rounded to float16 on their way in, so that a text gets the same ones whether it
    was remembered or not.

    Args:
        inner: The embedder that computes what is not known yet.
        max_tokens: Most tokens remembered; the texts unused for longest go first.
    """

    def __init__(self, inner: DetailedEmbeddings, max_tokens: int = MAX_TOKENS) -> None:
        self.inner = inner
        self.max_tokens = max_tokens
        self._known: OrderedDict[str, TextVectors] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def embed_details(self, texts: Sequence[str]) -> list[TextVectors]:
        """Return the details of each text; unknown texts are computed in one call."""
        known, unknown = self._look_up(texts)
        return self._complete(texts, known, unknown, self.inner.embed_details(unknown))

    async def aembed_details(self, texts: Sequence[str]) -> list[TextVectors]:
        """Return the details of each text without blocking the event loop."""
        known, unknown = self._look_up(texts)
        return self._complete(texts, known, unknown, await self.inner.aembed_details(unknown))

    def _look_up(self, texts: Sequence[str]) -> tuple[dict[str, TextVectors], list[str]]:
        known: dict[str, TextVectors] = {}
        unknown: list[str] = []
        with self._lock:
            for text in dict.fromkeys(texts):
                found = self._known.get(text)
                if found is None:
                    unknown.append(text)
                else:
                    self._known.move_to_end(text)
                    known[text] = found
        return known, unknown

    def _complete(
        self,
        texts: Sequence[str],
        known: dict[str, TextVectors],
        unknown: Sequence[str],
        computed: Sequence[TextVectors],
    ) -> list[TextVectors]:
        rounded = {
            text: TextVectors(
                found.text.astype(np.float16), found.tokens.astype(np.float16), found.spans
            )
            for text, found in zip(unknown, computed, strict=True)
        }
        with self._lock:
            for text, found in rounded.items():
                if text not in self._known:
                    self._known[text] = found
                    self._size += len(found.spans) + 1
            while self._size > self.max_tokens and self._known:
                _, dropped = self._known.popitem(last=False)
                self._size -= len(dropped.spans) + 1
        known = known | rounded
        return [_widened(known[text]) for text in texts]


def _widened(found: TextVectors) -> TextVectors:
    return TextVectors(found.text.astype(np.float32), found.tokens.astype(np.float32), found.spans)
