"""Embedders: the bundled MiniLM, any LangChain `Embeddings`, and whatever can be made one.

Names are loaded when they are first used, so importing this package loads no model runtime.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_drift.embeddings.adapter import as_embeddings
    from langchain_drift.embeddings.cache import CachedEmbeddings
    from langchain_drift.embeddings.default import default_embeddings
    from langchain_drift.embeddings.functions import CallableEmbeddings
    from langchain_drift.embeddings.minilm import MiniLMEmbeddings
    from langchain_drift.embeddings.openai_client import OpenAIClientEmbeddings
    from langchain_drift.embeddings.sentence_transformer import SentenceTransformerEmbeddings

__all__ = [
    "CachedEmbeddings",
    "CallableEmbeddings",
    "MiniLMEmbeddings",
    "OpenAIClientEmbeddings",
    "SentenceTransformerEmbeddings",
    "as_embeddings",
    "default_embeddings",
]

_MODULES = {
    "CachedEmbeddings": "cache",
    "CallableEmbeddings": "functions",
    "MiniLMEmbeddings": "minilm",
    "OpenAIClientEmbeddings": "openai_client",
    "SentenceTransformerEmbeddings": "sentence_transformer",
    "as_embeddings": "adapter",
    "default_embeddings": "default",
}


def __getattr__(name: str) -> object:
    """Load a public name at its first use."""
    if name not in _MODULES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
