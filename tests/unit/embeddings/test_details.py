import threading

import numpy as np
import pytest

from langchain_drift.embeddings import CachedEmbeddings, MiniLMEmbeddings
from langchain_drift.embeddings.details import DetailCache, detailed_embeddings


class Counting:
    """The bundled embedder, counting the texts it is asked for."""

    def __init__(self):
        self.inner, self.seen = MiniLMEmbeddings(), []

    def embed_details(self, texts):
        self.seen.extend(texts)
        return self.inner.embed_details(texts)

    async def aembed_details(self, texts):
        self.seen.extend(texts)
        return await self.inner.aembed_details(texts)


def test_details_are_the_vectors_of_text_and_tokens():
    """One run gives what `embed_array` and `embed_tokens` give, and where the tokens stand."""
    texts, embedder = ["Hello world.", "", "x"], MiniLMEmbeddings()
    found = embedder.embed_details(texts)
    assert np.allclose([each.text for each in found], embedder.embed_array(texts), atol=1e-5)
    for mine, other in zip(found, embedder.embed_tokens(texts), strict=True):
        assert mine.tokens.shape == other.shape
        assert np.allclose(mine.tokens, other, atol=1e-5)
    assert found[0].spans == ((0, 5), (6, 11), (11, 12))
    assert found[1].spans == ()


async def test_what_is_known_is_not_computed_again():
    """A text is computed once, and remembered or not its vectors are the same."""
    inner = Counting()
    cache = DetailCache(inner)
    first = cache.embed_details(["a fish", "a bird", "a fish"])
    second = await cache.aembed_details(["a bird", "a cat"])
    assert inner.seen == ["a fish", "a bird", "a cat"]
    assert np.array_equal(first[1].tokens, second[0].tokens)
    assert np.array_equal(first[0].text, first[2].text)


def test_the_cache_is_bounded_by_tokens():
    """The text unused for longest goes first; one larger than the cache is still answered."""
    inner = Counting()
    cache = DetailCache(inner, max_tokens=6)
    cache.embed_details(["one two"])
    cache.embed_details(["three four"])
    cache.embed_details(["one two"])
    cache.embed_details(["five six"])
    cache.embed_details(["one two"])
    assert inner.seen == ["one two", "three four", "five six"]
    assert len(cache.embed_details(["a " * 50])[0].spans) == 50


def test_threads_share_a_cache():
    """Many threads get the right vectors and leave the bookkeeping in order."""
    cache = DetailCache(MiniLMEmbeddings(), max_tokens=40)
    texts = [f"word {number}" for number in range(8)]
    expected = MiniLMEmbeddings().embed_details(texts)
    wrong = []

    def work():
        for text, wanted in zip(texts, expected, strict=True):
            (found,) = cache.embed_details([text])
            if not np.allclose(found.text, wanted.text, atol=1e-3):
                wrong.append(text)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert cache._size == sum(len(each.spans) + 1 for each in cache._known.values()) <= 40


@pytest.mark.parametrize("wrap", [lambda x: x, CachedEmbeddings])
def test_details_are_asked_of_the_inner_embedder(wrap):
    """A cached embedder has details if the one within has."""
    inner = MiniLMEmbeddings()
    assert detailed_embeddings(wrap(inner)) is inner
