from types import SimpleNamespace

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding

from langchain_drift.embeddings.cache import CachedEmbeddings
from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.embeddings.functions import CallableEmbeddings
from langchain_drift.embeddings.minilm import MiniLMEmbeddings
from langchain_drift.embeddings.weights import SHA256
from langchain_drift.errors import EmbeddingError


def test_minilm():
    """The bundled model is known by the hash of its file, whatever its parameters."""
    expected = f"minilm-l6-v2-int8:{SHA256['model.onnx'][:12]}"
    assert expected == fingerprint(MiniLMEmbeddings())
    assert expected == fingerprint(CachedEmbeddings(MiniLMEmbeddings(batch_size=2)))


def test_models_that_name_themselves(optional_package):
    """Model and dimensions tell embedders of one class apart, and no text is sent."""
    openai = optional_package("langchain_openai")
    prints = [
        fingerprint(openai.OpenAIEmbeddings(api_key="none", **parameters))
        for parameters in (
            {"model": "text-embedding-3-small"},
            {"model": "text-embedding-3-large"},
            {"model": "text-embedding-3-large", "dimensions": 256},
        )
    ]
    assert prints == [
        "langchain_openai.embeddings.base.OpenAIEmbeddings:text-embedding-3-small",
        "langchain_openai.embeddings.base.OpenAIEmbeddings:text-embedding-3-large",
        "langchain_openai.embeddings.base.OpenAIEmbeddings:text-embedding-3-large:256",
    ]


def test_functions_are_known_by_what_they_do():
    """Functions that give different vectors differ, and those that give the same agree."""
    one = fingerprint(CallableEmbeddings(lambda text: [len(text), 1.0]))
    same = fingerprint(CallableEmbeddings(lambda text: [float(len(text)), 1]))
    other = fingerprint(CallableEmbeddings(lambda text: [len(text), 20.0]))
    assert one == same != other


def test_rounding_hides_noise():
    """Differences far below a thousandth, and the sign of a zero, do not count."""
    one = fingerprint(CallableEmbeddings(lambda text: [3.0, 4.0, 0.0]))
    assert one == fingerprint(CallableEmbeddings(lambda text: [3.00001, 4.0, -0.0]))


def test_a_name_is_enough():
    """A named function is known by its name and not asked."""
    assert fingerprint(CallableEmbeddings(lambda text: [1.0], "mine-v2")) == "callable:mine-v2"


def test_other_processes_agree():
    """The fingerprint of an embedder without a name is the same in every process."""
    expected = "langchain_core.embeddings.fake.DeterministicFakeEmbedding:"
    assert fingerprint(DeterministicFakeEmbedding(size=8)).startswith(expected)
    assert fingerprint(DeterministicFakeEmbedding(size=8)) == fingerprint(
        DeterministicFakeEmbedding(size=8)
    )


def test_a_model_object_is_no_name(counting):
    """An attribute `model` that is not a string is not taken for a name."""
    expected = fingerprint(counting)
    counting.model = SimpleNamespace()
    assert expected == fingerprint(counting)


def test_faults_pass(fixed):
    """An embedder that cannot embed the probe has no fingerprint, and the fault is named."""
    with pytest.raises(EmbeddingError, match="quick brown fox"):
        fingerprint(fixed([[0.0]]))
