import pickle
import sys

import numpy as np
import pytest

from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.embeddings.sentence_transformer import SentenceTransformerEmbeddings
from langchain_drift.embeddings.vectors import aembed, embed
from langchain_drift.errors import InvalidInputError, MissingExtraError

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "red", "green", "blue"]


class Encoder:
    """Encodes a text as its length."""

    def encode(self, texts):
        return np.array([[len(text), 1.0] for text in texts])


@pytest.fixture
def tiny_model(optional_package, tmp_path):
    """Save a transformer with one tiny layer and return its folder."""
    transformers = optional_package("transformers")
    optional_package("sentence_transformers")
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
    )
    transformers.BertModel(config).save_pretrained(tmp_path)
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    transformers.BertTokenizerFast(vocab=vocabulary).save_pretrained(tmp_path)
    return tmp_path


async def test_a_real_model(tiny_model):
    """A model loaded from a path embeds as it does by itself, sync, async and unpickled."""
    embedder = SentenceTransformerEmbeddings(tiny_model, device="cpu")
    expected = embedder._encoder.encode(["red", "green blue"])
    np.testing.assert_allclose(expected, embedder.embed_documents(["red", "green blue"]), 1e-5)
    vectors = embed(embedder, ["red", "green blue"])
    np.testing.assert_allclose(vectors, await aembed(embedder, ["red", "green blue"]), 1e-5)
    copied = pickle.loads(pickle.dumps(embedder))  # noqa: S301 - made in this line
    np.testing.assert_allclose(vectors, embed(copied, ["red", "green blue"]), 1e-5)
    assert str(tiny_model) in fingerprint(embedder)


async def test_a_loaded_model():
    """Any object with `encode` serves, and an empty list does not reach it."""
    embedder = SentenceTransformerEmbeddings(Encoder())
    assert embedder.embed_documents(["a", "bb"]) == [[1.0, 1.0], [2.0, 1.0]]
    assert embedder.embed_query("a") == await embedder.aembed_query("a") == [1.0, 1.0]
    assert embedder.embed_documents([]) == []


def test_loaded_models_are_known_by_what_they_do():
    """The fingerprint of a loaded model comes from its vectors."""
    one = fingerprint(SentenceTransformerEmbeddings(Encoder()))
    assert one == fingerprint(SentenceTransformerEmbeddings(Encoder()))


def test_the_extra_is_named(monkeypatch):
    """Without the package, a name to load is answered with the extra to install."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"langchain-drift\[sentence-transformers\]"):
        SentenceTransformerEmbeddings("all-MiniLM-L6-v2")


def test_a_device_is_for_loading():
    """A loaded model with a device, and an object that cannot encode, are refused."""
    with pytest.raises(InvalidInputError, match=r"`device` is 'cpu'.*model\.to"):
        SentenceTransformerEmbeddings(Encoder(), device="cpu")
    with pytest.raises(InvalidInputError, match="an object with `encode`"):
        SentenceTransformerEmbeddings(3)
