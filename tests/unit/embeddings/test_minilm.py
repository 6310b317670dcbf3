import asyncio
import copy
import json
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_tests.integration_tests import EmbeddingsIntegrationTests
from langchain_tests.unit_tests import EmbeddingsUnitTests

from langchain_drift.embeddings.minilm import MiniLMEmbeddings
from langchain_drift.errors import InvalidInputError

REFERENCE = json.loads(Path(__file__).with_name("minilm_reference.json").read_text("utf-8"))
LONG = "The committee reviewed the budget and postponed its decision. " * 60


class TestMiniLMUnit(EmbeddingsUnitTests):
    embeddings_class = MiniLMEmbeddings


class TestMiniLMContract(EmbeddingsIntegrationTests):
    embeddings_class = MiniLMEmbeddings


@pytest.fixture(scope="module")
def minilm():
    """Return one embedder for the module."""
    return MiniLMEmbeddings()


def test_agrees_with_the_official_model(minilm):
    """Vectors have a cosine of at least .999 to those of the float32 model in torch."""
    vectors = minilm.embed_array(REFERENCE["texts"])
    assert (vectors * np.array(REFERENCE["vectors"])).sum(axis=1).min() >= 0.999


def test_shapes_and_norms(minilm):
    """A row of 384 float32 numbers of length 1 is given for each text."""
    vectors = minilm.embed_array(["one", "", LONG])
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_no_texts(minilm):
    """No texts give no vectors."""
    assert minilm.embed_documents([]) == []
    assert minilm.embed_tokens([]) == []
    assert minilm.embed_array([]).shape == (0, 384)


@settings(max_examples=20, deadline=None)
@given(texts=st.lists(st.text(max_size=200), max_size=6))
def test_order_and_independence(texts):
    """A text has the same vector alone and anywhere in a batch."""
    minilm = MiniLMEmbeddings(batch_size=2)
    together = minilm.embed_array(texts)
    for row, text in zip(together, texts, strict=True):
        np.testing.assert_allclose(row, minilm.embed_array([text])[0], atol=1e-6)


def test_queries_are_documents(minilm):
    """A query has the vector of the same document."""
    np.testing.assert_allclose(minilm.embed_query("a"), minilm.embed_documents(["a"])[0])


def test_meaning(minilm):
    """A paraphrase is nearer than another topic."""
    text, paraphrase, other = minilm.embed_array(
        ["How can I cancel my flight?", "I want to call off my plane trip.", "Stir the soup."],
    )
    assert text @ paraphrase > text @ other + 0.3


def test_only_the_first_tokens_count(minilm):
    """Whatever follows the first 256 tokens changes nothing."""
    vectors = minilm.embed_array([LONG, LONG + "Bananas."])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)


@pytest.mark.parametrize(
    "text",
    ["", " ", "\x00", "\ud800", "a\udfffb", "[CLS] [SEP] [PAD]", "x" * 1_000_000, "é " * 500_000],
    ids=["empty", "space", "nul", "surrogate", "low surrogate", "special", "word", "megabyte"],
)
def test_odd_texts(minilm, text):
    """Any string at all gets a vector, and token vectors that are finite."""
    assert np.isfinite(minilm.embed_query(text)).all()
    assert np.isfinite(minilm.embed_tokens([text])[0]).all()


def test_surrogate_pairs_are_characters(minilm):
    """Two surrogates that make up a character are read as that character."""
    vectors = minilm.embed_array(["\ud83d\ude00 hello", "\U0001f600 hello"])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)


def test_tokens(minilm):
    """Each token has a vector of length 1, and the two special tokens are left out."""
    empty, two, long = minilm.embed_tokens(["", "hello world", LONG])
    assert (empty.shape, two.shape, long.shape) == ((0, 384), (2, 384), (254, 384))
    np.testing.assert_allclose(np.linalg.norm(long, axis=1), 1, atol=1e-6)


def test_tokens_know_their_context(minilm):
    """The same word has different vectors in different sentences, yet is nearest to itself."""
    river, money = minilm.embed_tokens(["the bank of the river", "the bank lends money"])
    assert 0.2 < river[1] @ money[1] < 0.95


@pytest.mark.parametrize("texts", [["a", 3], ["a", None], [b"a"], "a text"])
def test_only_strings(minilm, texts):
    """Anything but strings is refused, and so is a lone string in place of a list."""
    for method in (minilm.embed_documents, minilm.embed_tokens, minilm.embed_array):
        with pytest.raises(InvalidInputError, match=r"string"):
            method(texts)


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "2"])
@pytest.mark.parametrize("parameter", ["threads", "batch_size"])
def test_parameters(parameter, value):
    """Parameters are whole numbers of at least 1."""
    with pytest.raises(InvalidInputError, match=f"{parameter} is {value!r}"):
        MiniLMEmbeddings(**{parameter: value})


def test_threads_agree(minilm):
    """Eight threads at once get what one gets alone."""
    jobs = [[f"sentence {i} of job {job}" for i in range(job + 1)] for job in range(8)]
    expected = [minilm.embed_array(job) for job in jobs]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            found = list(pool.map(minilm.embed_array, jobs))
            for one, other in zip(expected, found, strict=True):
                np.testing.assert_allclose(one, other, atol=1e-6)


def test_thread_counts_agree(minilm):
    """The number of threads changes no vector."""
    two = MiniLMEmbeddings(threads=2).embed_array(["a", LONG])
    np.testing.assert_allclose(two, minilm.embed_array(["a", LONG]), atol=1e-5)


async def test_async_agrees(minilm):
    """Async methods give what their twins give."""
    assert await minilm.aembed_documents(["a", "b"]) == minilm.embed_documents(["a", "b"])
    assert await minilm.aembed_query("a") == minilm.embed_query("a")
    np.testing.assert_array_equal(await minilm.aembed_array(["a"]), minilm.embed_array(["a"]))
    (tokens,) = await minilm.aembed_tokens(["a b"])
    np.testing.assert_array_equal(tokens, minilm.embed_tokens(["a b"])[0])


async def test_async_leaves_the_loop_free(minilm):
    """While texts are embedded, the event loop never waits for long."""
    gaps = [0.0]

    async def tick():
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0.001)
            gaps.append(time.perf_counter() - start)

    minilm.embed_query("loaded")
    ticker = asyncio.create_task(tick())
    start = time.perf_counter()
    await minilm.aembed_documents([f"{LONG} {number}" for number in range(20)])
    taken = time.perf_counter() - start
    ticker.cancel()
    assert max(gaps) < taken / 3


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])  # noqa: S301
def test_copies(minilm, clone):
    """A copied or unpickled embedder gives the same vectors."""
    minilm.embed_query("loaded")
    copied = clone(MiniLMEmbeddings(batch_size=7))
    assert copied.batch_size == 7
    assert copied.embed_query("a") == minilm.embed_query("a")


def test_says_what_it_judges():
    """The model judges English only."""
    assert frozenset({"en"}) == MiniLMEmbeddings.languages
