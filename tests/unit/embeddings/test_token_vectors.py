from langchain_drift.embeddings.cache import CachedEmbeddings
from langchain_drift.embeddings.minilm import MiniLMEmbeddings
from langchain_drift.embeddings.tokens import token_embeddings


def test_found_behind_caches():
    """The embedder with token vectors is found behind any number of caches."""
    minilm = MiniLMEmbeddings()
    assert token_embeddings(minilm) is minilm
    assert token_embeddings(CachedEmbeddings(CachedEmbeddings(minilm))) is minilm


def test_none_without(counting):
    """An embedder without token vectors has none."""
    assert token_embeddings(counting) is None
    assert token_embeddings(CachedEmbeddings(counting)) is None
