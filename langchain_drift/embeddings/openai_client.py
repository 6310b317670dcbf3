"""An embedder made of a raw OpenAI client."""

import asyncio
import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.embeddings import Embeddings

from langchain_drift.counts import check_count
from langchain_drift.embeddings.checks import check_texts
from langchain_drift.errors import EmbeddingError, InvalidInputError


class OpenAIClientEmbeddings(Embeddings):
    """Embeds with an `openai.OpenAI` or `openai.AsyncOpenAI` client, or one that works alike.

    A synchronous client also serves the async methods, in a thread. An async client serves only
    them. Errors of the client itself are passed on as they are.

    Args:
        client: Has `embeddings.create(model=…, input=[…])`, plain or async.
        model: Name of the embedding model.
        batch_size: Most texts in one request, at least 1.

    Raises:
        InvalidInputError: If the client has no `embeddings.create`, or `batch_size` is not a whole
            number of at least 1.
    """

    def __init__(
        self,
        client: Any,  # noqa: ANN401 - the openai package is optional
        model: str = "text-embedding-3-small",
        batch_size: int = 256,
    ) -> None:
        self._create = getattr(getattr(client, "embeddings", None), "create", None)
        if not callable(self._create):
            message = f"`client` is {client!r:.80}, but needs a method `embeddings.create`."
            raise InvalidInputError(message)
        self.client = client
        self.model = model
        self.batch_size = check_count("batch_size", batch_size)
        self._is_async = inspect.iscoroutinefunction(self._create)

    @property
    def fingerprint(self) -> str:
        """Identity of the model."""
        return f"openai:{self.model}"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts with as few requests as `batch_size` allows.

        Raises:
            InvalidInputError: If the client is async, or a text is not a string.
            EmbeddingError: If a response does not hold one vector for each text.
        """
        if self._is_async:
            message = (
                f"{type(self.client).__name__} is an async client; call `aembed_documents`, or "
                "pass a synchronous client such as `openai.OpenAI()`."
            )
            raise InvalidInputError(message)
        vectors: list[list[float]] = []
        for request in self._requests(texts):
            response = self.client.embeddings.create(model=self.model, input=request)
            vectors += self._in_order(request, response)
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Embed one text; see `embed_documents`."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts without blocking the event loop; see `embed_documents`."""
        if not self._is_async:
            return await asyncio.to_thread(self.embed_documents, texts)
        vectors: list[list[float]] = []
        for request in self._requests(texts):
            response = await self.client.embeddings.create(model=self.model, input=request)
            vectors += self._in_order(request, response)
        return vectors

    async def aembed_query(self, text: str) -> list[float]:
        """Embed one text without blocking the event loop; see `embed_documents`."""
        return (await self.aembed_documents([text]))[0]

    def _requests(self, texts: Sequence[str]) -> Iterator[list[str]]:
        # The service refuses an empty string, but not a space.
        sent = [text or " " for text in check_texts(texts)]
        for start in range(0, len(sent), self.batch_size):
            yield sent[start : start + self.batch_size]

    def _in_order(self, request: Sequence[str], response: Any) -> list[list[float]]:  # noqa: ANN401 - as `client`
        found = sorted(response.data, key=lambda item: item.index)
        if [item.index for item in found] != list(range(len(request))):
            message = (
                f"{self.model} gave {len(found)} vectors with indices "
                f"{[item.index for item in found][:8]} for {len(request)} texts; each text needs "
                "one. Check the service behind the client."
            )
            raise EmbeddingError(message)
        return [list(item.embedding) for item in found]
