import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.embeddings import DeterministicFakeEmbedding

from langchain_drift.embeddings.minilm import MiniLMEmbeddings
from langchain_drift.embeddings.vectors import aembed, embed, unit_vectors
from langchain_drift.errors import EmbeddingError, InvalidInputError

NAN, INF = float("nan"), float("inf")

FAULTS = {
    "NaN": ([[1, 0], [NAN, 1]], r"a vector with NaN at text 1: 'two'"),
    "infinite": ([[1, 0], [1, INF]], r"an infinite number at text 1: 'two'"),
    "zero": ([[0, 0], [1, 0]], r"a vector of zeros at text 0: 'one'"),
    "ragged": ([[1, 0], [1, 0, 2]], r"dimension 3 instead of 2 at text 1"),
    "empty": ([[], []], r"an empty vector at text 0"),
    "few": ([[1, 0]], r"1 vectors for 2 texts"),
    "many": ([[1, 0]] * 3, r"3 vectors for 2 texts"),
    "none": ([], r"0 vectors for 2 texts"),
    "nested": ([[[1]], [[2]]], r"2 axes instead of a vector at text 0"),
    "flat": ([1.0, 2.0], r"0 axes instead of a vector at text 0"),
    "words": ([["a"], ["b"]], r"one list of numbers for each text is needed"),
    "nothing": (None, r"gave None for 2 texts"),
}


@pytest.mark.parametrize(("answer", "message"), FAULTS.values(), ids=FAULTS)
async def test_faults_are_named(fixed, answer, message):
    """Vectors that cannot be used raise an error that names the embedder and the fault."""
    for text in ("two", "two" * 50):
        with pytest.raises(EmbeddingError, match=message[:-1]) as caught:
            embed(fixed(answer), ["one", text])
        assert str(caught.value).startswith("FixedEmbeddings gave")
        assert len(str(caught.value)) < 300
    with pytest.raises(EmbeddingError, match=message):
        await aembed(fixed(answer), ["one", "two"])


def test_the_model_is_named(fixed):
    """The message names the model where the embedder does."""
    embedder = fixed([])
    embedder.model = "text-embedding-9"
    with pytest.raises(EmbeddingError, match=r"FixedEmbeddings \(text-embedding-9\) gave 0"):
        embed(embedder, ["a"])


async def test_no_texts_no_call(counting):
    """No texts give an array of shape (0, 0) without a call."""
    assert embed(counting, []).shape == (await aembed(counting, [])).shape == (0, 0)
    assert counting.calls == []


async def test_equal_texts_are_sent_once(counting):
    """A text that occurs again is embedded once and found at each of its places."""
    vectors = embed(counting, ["a", "b", "a"])
    assert counting.calls == [["a", "b"]]
    np.testing.assert_array_equal(vectors[0], vectors[2])
    np.testing.assert_array_equal(vectors, await aembed(counting, ["a", "b", "a"]))


@settings(max_examples=50)
@given(texts=st.lists(st.text(max_size=5), min_size=1, max_size=8))
def test_order(texts):
    """Each vector is that of its text."""
    embedder = DeterministicFakeEmbedding(size=6)
    vectors = embed(embedder, texts)
    for row, text in zip(vectors, texts, strict=True):
        np.testing.assert_allclose(row, embed(embedder, [text])[0], atol=1e-6)


@settings(max_examples=100)
@given(
    row=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=9).filter(
        any
    )
)
def test_any_finite_vector_gets_length_one(row):
    """Huge and tiny vectors alike are scaled to length 1 and keep their signs."""
    (vector,) = unit_vectors(None, ["text"], [row])
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector.astype(float)) == pytest.approx(1, abs=1e-6)
    assert all(np.sign(vector) * np.sign(row) >= 0)


async def test_the_fast_path_is_used(monkeypatch):
    """An embedder with `embed_array` is asked for arrays and never for lists."""
    minilm = MiniLMEmbeddings()
    monkeypatch.setattr(minilm, "embed_documents", None)
    monkeypatch.setattr(minilm, "aembed_documents", None)
    expected = minilm.embed_array(["a", "b"])
    np.testing.assert_allclose(embed(minilm, ["a", "b"]), expected, atol=1e-6)
    np.testing.assert_allclose(await aembed(minilm, ["a", "b"]), expected, atol=1e-6)


@pytest.mark.parametrize("texts", [[1], [None], "text"])
async def test_only_strings(counting, texts):
    """Anything but a list of strings is refused before the embedder is called."""
    with pytest.raises(InvalidInputError, match="string"):
        embed(counting, texts)
    with pytest.raises(InvalidInputError, match="string"):
        await aembed(counting, texts)
    assert counting.calls == []
