"""The adapter: whatever can embed, made a LangChain `Embeddings`."""

from langchain_core.embeddings import Embeddings

from langchain_drift.embeddings.functions import CallableEmbeddings
from langchain_drift.embeddings.openai_client import OpenAIClientEmbeddings
from langchain_drift.embeddings.sentence_transformer import SentenceTransformerEmbeddings
from langchain_drift.errors import InvalidInputError


def as_embeddings(embedder: object) -> Embeddings:
    """Return an `Embeddings` for anything that can embed.

    Args:
        embedder: A LangChain `Embeddings` (returned as it is), an OpenAI client, a
            SentenceTransformer or another object with `encode`, or a function from one text to
            one vector.

    Raises:
        InvalidInputError: If it is none of these.
    """
    if isinstance(embedder, Embeddings):
        return embedder
    if not isinstance(embedder, str | bytes | type):
        if hasattr(getattr(embedder, "embeddings", None), "create"):
            return OpenAIClientEmbeddings(embedder)
        if callable(getattr(embedder, "encode", None)):
            return SentenceTransformerEmbeddings(embedder)
        if callable(embedder):
            return CallableEmbeddings(embedder)
    message = (
        f"{embedder!r:.80} cannot embed. Pass a LangChain `Embeddings` object, an OpenAI client, "
        "a SentenceTransformer, or a function from one text to one vector."
    )
    raise InvalidInputError(message)
