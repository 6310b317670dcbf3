"""Uses the API of sessions as a typed program would; checked by mypy, never run."""

from typing import Any, assert_type

from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.memory import InMemoryStore

from langchain_drift import (
    ContextManager,
    DriftMiddleware,
    DriftReport,
    DriftScorer,
    DriftState,
    DriftTracker,
    DriftTurn,
    ManagedContext,
    SessionMemoryStore,
    SessionSummary,
    make_end_session_node,
    make_inject_node,
    make_score_node,
    make_should_end_session,
    read_summaries,
    route_drift,
    should_end_session,
)


def count(messages: Any) -> int:
    """Count tokens."""
    return len(messages)


def track() -> None:
    """Keep sessions in a file."""
    tracker = DriftTracker(
        "You are a banking assistant.",
        persist=True,
        persist_path=".session_memory",
        max_summary_sessions=2,
        summarize_fn=FakeListChatModel(responses=["a"]),
        frozen=True,
        max_tokens=9000,
        token_counter=count,
    )
    assert_type(tracker.end_session(), DriftReport | None)
    assert_type(tracker.get_managed_context(), str)
    assert_type(tracker.get_managed_messages(), list[BaseMessage])
    assert_type(tracker.session_number, int)
    assert_type(tracker.is_frozen, bool)
    assert_type(tracker.context_manager, ContextManager)
    assert_type(tracker.context_manager.summaries, list[SessionSummary])
    assert_type(tracker.context_manager.manage(), ManagedContext)
    tracker.freeze_context()
    tracker.unfreeze_context()
    tracker.clear_history()


async def track_async() -> None:
    """End a session on an event loop."""
    tracker = DriftTracker("You are a banking assistant.", summarize_fn=str.upper)
    assert_type(await tracker.aend_session(), DriftReport | None)


def store() -> None:
    """Use the file and the store by themselves."""
    memory = SessionMemoryStore()
    assert_type(memory.exists(), bool)
    assert_type(memory.load()["session_count"], int)
    assert_type(memory.ensure_gitignore(), bool)
    assert_type(read_summaries(InMemoryStore(), ("a",)), list[SessionSummary])


class State(DriftState, total=False):
    """A state of a user."""

    topic: str


def graph() -> None:
    """Build a graph."""
    scorer = DriftScorer("You are a banking assistant.")
    builder = StateGraph(State)
    builder.add_node("inject", make_inject_node(scorer, max_tokens=9000, remind=True))
    builder.add_node("score", make_score_node(scorer))
    builder.add_node("end_session", make_end_session_node(str.upper, max_summaries=3))
    builder.add_edge(START, "inject")
    builder.add_edge("inject", "score")
    builder.add_conditional_edges("score", make_should_end_session(max_turns=20))
    builder.add_conditional_edges("score", should_end_session, {"end_session": "end_session"})
    builder.add_conditional_edges("score", route_drift, {"on_purpose": END})
    builder.compile(checkpointer=InMemorySaver())


def read(state: State) -> None:
    """Read a state."""
    assert_type(state["drift_turns"], list[DriftTurn])
    assert_type(state["drift_turns"][0]["score"], float)


def watch() -> None:
    """Watch an agent."""
    watching = DriftMiddleware(
        system_prompt="You are a banking assistant.",
        on_drift="re_ask",
        below=50,
        max_re_asks=2,
        end_session=make_should_end_session(max_turns=20),
        summarizer=FakeListChatModel(responses=["a"]),
        namespace=("drift", "u1"),
        max_tokens=9000,
        token_counter=count,
    )
    assert_type(watching.scorer, DriftScorer)
    create_agent(FakeListChatModel(responses=["a"]), [], middleware=[watching])
