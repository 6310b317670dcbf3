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
    from langchain_drift.drift_agents.middleware import (
        DriftMiddleware as DriftMiddleware,  # needs an extra, so not in `__all__`
    )
    from langchain_drift.embeddings.minilm import MiniLMEmbeddings
    from langchain_drift.errors import (
        BudgetError,
        DriftError,
        EmbedderChangedError,
        EmbeddingError,
        FrozenContextError,
        InvalidInputError,
        MissingExtraError,
        StoreError,
        SummaryError,
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
    from langchain_drift.session_nodes import (
        DriftState,
        aread_summaries,
        make_end_session_node,
        make_inject_node,
        make_score_node,
        make_should_end_session,
        read_summaries,
        route_drift,
        should_end_session,
    )
    from langchain_drift.sessions.context_manager import ContextManager
    from langchain_drift.sessions.managed import ManagedContext
    from langchain_drift.sessions.memory_store import SessionMemoryStore
    from langchain_drift.sessions.summary import SessionSummary
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
    from langchain_drift.tracking import DriftTurn

__all__ = [
    "Abstention",
    "ActionOutcome",
    "BudgetError",
    "CallableEmbeddingStrategy",
    "Cause",
    "ChatModelJudge",
    "ChunkRelevance",
    "ClientTurn",
    "Comparison",
    "CompositeStrategy",
    "ContextManager",
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
    "DriftState",
    "DriftTracker",
    "DriftTurn",
    "DriftVerdict",
    "EmbedderChangedError",
    "EmbeddingError",
    "Event",
    "FewShotExample",
    "FrozenContextError",
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
    "ManagedContext",
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
    "SessionMemoryStore",
    "SessionSummary",
    "SpanJudge",
    "StoreError",
    "Strategy",
    "SummaryError",
    "ThreadReport",
    "TokenOverlapStrategy",
    "TurnEvidence",
    "TurnRecord",
    "TurnResult",
    "__version__",
    "add_guard",
    "adetect",
    "aread_summaries",
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
    "make_end_session_node",
    "make_guard_node",
    "make_guard_route",
    "make_inject_node",
    "make_record_node",
    "make_retriever_drift_node",
    "make_retriever_drift_route",
    "make_score_node",
    "make_should_end_session",
    "plot_drift",
    "plot_grounding",
    "plot_mistakes",
    "read_summaries",
    "report_html",
    "review_payload",
    "route_drift",
    "route_guard",
    "score_table",
    "should_end_session",
    "thread_scope",
    "user_scope",
    "wrap",
]

_MODULES = {
    "Abstention": "conversation.result",
    "ActionOutcome": "guard_nodes",
    "BudgetError": "errors",
    "CallableEmbeddingStrategy": "conversation.embedding_strategies",
    "Cause": "conversation.result",
    "ChatModelJudge": "retrieval.chat_judge",
    "ChunkRelevance": "retrieval.report",
    "ClientTurn": "clients",
    "Comparison": "mistakes.compare",
    "CompositeStrategy": "conversation.composite",
    "ContextManager": "sessions.context_manager",
    "DriftCallbackHandler": "callbacks",
    "DriftClient": "clients",
    "DriftError": "errors",
    "DriftGuard": "mistakes.guard",
    "DriftGuardMetrics": "mistakes.metrics",
    "DriftGuardRuntime": "mistakes.runtime",
    "DriftGuardSettings": "mistakes.settings",
    "DriftMiddleware": "drift_agents.middleware",
    "DriftReport": "conversation.result",
    "DriftScore": "conversation.result",
    "DriftScorer": "conversation.scorer",
    "DriftSignals": "retrieval.report",
    "DriftState": "session_nodes",
    "DriftTracker": "tracker",
    "DriftTurn": "tracking",
    "DriftVerdict": "conversation.verdict",
    "EmbedderChangedError": "errors",
    "EmbeddingError": "errors",
    "Event": "mistakes.event",
    "FewShotExample": "conversation.turn",
    "FrozenContextError": "errors",
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
    "ManagedContext": "sessions.managed",
    "MemoryStore": "mistakes.stores.memory",
    "MiniLMEmbeddings": "embeddings.minilm",
    "MissingExtraError": "errors",
    "MistakeGuardMiddleware": "tool_guard.middleware",
    "MistakeRecorder": "tool_guard",
    "MistakeWarning": "mistakes.review",
    "OpenAIEmbeddingStrategy": "conversation.embedding_strategies",
    "PairJudge": "retrieval.model_judges",
    "PostgresStore": "mistakes.stores.postgres",
    "Place": "tool_guard",
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
    "SessionMemoryStore": "sessions.memory_store",
    "SessionSummary": "sessions.summary",
    "SpanJudge": "retrieval.model_judges",
    "StoreError": "errors",
    "Strategy": "conversation.strategy",
    "SummaryError": "errors",
    "ThreadReport": "callbacks",
    "TokenOverlapStrategy": "conversation.lexical",
    "TurnEvidence": "conversation.result",
    "TurnRecord": "callbacks",
    "TurnResult": "conversation.result",
    "add_guard": "guard_nodes",
    "adetect": "retrieval.detection",
    "aread_summaries": "session_nodes",
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
    "make_end_session_node": "session_nodes",
    "make_guard_node": "guard_nodes",
    "make_guard_route": "guard_nodes",
    "make_inject_node": "session_nodes",
    "make_record_node": "guard_nodes",
    "make_retriever_drift_node": "retrieval_nodes",
    "make_retriever_drift_route": "retrieval_nodes",
    "make_score_node": "session_nodes",
    "make_should_end_session": "session_nodes",
    "plot_drift": "reports.drift_plot",
    "plot_grounding": "reports.grounding_plot",
    "plot_mistakes": "reports.mistake_plot",
    "read_summaries": "session_nodes",
    "report_html": "reports.page",
    "review_payload": "mistakes.payload",
    "route_drift": "session_nodes",
    "route_guard": "guard_nodes",
    "score_table": "tables",
    "should_end_session": "session_nodes",
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
