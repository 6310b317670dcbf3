"""Keep LLM conversations on purpose: drift scores with reasons for LangChain and LangGraph.

Names are loaded when they are first used, so importing the package loads no model runtime.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from langchain_drift._version import __version__

if TYPE_CHECKING:
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
        EmbedderChangedError,
        EmbeddingError,
        InvalidInputError,
        MissingExtraError,
        StoreError,
    )
    from langchain_drift.mistakes.compare import Comparison, compare_actions
    from langchain_drift.mistakes.decorator import guard_step
    from langchain_drift.mistakes.event import Event
    from langchain_drift.mistakes.exceptions import (
        GuardrailAcknowledgementRequired,
        GuardrailTriggered,
    )
    from langchain_drift.mistakes.guard import DriftGuard
    from langchain_drift.mistakes.metrics import DriftGuardMetrics
    from langchain_drift.mistakes.payload import review_payload
    from langchain_drift.mistakes.review import GuardReview, MistakeWarning, Reinforcement
    from langchain_drift.mistakes.runtime import DriftGuardRuntime, build_runtime
    from langchain_drift.mistakes.scope import Scope
    from langchain_drift.mistakes.settings import DriftGuardSettings
    from langchain_drift.mistakes.stores.memory import MemoryStore
    from langchain_drift.tracker import DriftTracker

__all__ = [
    "Abstention",
    "CallableEmbeddingStrategy",
    "Cause",
    "Comparison",
    "CompositeStrategy",
    "DriftError",
    "DriftGuard",
    "DriftGuardMetrics",
    "DriftGuardRuntime",
    "DriftGuardSettings",
    "DriftReport",
    "DriftScore",
    "DriftScorer",
    "DriftTracker",
    "DriftVerdict",
    "EmbedderChangedError",
    "EmbeddingError",
    "Event",
    "FewShotExample",
    "GuardReview",
    "GuardrailAcknowledgementRequired",
    "GuardrailTriggered",
    "InvalidInputError",
    "KeywordStrategy",
    "MemoryStore",
    "MiniLMEmbeddings",
    "MissingExtraError",
    "MistakeWarning",
    "OpenAIEmbeddingStrategy",
    "PublishedFormulaStrategy",
    "PurposeStrategy",
    "Reinforcement",
    "Scope",
    "SentenceTransformerStrategy",
    "StoreError",
    "Strategy",
    "TokenOverlapStrategy",
    "TurnEvidence",
    "TurnResult",
    "__version__",
    "build_runtime",
    "compare_actions",
    "guard_step",
    "review_payload",
]

_MODULES = {
    "Abstention": "conversation.result",
    "CallableEmbeddingStrategy": "conversation.embedding_strategies",
    "Cause": "conversation.result",
    "Comparison": "mistakes.compare",
    "CompositeStrategy": "conversation.composite",
    "DriftError": "errors",
    "DriftGuard": "mistakes.guard",
    "DriftGuardMetrics": "mistakes.metrics",
    "DriftGuardRuntime": "mistakes.runtime",
    "DriftGuardSettings": "mistakes.settings",
    "DriftReport": "conversation.result",
    "DriftScore": "conversation.result",
    "DriftScorer": "conversation.scorer",
    "DriftTracker": "tracker",
    "DriftVerdict": "conversation.verdict",
    "EmbedderChangedError": "errors",
    "EmbeddingError": "errors",
    "Event": "mistakes.event",
    "FewShotExample": "conversation.turn",
    "GuardReview": "mistakes.review",
    "GuardrailAcknowledgementRequired": "mistakes.exceptions",
    "GuardrailTriggered": "mistakes.exceptions",
    "InvalidInputError": "errors",
    "KeywordStrategy": "conversation.lexical",
    "MemoryStore": "mistakes.stores.memory",
    "MiniLMEmbeddings": "embeddings.minilm",
    "MissingExtraError": "errors",
    "MistakeWarning": "mistakes.review",
    "OpenAIEmbeddingStrategy": "conversation.embedding_strategies",
    "PublishedFormulaStrategy": "conversation.published",
    "PurposeStrategy": "conversation.purpose_strategy",
    "Reinforcement": "mistakes.review",
    "Scope": "mistakes.scope",
    "SentenceTransformerStrategy": "conversation.embedding_strategies",
    "StoreError": "errors",
    "Strategy": "conversation.strategy",
    "TokenOverlapStrategy": "conversation.lexical",
    "TurnEvidence": "conversation.result",
    "TurnResult": "conversation.result",
    "build_runtime": "mistakes.runtime",
    "compare_actions": "mistakes.compare",
    "guard_step": "mistakes.decorator",
    "review_payload": "mistakes.payload",
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
