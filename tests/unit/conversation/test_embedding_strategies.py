import importlib.machinery
import pickle
import subprocess
import sys
import threading
import types

import pytest
from langchain_core.embeddings import Embeddings

from langchain_drift.conversation.embedding_strategies import (
    CallableEmbeddingStrategy,
    OpenAIEmbeddingStrategy,
    SentenceTransformerStrategy,
)
from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.embeddings.sentence_transformer import SentenceTransformerEmbeddings
from langchain_drift.errors import InvalidInputError, MissingExtraError


class Client:
    """Looks like an OpenAI client; keeps the models it was asked for."""

    def __init__(self):
        self.embeddings = self
        self.models = []

    def create(self, model, input):  # noqa: A002 - its name
        self.models.append(model)
        data = [types.SimpleNamespace(index=i, embedding=[1.0]) for i in range(len(input))]
        return types.SimpleNamespace(data=data)


@pytest.fixture
def loads(monkeypatch):
    """Put a fake sentence-transformers in place and return the list of what it loads."""
    loads = []

    class SentenceTransformer:
        def __init__(self, name, device=None):
            loads.append((name, device))

        def encode(self, texts):
            return [[float(len(text)), 1.0] for text in texts]

    package = types.ModuleType("sentence_transformers")
    package.__spec__ = importlib.machinery.ModuleSpec("sentence_transformers", None)
    package.SentenceTransformer = SentenceTransformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    return loads


async def test_a_sentence_transformer_is_loaded_at_its_first_use(loads):
    """The strategy loads its model once, when it first embeds, whichever way."""
    strategy = SentenceTransformerStrategy("a-model", "cpu")
    assert loads == []
    assert strategy.embeddings.embed_documents(["ab"]) == [[2.0, 1.0]]
    assert await strategy.embeddings.aembed_query("abc") == [3.0, 1.0]
    assert loads == [("a-model", "cpu")]


def test_threads_load_one_model(loads):
    """Threads that embed first at the same time share one model."""
    embeddings = SentenceTransformerStrategy().embeddings
    threads = [threading.Thread(target=embeddings.embed_query, args=("a",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == [("all-MiniLM-L6-v2", None)]


def test_a_late_model_is_known_as_a_loaded_one(loads):
    """The model is known before it is loaded, and as the embedder that was loaded by hand."""
    strategy = SentenceTransformerStrategy("a-model")
    known = fingerprint(strategy.embeddings)
    assert loads == []
    assert known == fingerprint(SentenceTransformerEmbeddings("a-model"))


def test_a_late_model_can_be_pickled(loads):
    """A copy loads its own model, at its own first use."""
    strategy = SentenceTransformerStrategy("a-model")
    strategy.embeddings.embed_query("a")
    again = pickle.loads(pickle.dumps(strategy))  # noqa: S301 - our own bytes
    assert len(loads) == 1
    assert again.embeddings.embed_query("ab") == [2.0, 1.0]
    assert len(loads) == 2


def test_without_sentence_transformers(monkeypatch):
    """A missing package is told when the strategy is made, with the way out."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"langchain-drift\[sentence-transformers\]"):
        SentenceTransformerStrategy()


@pytest.mark.parametrize("model", ["text-embedding-3-small", "text-embedding-3-large"])
def test_a_raw_client(model):
    """A raw client is asked for the model of the strategy."""
    client = Client()
    OpenAIEmbeddingStrategy(client, model).embeddings.embed_query("a")
    assert client.models == [model]
    assert fingerprint(OpenAIEmbeddingStrategy(client, model).embeddings) == f"openai:{model}"


def test_no_client():
    """What is no client is refused when the strategy is made."""
    with pytest.raises(InvalidInputError, match=r"needs a method `embeddings\.create`"):
        OpenAIEmbeddingStrategy("sk-key")


def test_an_embedder_of_langchain(optional_package, monkeypatch):
    """An embedder is used as it is; without one, one is made with the key of the environment."""
    kind = optional_package("langchain_openai").OpenAIEmbeddings
    own = kind(model="m", api_key="none")
    assert OpenAIEmbeddingStrategy(own).embeddings is own
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    made = OpenAIEmbeddingStrategy(model="m").embeddings
    assert isinstance(made, kind)
    assert made.model == "m"


def test_without_langchain_openai(monkeypatch):
    """A missing package is told when a client would have to be made, with the way out."""
    monkeypatch.setitem(sys.modules, "langchain_openai", None)
    with pytest.raises(MissingExtraError, match=r"langchain-drift\[openai\]"):
        OpenAIEmbeddingStrategy()


def test_a_function():
    """The function embeds; what cannot be called is refused."""
    strategy = CallableEmbeddingStrategy(lambda text: [len(text)])
    assert strategy.embeddings.embed_query("abc") == [3.0]
    with pytest.raises(InvalidInputError, match="pass a plain function"):
        CallableEmbeddingStrategy(None)


def test_names_and_markers(loads):
    """Each strategy is the default one under the published name, with the marker it was given."""
    made = [
        SentenceTransformerStrategy(off_topic_marker=None),
        OpenAIEmbeddingStrategy(Client(), off_topic_marker=None),
        CallableEmbeddingStrategy(len, off_topic_marker=None),
        CallableEmbeddingStrategy(len, strategy_name="mine", off_topic_marker=None),
    ]
    names = ["sentence_transformer", "openai_embedding", "custom_embedding", "mine"]
    assert [strategy.name for strategy in made] == names
    assert all(isinstance(strategy, PurposeStrategy) for strategy in made)
    assert {strategy.off_topic_marker for strategy in made} == {None}
    assert CallableEmbeddingStrategy(len).off_topic_marker == PurposeStrategy().off_topic_marker


def test_other_weights_keep_the_embedder(loads):
    """The same strategy with other constants has the same embedder."""
    strategy = SentenceTransformerStrategy("a-model")
    other = strategy.with_weights(strategy.weights)
    assert isinstance(other.embeddings, Embeddings)
    assert other.embeddings is strategy.embeddings


def test_nothing_heavy_is_imported():
    """Making the strategies imports neither torch nor a model runtime nor openai."""
    code = (
        "import sys, langchain_drift as d\n"
        "d.CallableEmbeddingStrategy(len), d.PublishedFormulaStrategy(), d.KeywordStrategy()\n"
        "d.OpenAIEmbeddingStrategy, d.SentenceTransformerStrategy\n"
        "heavy = {'torch', 'sentence_transformers', 'onnxruntime', 'openai', 'langchain_openai'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
