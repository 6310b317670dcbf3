import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.embeddings import DeterministicFakeEmbedding

from langchain_drift.embeddings.cache import CachedEmbeddings
from langchain_drift.embeddings.minilm import MiniLMEmbeddings
from langchain_drift.embeddings.vectors import embed
from langchain_drift.errors import EmbeddingError, InvalidInputError


def test_known_texts_are_not_embedded_again(counting):
    """All unknown texts of a call go to the inner embedder in one call, known ones never."""
    cached = CachedEmbeddings(counting)
    cached.embed_documents(["a", "b"])
    cached.embed_documents(["b", "c", "a", "d", "c"])
    cached.embed_query("d")
    assert counting.calls == [["a", "b"], ["c", "d"]]
    assert (cached.hits, cached.misses) == (3, 4)


async def test_async_shares_the_cache(counting):
    """Sync and async methods know each other's texts and agree."""
    cached = CachedEmbeddings(counting)
    vectors = await cached.aembed_documents(["a", "b"])
    assert vectors == cached.embed_documents(["a", "b"])
    assert vectors[0] == await cached.aembed_query("a") == cached.embed_query("a")
    assert counting.calls == [["a", "b"]]


@settings(max_examples=60)
@given(
    calls=st.lists(st.lists(st.sampled_from("abcdefg"), max_size=8), max_size=8),
    size=st.integers(1, 5),
)
def test_same_vectors_with_and_without(calls, size):
    """Whatever was asked before and however small the cache, vectors are those without it."""
    inner = DeterministicFakeEmbedding(size=4)
    cached = CachedEmbeddings(inner, max_entries=size)
    for texts in calls:
        np.testing.assert_array_equal(embed(inner, texts), cached.embed_array(texts))
        assert len(cached._known) <= size


def test_the_text_unused_for_longest_goes_first(counting):
    """At the limit the least recently used text is forgotten."""
    cached = CachedEmbeddings(counting, max_entries=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cached.embed_query(text)
    assert counting.calls == [["a"], ["b"], ["c"], ["b"]]


def test_errors_are_not_remembered(fixed):
    """After an error the inner embedder is asked again."""
    inner = fixed([[float("nan")]])
    cached = CachedEmbeddings(inner)
    with pytest.raises(EmbeddingError, match="FixedEmbeddings gave a vector with NaN"):
        cached.embed_query("a")
    inner.answer = [[2.0]]
    assert cached.embed_query("a") == [1.0]


def test_results_cannot_change_the_cache(counting):
    """Writing into a result leaves the remembered vector as it was."""
    cached = CachedEmbeddings(counting)
    first = cached.embed_array(["a"])
    expected = first.copy()
    first[:] = 0
    second = cached.embed_array(["a"])
    second[:] = 0
    np.testing.assert_array_equal(expected, cached.embed_array(["a"]))


def test_threads(counting):
    """Threads that share a small cache get the right vectors and lose no count."""
    cached = CachedEmbeddings(counting, max_entries=5)
    jobs = [[str((job * step) % 11) for step in range(6)] for job in range(64)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(cached.embed_array, jobs))
    for job, vectors in zip(jobs, found, strict=True):
        np.testing.assert_array_equal(embed(counting, job), vectors)
    assert cached.hits + cached.misses == sum(len(set(job)) for job in jobs)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])  # noqa: S301
def test_copies_start_empty(clone):
    """A copy has the same inner embedder and limit, and remembers nothing."""
    cached = CachedEmbeddings(DeterministicFakeEmbedding(size=4), max_entries=9)
    expected = cached.embed_query("a")
    copied = clone(cached)
    assert (copied.max_entries, copied.hits, copied.misses) == (9, 0, 0)
    assert expected == copied.embed_query("a")


def test_passes_on_what_the_inner_embedder_is(counting):
    """Languages and fingerprint are those of the inner embedder."""
    cached = CachedEmbeddings(MiniLMEmbeddings())
    assert cached.languages == MiniLMEmbeddings.languages
    assert cached.fingerprint == MiniLMEmbeddings.fingerprint
    assert CachedEmbeddings(counting).languages is None


def test_the_inner_fingerprint_is_computed_once(counting):
    """The probe sentence is embedded at most once."""
    cached = CachedEmbeddings(counting)
    assert cached.fingerprint == cached.fingerprint
    assert len(counting.calls) == 1


def test_no_texts(counting):
    """No texts give no vectors and no call."""
    assert CachedEmbeddings(counting).embed_documents([]) == []
    assert counting.calls == []


@pytest.mark.parametrize("value", [0, -3, 2.5, None])
def test_the_limit_is_checked(counting, value):
    """The limit is a whole number of at least 1."""
    with pytest.raises(InvalidInputError, match=f"max_entries is {value!r}"):
        CachedEmbeddings(counting, max_entries=value)
