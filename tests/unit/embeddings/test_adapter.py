from types import SimpleNamespace

import pytest

from langchain_drift.embeddings.adapter import as_embeddings
from langchain_drift.embeddings.functions import CallableEmbeddings
from langchain_drift.embeddings.minilm import MiniLMEmbeddings
from langchain_drift.embeddings.openai_client import OpenAIClientEmbeddings
from langchain_drift.embeddings.sentence_transformer import SentenceTransformerEmbeddings
from langchain_drift.errors import InvalidInputError


class CallableEncoder:
    """Can be called and can encode, like a SentenceTransformer."""

    def __call__(self, features):
        return features

    def encode(self, texts):
        return [[1.0] for _ in texts]


def test_embeddings_pass_through(counting):
    """An `Embeddings` is returned as it is."""
    assert as_embeddings(counting) is counting


def test_each_kind_has_its_wrapper():
    """Clients, encoders and functions are wrapped by what they can do."""
    client = SimpleNamespace(embeddings=SimpleNamespace(create=lambda **request: None))
    assert isinstance(as_embeddings(client), OpenAIClientEmbeddings)
    assert isinstance(as_embeddings(CallableEncoder()), SentenceTransformerEmbeddings)
    assert isinstance(as_embeddings(lambda text: [1.0]), CallableEmbeddings)


def test_real_openai_clients(optional_package):
    """Both clients of the openai package are wrapped."""
    openai = optional_package("openai")
    for kind in (openai.OpenAI, openai.AsyncOpenAI):
        embedder = as_embeddings(kind(api_key="none"))
        assert isinstance(embedder, OpenAIClientEmbeddings)
        assert embedder._is_async == (kind is openai.AsyncOpenAI)


@pytest.mark.parametrize("value", [None, 3, "all-MiniLM-L6-v2", b"x", [], MiniLMEmbeddings])
def test_everything_else_is_refused(value):
    """What cannot embed, names and classes among it, is refused with what can."""
    with pytest.raises(InvalidInputError, match=r"cannot embed\. Pass a LangChain `Embeddings`"):
        as_embeddings(value)
