"""Keep LLM conversations on purpose: drift scores with reasons for LangChain and LangGraph.

Names are loaded when they are first used, so importing the package loads no model runtime.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from langchain_drift._version import __version__

if TYPE_CHECKING:
    from langchain_drift.callbacks import (
        DriftCallbackHandler,
        ThreadReport,
        TurnRecord,
        get_drift_callback,
    )
    from langchain_drift.conversation.analyzed_explanation import explain_with
    from langchain_drift.conversation.composite import CompositeStrategy
    from langchain_drift.conversation.embedding_strategies import (
        CallableEmbeddingStrategy,
        OpenAIEmbeddingStrategy,
        SentenceTransformerStrategy,
    )
    from langchain_drift.conversation.lexical import KeywordStrategy, TokenOverlapStrategy
    from langchain_drift.conversation.published import PublishedFormulaStrategy
    from langchain_drift.conversation.purpose_strategy import PurposeStrategy
    from langchain_drift.conversation.result import (
        Abstention,
        Cause,
        DriftReport,
        DriftScore,
        TurnEvidence,
        TurnResult,
    )
    from langchain_drift.conversation.scorer import DriftScorer
    from langchain_drift.conversation.strategy import Strategy
    from langchain_drift.conversation.turn import FewShotExample
    from langchain_drift.conversation.verdict import DriftVerdict
    from langchain_drift.embeddings.minilm import MiniLMEmbeddings
    from langchain_drift.errors import (
        DriftError,
        EmbeddingError,
        InvalidInputError,
        MissingExtraError,
    )
    from langchain_drift.tracker import DriftTracker

__all__ = [
    "Abstention",
    "CallableEmbeddingStrategy",
    "Cause",
    "CompositeStrategy",
    "DriftCallbackHandler",
    "DriftError",
    "DriftReport",
    "DriftScore",
    "DriftScorer",
    "DriftTracker",
    "DriftVerdict",
    "EmbeddingError",
    "FewShotExample",
    "InvalidInputError",
    "KeywordStrategy",
    "MiniLMEmbeddings",
    "MissingExtraError",
    "OpenAIEmbeddingStrategy",
    "PublishedFormulaStrategy",
    "PurposeStrategy",
    "SentenceTransformerStrategy",
    "Strategy",
    "ThreadReport",
    "TokenOverlapStrategy",
    "TurnEvidence",
    "TurnRecord",
    "TurnResult",
    "__version__",
    "explain_with",
    "get_drift_callback",
]

_MODULES = {
    "Abstention": "conversation.result",
    "CallableEmbeddingStrategy": "conversation.embedding_strategies",
    "Cause": "conversation.result",
    "CompositeStrategy": "conversation.composite",
    "DriftCallbackHandler": "callbacks",
    "DriftError": "errors",
    "DriftReport": "conversation.result",
    "DriftScore": "conversation.result",
    "DriftScorer": "conversation.scorer",
    "DriftTracker": "tracker",
    "DriftVerdict": "conversation.verdict",
    "EmbeddingError": "errors",
    "FewShotExample": "conversation.turn",
    "InvalidInputError": "errors",
    "KeywordStrategy": "conversation.lexical",
    "MiniLMEmbeddings": "embeddings.minilm",
    "MissingExtraError": "errors",
    "OpenAIEmbeddingStrategy": "conversation.embedding_strategies",
    "PublishedFormulaStrategy": "conversation.published",
    "PurposeStrategy": "conversation.purpose_strategy",
    "SentenceTransformerStrategy": "conversation.embedding_strategies",
    "Strategy": "conversation.strategy",
    "ThreadReport": "callbacks",
    "TokenOverlapStrategy": "conversation.lexical",
    "TurnEvidence": "conversation.result",
    "TurnRecord": "callbacks",
    "TurnResult": "conversation.result",
    "explain_with": "conversation.analyzed_explanation",
    "get_drift_callback": "callbacks",
}


def __getattr__(name: str) -> object:
    """Load a public name at its first use."""
    if name not in _MODULES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    found = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
