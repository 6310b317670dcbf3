"""Pauses a guarded graph or agent in a checkpoint file, or resumes it, in a process of its own.

LANGGRAPH_STRICT_MSGPACK=true python -W error strict_checkpoints.py graph|agent pause|resume FILE
"""

import sys

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.serde.event_hooks import register_serde_event_listener
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command

from langchain_drift import (
    DriftGuard,
    DriftGuardSettings,
    GuardState,
    MemoryStore,
    MistakeGuardMiddleware,
    add_guard,
)

ASKED = {"name": "sql", "args": {"query": "SELECT total FROM orders"}}
CONFIG = {"configurable": {"thread_id": "1"}}


class FakeModel(GenericFakeChatModel):
    """Takes tools as a real model does."""

    def bind_tools(self, tools, **kwargs):
        return self


@tool
def sql(query: str) -> str:
    """Run a query."""
    return f"ran {query}"


def burnt():
    """Return a guard that knows the call if it is asked before the pause, and nothing after."""
    settings = DriftGuardSettings(storage_backend="memory")
    guard = DriftGuard(settings=settings, store=MemoryStore())
    if sys.argv[2] == "pause":
        for _ in range(2):
            guard.record(ASKED, "no such column: total")
    return guard


def make_graph(saver):
    """Return the graph and what it is given."""
    builder = StateGraph(GuardState)
    builder.add_node("execute", lambda state: {"guard_outcome": {"outcome": "ran"}})
    builder.add_edge(START, "execute")
    add_guard(builder, burnt(), before="execute", policy="acknowledge")
    return builder.compile(checkpointer=saver), {"candidate_action": ASKED}


def make_agent(saver):
    """Return the agent and what it is given."""
    asked = AIMessage("", tool_calls=[{**ASKED, "id": "call-1"}])
    replies = [asked] if sys.argv[2] == "pause" else []
    model = FakeModel(messages=iter([*replies, AIMessage("done")]))
    guard = MistakeGuardMiddleware(burnt(), policy="acknowledge")
    agent = create_agent(model, [sql], middleware=[guard], checkpointer=saver)
    return agent, {"messages": [("user", "q")]}


def main():
    """Pause or resume, and say what came of it; any event of the serializer is an error."""
    events = []
    register_serde_event_listener(events.append)
    make = make_graph if sys.argv[1] == "graph" else make_agent
    with SqliteSaver.from_conn_string(sys.argv[3]) as saver:
        graph, given = make(saver)
        reject = Command(resume={"type": "reject", "message": "not today"})
        state = graph.invoke(given if sys.argv[2] == "pause" else reject, CONFIG)
    if events:
        sys.exit(f"The serializer tells of {events}.")
    asked = [one.value["calls"][0]["warnings"][0]["risk"] for one in state.get("__interrupt__", ())]
    print(asked, state.get("guard_decision"), [m.text for m in state.get("messages", ())])  # noqa: T201 - read by the test


main()
