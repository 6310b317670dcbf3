"""An embedder made of a SentenceTransformer."""

import asyncio
import os
import threading
from typing import Any

from langchain_core.embeddings import Embeddings

from langchain_drift.embeddings.checks import check_texts
from langchain_drift.errors import InvalidInputError, MissingExtraError


class SentenceTransformerEmbeddings(Embeddings):
    """Embeds with a model of the sentence-transformers package, or with one that works alike.

    Calls are made one at a time, because tokenizers of such models are not safe to share.

    Args:
        model: A name or a path to load, or a loaded model: any object whose `encode` takes a list
            of texts and returns one vector for each.
        device: Where to load the model, for example `cpu` or `cuda`; None lets torch choose. Only
            for a name or a path.

    Raises:
        MissingExtraError: If a model is to be loaded and sentence-transformers is not installed.
        InvalidInputError: If a loaded model has no `encode`, or comes with a device.
    """

    def __init__(self, model: Any, device: str | None = None) -> None:  # noqa: ANN401 - optional package
        if isinstance(model, str | os.PathLike):
            self._encoder = _load(os.fspath(model), device)
            self.model_name: str | None = os.fspath(model)
        elif device is not None:
            message = f"`device` is {device!r}, but the model is loaded: move it with `model.to()`."
            raise InvalidInputError(message)
        elif not callable(getattr(model, "encode", None)):
            message = f"`model` is {model!r:.80}; pass a name, a path or an object with `encode`."
            raise InvalidInputError(message)
        else:
            self._encoder = model
            self.model_name = None
        self._source = (model, device)
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._source

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts in one call of the model.

        Raises:
            InvalidInputError: If a text is not a string.
        """
        checked = check_texts(texts)
        if not checked:
            return []
        with self._lock:
            vectors = self._encoder.encode(checked)
        return [[float(x) for x in vector] for vector in vectors]

    def embed_query(self, text: str) -> list[float]:
        """Embed one text as a document."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts in a thread, without blocking the event loop."""
        return await asyncio.to_thread(self.embed_documents, texts)

    async def aembed_query(self, text: str) -> list[float]:
        """Embed one text in a thread, without blocking the event loop."""
        return await asyncio.to_thread(self.embed_query, text)


def _load(name: str, device: str | None) -> Any:  # noqa: ANN401 - optional package
    try:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - optional package
    except ImportError as error:
        package = "sentence_transformers"
        raise MissingExtraError(package, "sentence-transformers") from error
    return SentenceTransformer(name, device=device)
