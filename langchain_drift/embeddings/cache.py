"""A bounded cache of vectors in front of any embedder."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from langchain_drift.counts import check_count
from langchain_drift.embeddings.checks import check_texts
from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.embeddings.vectors import aembed, embed


class CachedEmbeddings(Embeddings):
    """Remembers the vectors of the texts used last; safe to share between threads.

    Vectors are checked and scaled to length 1 before they are kept. All unknown texts of a call go
    to the inner embedder in one call. Errors are not remembered. A copy starts empty.

    Args:
        inner: The embedder that computes what is not known yet.
        max_entries: Most texts remembered, at least 1; the one unused for longest goes first.

    Raises:
        InvalidInputError: If `max_entries` is not a whole number of at least 1.
    """

    def __init__(self, inner: Embeddings, max_entries: int = 4096) -> None:
        self.inner = inner
        self.max_entries = check_count("max_entries", max_entries)
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()
        self._hits = self._misses = 0
        self._fingerprint: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.inner, self.max_entries)

    @property
    def languages(self) -> frozenset[str] | None:
        """Languages the inner embedder can judge, as ISO 639-1 codes; None if it does not say."""
        return getattr(self.inner, "languages", None)

    @property
    def fingerprint(self) -> str:
        """Identity of the inner embedder."""
        if self._fingerprint is None:
            self._fingerprint = fingerprint(self.inner)
        return self._fingerprint

    @property
    def hits(self) -> int:
        """Distinct texts of each call that were known, summed over calls."""
        return self._hits

    @property
    def misses(self) -> int:
        """Distinct texts of each call that had to be computed, summed over calls."""
        return self._misses

    def embed_array(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts without a detour over Python lists.

        Args:
            texts: Any number of texts.

        Returns:
            Vectors `[len(texts), dimensions]` of length 1; shape (0, 0) if there are no texts.

        Raises:
            InvalidInputError: If a text is not a string.
            EmbeddingError: If the inner embedder gives vectors that cannot be used.
        """
        checked = check_texts(texts)
        known, unknown = self._look_up(checked)
        return self._complete(checked, known, unknown, embed(self.inner, unknown))

    async def aembed_array(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts without blocking the event loop; see `embed_array`."""
        checked = check_texts(texts)
        known, unknown = self._look_up(checked)
        return self._complete(checked, known, unknown, await aembed(self.inner, unknown))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts as LangChain asks for it; see `embed_array`."""
        vectors: list[list[float]] = self.embed_array(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Embed one text as a document, so that queries and documents share the cache."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts without blocking the event loop; see `embed_array`."""
        vectors: list[list[float]] = (await self.aembed_array(texts)).tolist()
        return vectors

    async def aembed_query(self, text: str) -> list[float]:
        """Embed one text as a document, so that queries and documents share the cache."""
        return (await self.aembed_documents([text]))[0]

    def _look_up(self, texts: Sequence[str]) -> tuple[dict[str, NDArray[np.float32]], list[str]]:
        """Split the distinct texts into known ones with their vectors and unknown ones."""
        known: dict[str, NDArray[np.float32]] = {}
        unknown: list[str] = []
        with self._lock:
            for text in dict.fromkeys(texts):
                vector = self._known.get(text)
                if vector is None:
                    unknown.append(text)
                else:
                    self._known.move_to_end(text)
                    known[text] = vector
            self._hits += len(known)
            self._misses += len(unknown)
        return known, unknown

    def _complete(
        self,
        texts: Sequence[str],
        known: Mapping[str, NDArray[np.float32]],
        unknown: Sequence[str],
        computed: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """Remember what was computed and return all vectors in the order of the texts."""
        # Copies, so that one remembered row does not keep its whole batch in memory.
        fresh = {text: row.copy() for text, row in zip(unknown, computed, strict=True)}
        with self._lock:
            self._known.update(fresh)
            while len(self._known) > self.max_entries:
                self._known.popitem(last=False)
        vectors = {**known, **fresh}
        if not texts:
            return computed
        return np.stack([vectors[text] for text in texts])
