from concurrent.futures import ThreadPoolExecutor

import pytest

from langchain_drift import embeddings
from langchain_drift.embeddings.default import default_embeddings


def test_public_names():
    """Each public name can be had, is listed, and the list is sorted."""
    assert embeddings.__all__ == sorted(embeddings.__all__) == dir(embeddings)
    for name in embeddings.__all__:
        assert getattr(embeddings, name).__name__ == name


def test_unknown_names():
    """An unknown name is an attribute error, as in any module."""
    with pytest.raises(AttributeError, match="no attribute 'Missing'"):
        embeddings.Missing  # noqa: B018 - the access is the test


def test_one_default_for_all():
    """All threads share one default embedder."""
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: default_embeddings(), range(32)))
    assert len({id(embedder) for embedder in found}) == 1
