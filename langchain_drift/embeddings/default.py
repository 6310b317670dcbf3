"""The default embedder of a process."""

import threading
from functools import cache

from langchain_core.embeddings import Embeddings

from langchain_drift.embeddings.cache import CachedEmbeddings
from langchain_drift.embeddings.details import DetailCache
from langchain_drift.embeddings.minilm import MiniLMEmbeddings

_lock = threading.Lock()


def default_embeddings() -> Embeddings:
    """Return the one embedder that everything shares which was given none.

    It is the bundled MiniLM behind a cache of 4,096 texts. The model is loaded at its first use.
    """
    with _lock:
        return _default()


def default_details() -> DetailCache:
    """Return the cache of texts with their tokens that goes with the default embedder."""
    with _lock:
        return _default_details()


@cache
def _default() -> CachedEmbeddings:
    return CachedEmbeddings(MiniLMEmbeddings())


@cache
def _default_details() -> DetailCache:
    return DetailCache(MiniLMEmbeddings())
