"""The default strategy with another embedder, under the published names."""

import threading
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

from langchain_core.embeddings import Embeddings

from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.refusal import MARKER
from langchain_drift.embeddings import (
    CallableEmbeddings,
    OpenAIClientEmbeddings,
    SentenceTransformerEmbeddings,
)
from langchain_drift.errors import MissingExtraError


class SentenceTransformerStrategy(PurposeStrategy):
    """Score by the purpose, with a model of the sentence-transformers package.

    Torch and the model are loaded when the first turn is judged, not before.

    Args:
        model_name: A name or a path of a model.
        device: Where to load it, for example `cpu` or `cuda`; None lets torch choose.
        off_topic_marker: See `PurposeStrategy`.

    Raises:
        MissingExtraError: If sentence-transformers is not installed.
    """

    def __init__(
        self,
        model_name: str = "all-MiniLM-L6-v2",
        device: str | None = None,
        *,
        off_topic_marker: str | None = MARKER,
    ) -> None:
        super().__init__(
            _LateSentenceTransformer(model_name, device),
            off_topic_marker=off_topic_marker,
            name="sentence_transformer",
        )


class OpenAIEmbeddingStrategy(PurposeStrategy):
    """Score by the purpose, with an embedding model of OpenAI.

    Args:
        client: An `openai.OpenAI` or `openai.AsyncOpenAI` client, or any LangChain `Embeddings`
            such as `OpenAIEmbeddings`, which keeps its own model. By default an
            `OpenAIEmbeddings` that reads the key from the environment.
        model: The name of the model.
        off_topic_marker: See `PurposeStrategy`.

    Raises:
        InvalidInputError: If the client has no `embeddings.create`.
        MissingExtraError: If there is no client and langchain-openai is not installed.
    """

    def __init__(
        self,
        client: object | None = None,
        model: str = "text-embedding-3-small",
        *,
        off_topic_marker: str | None = MARKER,
    ) -> None:
        super().__init__(
            _openai(client, model), off_topic_marker=off_topic_marker, name="openai_embedding"
        )


class CallableEmbeddingStrategy(PurposeStrategy):
    """Score by the purpose, with a function that embeds.

    Args:
        embed_fn: Takes a text, returns its vector as a sequence of numbers. Before the first turn
            it is called once for each of some 3,800 texts of the background cohort.
        strategy_name: The name of its score.
        off_topic_marker: See `PurposeStrategy`.

    Raises:
        InvalidInputError: If `embed_fn` cannot be called, or is a coroutine function.
    """

    def __init__(
        self,
        embed_fn: Callable[[str], Sequence[float]],
        strategy_name: str = "custom_embedding",
        *,
        off_topic_marker: str | None = MARKER,
    ) -> None:
        super().__init__(
            CallableEmbeddings(embed_fn), off_topic_marker=off_topic_marker, name=strategy_name
        )


class _LateSentenceTransformer(Embeddings):
    """A SentenceTransformer that is loaded at its first use; async calls load it in a thread."""

    def __init__(self, model_name: str, device: str | None) -> None:
        package = "sentence_transformers"
        if find_spec(package) is None:
            raise MissingExtraError(package, "sentence-transformers")
        self.model_name = model_name
        self.device = device
        self._loaded: SentenceTransformerEmbeddings | None = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.model_name, self.device)

    @property
    def fingerprint(self) -> str:
        """Identity of the model, the same as that of the loaded `SentenceTransformerEmbeddings`."""
        kind = SentenceTransformerEmbeddings
        return f"{kind.__module__}.{kind.__qualname__}:{self.model_name}"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        with self._lock:
            if self._loaded is None:
                self._loaded = SentenceTransformerEmbeddings(self.model_name, self.device)
        return self._loaded.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def _openai(client: object | None, model: str) -> Embeddings:
    if isinstance(client, Embeddings):
        return client
    if client is not None:
        return OpenAIClientEmbeddings(client, model)
    try:
        from langchain_openai import OpenAIEmbeddings  # noqa: PLC0415 - optional package
    except ImportError as error:
        package = "langchain_openai"
        raise MissingExtraError(package, "openai") from error
    return OpenAIEmbeddings(model=model)
