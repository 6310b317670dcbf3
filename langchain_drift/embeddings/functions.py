"""An embedder made of a function."""

import asyncio
import inspect
from collections.abc import Callable, Sequence

from langchain_core.embeddings import Embeddings

from langchain_drift.embeddings.checks import check_texts
from langchain_drift.errors import InvalidInputError


class CallableEmbeddings(Embeddings):
    """Embeds with a function from one text to one vector.

    Args:
        embed_fn: Takes a text, returns its vector as a sequence of numbers. Not a coroutine
            function; the async methods call it in a thread.
        name: What identifies the function across processes, for example `my-model-v2`; stored
            vectors are then compared with those of any function of the same name. Without a name
            the function is known by the vector it gives for a fixed sentence.

    Raises:
        InvalidInputError: If `embed_fn` cannot be called, or is a coroutine function.
    """

    def __init__(self, embed_fn: Callable[[str], Sequence[float]], name: str | None = None) -> None:
        if not callable(embed_fn) or inspect.iscoroutinefunction(embed_fn):
            message = (
                f"`embed_fn` is {embed_fn!r:.80}; pass a plain function from one text to one "
                "vector, or an `Embeddings` with async methods of its own."
            )
            raise InvalidInputError(message)
        self.embed_fn = embed_fn
        self.name = name

    @property
    def fingerprint(self) -> str | None:
        """Identity of the function if it was named."""
        return f"callable:{self.name}" if self.name else None

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts one after the other."""
        return [[float(x) for x in self.embed_fn(text)] for text in check_texts(texts)]

    def embed_query(self, text: str) -> list[float]:
        """Embed one text."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts one after the other in a thread, without blocking the event loop."""
        return await asyncio.to_thread(self.embed_documents, texts)

    async def aembed_query(self, text: str) -> list[float]:
        """Embed one text in a thread, without blocking the event loop."""
        return await asyncio.to_thread(self.embed_query, text)
