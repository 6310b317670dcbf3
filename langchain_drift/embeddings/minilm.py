"""The bundled English embedder, all-MiniLM-L6-v2, run by onnxruntime without torch."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from langchain_drift.counts import check_count
from langchain_drift.embeddings.checks import check_texts
from langchain_drift.embeddings.details import TextVectors
from langchain_drift.embeddings.engine import DIMENSIONS, shared_engine
from langchain_drift.embeddings.weights import SHA256


class MiniLMEmbeddings(Embeddings):
    """Sentence and token vectors of the all-MiniLM-L6-v2 that comes with this package.

    Nothing is downloaded, and torch is not needed. The model is loaded at the first use and shared
    by all instances of a process with the same `threads`; instances are safe to share between
    threads, to fork, to copy and to pickle. The first 256 tokens of a text count. A text gets
    the same vector alone and in a batch up to float32 rounding (about 1e-6).

    Args:
        threads: Processor threads that one call may use, at least 1.
        batch_size: Most texts that run through the model at once, at least 1.

    Raises:
        InvalidInputError: If a parameter is not a whole number of at least 1.
    """

    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    """ISO 639-1 codes of the languages whose meaning the model can judge."""

    fingerprint: ClassVar[str] = f"minilm-l6-v2-int8:{SHA256['model.onnx'][:12]}"
    """Identity of the model; vectors of one fingerprint can be compared."""

    def __init__(self, *, threads: int = 1, batch_size: int = 32) -> None:
        self.threads = check_count("threads", threads)
        self.batch_size = check_count("batch_size", batch_size)

    def embed_array(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts without a detour over Python lists.

        Args:
            texts: Any number of texts; an empty text is a text.

        Returns:
            Vectors `[len(texts), 384]` of length 1, in the order of the texts.

        Raises:
            InvalidInputError: If a text is not a string.
            EmbeddingError: If a bundled file is missing or damaged.
        """
        checked = check_texts(texts)
        vectors = np.empty((len(checked), DIMENSIONS), dtype=np.float32)
        for group, states, mask in shared_engine(self.threads).run(checked, self.batch_size):
            # The sum points where the mean does, and only the direction is kept.
            vectors[group] = (mask[:, None, :] @ states)[:, 0]
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def embed_tokens(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Embed every token of each text in its context.

        Args:
            texts: Any number of texts.

        Returns:
            For each text its token vectors `[tokens, 384]` of length 1 without the special tokens
            at both ends; `tokens` is 0 for an empty text and at most 254.

        Raises:
            InvalidInputError: If a text is not a string.
            EmbeddingError: If a bundled file is missing or damaged.
        """
        checked = check_texts(texts)
        found: dict[int, NDArray[np.float32]] = {}
        for group, states, mask in shared_engine(self.threads).run(checked, self.batch_size):
            lengths = mask.sum(axis=1).astype(int)
            for index, rows, length in zip(group, states, lengths, strict=True):
                kept = rows[1 : length - 1]
                found[index] = kept / np.linalg.norm(kept, axis=1, keepdims=True)
        return [found[index] for index in range(len(checked))]

    def embed_details(self, texts: Sequence[str]) -> list[TextVectors]:
        """Embed each text and every token of it in one run of the model.

        Args:
            texts: Any number of texts.

        Returns:
            The vectors of each text, as `embed_array` and `embed_tokens` give them.

        Raises:
            InvalidInputError: If a text is not a string.
            EmbeddingError: If a bundled file is missing or damaged.
        """
        checked, engine = check_texts(texts), shared_engine(self.threads)
        found: dict[int, TextVectors] = {}
        for group, states, mask in engine.run(checked, self.batch_size):
            lengths = mask.sum(axis=1).astype(int)
            for index, rows, length in zip(group, states, lengths, strict=True):
                whole, kept = rows[:length].sum(axis=0), rows[1 : length - 1]
                found[index] = TextVectors(
                    whole / np.linalg.norm(whole),
                    kept / np.linalg.norm(kept, axis=1, keepdims=True),
                    tuple(engine.token_spans(checked[index])),
                )
        return [found[index] for index in range(len(checked))]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts as LangChain asks for it; see `embed_array`."""
        vectors: list[list[float]] = self.embed_array(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Embed one text as LangChain asks for it; queries and documents are embedded alike."""
        return self.embed_documents([text])[0]

    async def aembed_array(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts in a thread, without blocking the event loop; see `embed_array`."""
        return await asyncio.to_thread(self.embed_array, texts)

    async def aembed_tokens(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Embed tokens in a thread, without blocking the event loop; see `embed_tokens`."""
        return await asyncio.to_thread(self.embed_tokens, texts)

    async def aembed_details(self, texts: Sequence[str]) -> list[TextVectors]:
        """Embed texts and tokens in a thread; see `embed_details`."""
        return await asyncio.to_thread(self.embed_details, texts)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts in a thread, without blocking the event loop; see `embed_array`."""
        return await asyncio.to_thread(self.embed_documents, texts)

    async def aembed_query(self, text: str) -> list[float]:
        """Embed one text in a thread, without blocking the event loop."""
        return await asyncio.to_thread(self.embed_query, text)
