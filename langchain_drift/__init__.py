"""Keep LLM conversations on purpose: drift scores with reasons for LangChain and LangGraph.

Names are loaded when they are first used, so importing the package loads no model runtime.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from langchain_drift._version import __version__

if TYPE_CHECKING:
    from langchain_drift.assertions import assert_no_retriever_drift
    from langchain_drift.callbacks import (
        DriftCallbackHandler,
        ThreadReport,
        TurnRecord,
        get_drift_callback,
    )
    from langchain_drift.clients import ClientTurn, DriftClient, wrap
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
        EmbedderChangedError,
        EmbeddingError,
        InvalidInputError,
        MissingExtraError,
        StoreError,
    )
    from langchain_drift.evaluator_functions import (
        create_async_retriever_drift_evaluator,
        create_async_retriever_faithfulness_evaluator,
        create_retriever_drift_evaluator,
        create_retriever_faithfulness_evaluator,
    )
    from langchain_drift.evaluators import RetrieverDriftEvaluator
    from langchain_drift.guard_nodes import (
        ActionOutcome,
        GuardRecord,
        GuardState,
        add_guard,
        make_acknowledge_node,
        make_guard_node,
        make_guard_route,
        make_record_node,
        route_guard,
    )
    from langchain_drift.langgraph_store import LangGraphStore
    from langchain_drift.mcp_server.server import (
        create_mcp_server as create_mcp_server,  # needs an extra, so not in `__all__`
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
    from langchain_drift.mistakes.stores.postgres import (
        PostgresStore as PostgresStore,  # needs an extra, so not in `__all__`
    )
    from langchain_drift.reports.drift_plot import plot_drift
    from langchain_drift.reports.grounding_plot import plot_grounding
    from langchain_drift.reports.mistake_plot import plot_mistakes
    from langchain_drift.reports.page import report_html
    from langchain_drift.retrieval.chat_judge import ChatModelJudge
    from langchain_drift.retrieval.detection import adetect, detect
    from langchain_drift.retrieval.detector import RagCase, RetrieverDriftDetector
    from langchain_drift.retrieval.judge import Judge, JudgeVerdict
    from langchain_drift.retrieval.model_judges import PairJudge, SpanJudge
    from langchain_drift.retrieval.published import detect_context_drift
    from langchain_drift.retrieval.report import (
        ChunkRelevance,
        DriftSignals,
        RetrieverDriftReport,
        SentenceSupport,
    )
    from langchain_drift.retrieval_nodes import (
        RetrieverDriftState,
        make_retriever_drift_node,
        make_retriever_drift_route,
    )
    from langchain_drift.retrieved_documents import RetrievedDocuments
    from langchain_drift.tables import score_table
    from langchain_drift.tool_guard import (
        MistakeRecorder,
        Place,
        guard_tool_call,
        thread_scope,
        user_scope,
    )
    from langchain_drift.tool_guard.middleware import (
        MistakeGuardMiddleware as MistakeGuardMiddleware,  # needs an extra, so not in `__all__`
    )
    from langchain_drift.tracker import DriftTracker

__all__ = [
    "Abstention",
    "ActionOutcome",
    "CallableEmbeddingStrategy",
    "Cause",
    "ChatModelJudge",
    "ChunkRelevance",
    "ClientTurn",
    "Comparison",
    "CompositeStrategy",
    "DriftCallbackHandler",
    "DriftClient",
    "DriftError",
    "DriftGuard",
    "DriftGuardMetrics",
    "DriftGuardRuntime",
    "DriftGuardSettings",
    "DriftReport",
    "DriftScore",
    "DriftScorer",
    "DriftSignals",
    "DriftTracker",
    "DriftVerdict",
    "EmbedderChangedError",
    "EmbeddingError",
    "Event",
    "FewShotExample",
    "GuardRecord",
    "GuardReview",
    "GuardState",
    "GuardrailAcknowledgementRequired",
    "GuardrailTriggered",
    "InvalidInputError",
    "Judge",
    "JudgeVerdict",
    "KeywordStrategy",
    "LangGraphStore",
    "MemoryStore",
    "MiniLMEmbeddings",
    "MissingExtraError",
    "MistakeRecorder",
    "MistakeWarning",
    "OpenAIEmbeddingStrategy",
    "PairJudge",
    "Place",
    "PublishedFormulaStrategy",
    "PurposeStrategy",
    "RagCase",
    "Reinforcement",
    "RetrievedDocuments",
    "RetrieverDriftDetector",
    "RetrieverDriftEvaluator",
    "RetrieverDriftReport",
    "RetrieverDriftState",
    "Scope",
    "SentenceSupport",
    "SentenceTransformerStrategy",
    "SpanJudge",
    "StoreError",
    "Strategy",
    "ThreadReport",
    "TokenOverlapStrategy",
    "TurnEvidence",
    "TurnRecord",
    "TurnResult",
    "__version__",
    "add_guard",
    "adetect",
    "assert_no_retriever_drift",
    "build_runtime",
    "compare_actions",
    "create_async_retriever_drift_evaluator",
    "create_async_retriever_faithfulness_evaluator",
    "create_retriever_drift_evaluator",
    "create_retriever_faithfulness_evaluator",
    "detect",
    "detect_context_drift",
    "explain_with",
    "get_drift_callback",
    "guard_step",
    "guard_tool_call",
    "make_acknowledge_node",
    "make_guard_node",
    "make_guard_route",
    "make_record_node",
    "make_retriever_drift_node",
    "make_retriever_drift_route",
    "plot_drift",
    "plot_grounding",
    "plot_mistakes",
    "report_html",
    "review_payload",
    "route_guard",
    "score_table",
    "thread_scope",
    "user_scope",
    "wrap",
]

_MODULES = {
    "Abstention": "conversation.result",
    "ActionOutcome": "guard_nodes",
    "CallableEmbeddingStrategy": "conversation.embedding_strategies",
    "Cause": "conversation.result",
    "ChatModelJudge": "retrieval.chat_judge",
    "ChunkRelevance": "retrieval.report",
    "ClientTurn": "clients",
    "Comparison": "mistakes.compare",
    "CompositeStrategy": "conversation.composite",
    "DriftCallbackHandler": "callbacks",
    "DriftClient": "clients",
    "DriftError": "errors",
    "DriftGuard": "mistakes.guard",
    "DriftGuardMetrics": "mistakes.metrics",
    "DriftGuardRuntime": "mistakes.runtime",
    "DriftGuardSettings": "mistakes.settings",
    "DriftReport": "conversation.result",
    "DriftScore": "conversation.result",
    "DriftScorer": "conversation.scorer",
    "DriftSignals": "retrieval.report",
    "DriftTracker": "tracker",
    "DriftVerdict": "conversation.verdict",
    "EmbedderChangedError": "errors",
    "EmbeddingError": "errors",
    "Event": "mistakes.event",
    "FewShotExample": "conversation.turn",
    "GuardRecord": "guard_nodes",
    "GuardReview": "mistakes.review",
    "GuardState": "guard_nodes",
    "GuardrailAcknowledgementRequired": "mistakes.exceptions",
    "GuardrailTriggered": "mistakes.exceptions",
    "InvalidInputError": "errors",
    "Judge": "retrieval.judge",
    "JudgeVerdict": "retrieval.judge",
    "KeywordStrategy": "conversation.lexical",
    "LangGraphStore": "langgraph_store",
    "MemoryStore": "mistakes.stores.memory",
    "MiniLMEmbeddings": "embeddings.minilm",
    "MissingExtraError": "errors",
    "MistakeGuardMiddleware": "tool_guard.middleware",
    "MistakeRecorder": "tool_guard",
    "MistakeWarning": "mistakes.review",
    "OpenAIEmbeddingStrategy": "conversation.embedding_strategies",
    "Place": "tool_guard",
    "PairJudge": "retrieval.model_judges",
    "PostgresStore": "mistakes.stores.postgres",
    "PublishedFormulaStrategy": "conversation.published",
    "PurposeStrategy": "conversation.purpose_strategy",
    "RagCase": "retrieval.detector",
    "Reinforcement": "mistakes.review",
    "RetrievedDocuments": "retrieved_documents",
    "RetrieverDriftDetector": "retrieval.detector",
    "RetrieverDriftEvaluator": "evaluators",
    "RetrieverDriftReport": "retrieval.report",
    "RetrieverDriftState": "retrieval_nodes",
    "Scope": "mistakes.scope",
    "SentenceSupport": "retrieval.report",
    "SentenceTransformerStrategy": "conversation.embedding_strategies",
    "SpanJudge": "retrieval.model_judges",
    "StoreError": "errors",
    "Strategy": "conversation.strategy",
    "ThreadReport": "callbacks",
    "TokenOverlapStrategy": "conversation.lexical",
    "TurnEvidence": "conversation.result",
    "TurnRecord": "callbacks",
    "TurnResult": "conversation.result",
    "add_guard": "guard_nodes",
    "adetect": "retrieval.detection",
    "assert_no_retriever_drift": "assertions",
    "build_runtime": "mistakes.runtime",
    "compare_actions": "mistakes.compare",
    "create_async_retriever_drift_evaluator": "evaluator_functions",
    "create_async_retriever_faithfulness_evaluator": "evaluator_functions",
    "create_mcp_server": "mcp_server.server",
    "create_retriever_drift_evaluator": "evaluator_functions",
    "create_retriever_faithfulness_evaluator": "evaluator_functions",
    "detect": "retrieval.detection",
    "detect_context_drift": "retrieval.published",
    "explain_with": "conversation.analyzed_explanation",
    "get_drift_callback": "callbacks",
    "guard_step": "mistakes.decorator",
    "guard_tool_call": "tool_guard",
    "make_acknowledge_node": "guard_nodes",
    "make_guard_node": "guard_nodes",
    "make_guard_route": "guard_nodes",
    "make_record_node": "guard_nodes",
    "make_retriever_drift_node": "retrieval_nodes",
    "make_retriever_drift_route": "retrieval_nodes",
    "plot_drift": "reports.drift_plot",
    "plot_grounding": "reports.grounding_plot",
    "plot_mistakes": "reports.mistake_plot",
    "report_html": "reports.page",
    "review_payload": "mistakes.payload",
    "route_guard": "guard_nodes",
    "score_table": "tables",
    "thread_scope": "tool_guard",
    "user_scope": "tool_guard",
    "wrap": "clients",
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
