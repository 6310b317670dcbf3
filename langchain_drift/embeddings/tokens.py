"""Embedders that also give a vector for each token."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from langchain_drift.embeddings.cache import CachedEmbeddings


@runtime_checkable
class TokenEmbeddings(Protocol):
    """An embedder with token vectors, as the bundled one has them."""

    def embed_tokens(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return for each text its token vectors `[tokens, dimensions]` of length 1."""
        ...

    async def aembed_tokens(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return the same without blocking the event loop."""
        ...


def token_embeddings(embeddings: Embeddings) -> TokenEmbeddings | None:
    """Return what gives the token vectors of an embedder, or None if nothing does.

    Args:
        embeddings: Any embedder; of a cached one the inner embedder is asked, because token
            vectors are too large to remember.
    """
    while isinstance(embeddings, CachedEmbeddings):
        embeddings = embeddings.inner
    return embeddings if isinstance(embeddings, TokenEmbeddings) else None
