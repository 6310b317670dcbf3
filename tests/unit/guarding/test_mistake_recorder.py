"""The callback that records what tools come to, without middleware."""

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import RetryPolicy

from langchain_drift import DriftGuard, MistakeRecorder


@tool
def sql(query: str) -> str:
    """Run a query."""
    if "total" in query:
        message = "no such column: total"
        raise ValueError(message)
    return "secret 42"


def events(guard):
    return [(event.kind, event.action, event.feedback) for event in guard.events()]


def test_tools_of_a_chain_are_recorded(guard, manner):
    """A tool that raises inside a chain is a mistake, one that answers a success."""
    chain = RunnableLambda(lambda query: {"query": query}) | sql
    recorder = MistakeRecorder(guard)
    config = {"callbacks": [recorder]}
    manner.invoke(chain, "SELECT 1", config)
    with pytest.raises(ValueError, match="no such column"):
        manner.invoke(chain, "SELECT total FROM orders", config)
    assert events(guard) == [
        ("success", 'sql {"query": "SELECT 1"}', ""),
        (
            "mistake",
            'sql {"query": "SELECT total FROM orders"}',
            "ValueError: no such column: total",
        ),
    ]
    assert recorder.errors == {}
    assert recorder._open == {}


def graph_of(**options):
    node = ToolNode([sql], handle_tool_errors=options.pop("handle_tool_errors", True))
    return StateGraph(MessagesState).add_node("tools", node, **options).add_edge(START, "tools")


def test_tools_of_a_graph_are_recorded_in_their_scope(guard, manner, kit):
    """Calls of a `ToolNode` are told with thread and scope."""
    config = {
        "callbacks": [MistakeRecorder(guard, scope="staging", successes=False)],
        "configurable": {"thread_id": "7"},
    }
    asked = kit.calls("SELECT total FROM orders", "SELECT 1")
    manner.invoke(graph_of().compile(), {"messages": [HumanMessage("q"), asked]}, config)
    (event,) = guard.events(scope="staging")
    assert (event.kind, event.source) == ("mistake", "7")
    assert guard.events() == []


def test_a_retried_node_records_a_call_once(guard, manner, kit):
    """A node that is tried three times tells each failing call once."""
    retry = RetryPolicy(initial_interval=0.001, jitter=False, retry_on=ValueError)
    graph = graph_of(handle_tool_errors=False, retry_policy=retry).compile()
    asked = kit.calls("SELECT total FROM orders")
    with pytest.raises(ValueError, match="no such column"):
        manner.invoke(graph, {"messages": [asked]}, {"callbacks": [MistakeRecorder(guard)]})
    assert len(guard.events()) == 1


def test_a_memory_that_fails_costs_no_answer(guard, manner, monkeypatch, caplog):
    """Errors are counted and logged once; the tool's answer stands."""

    def fail(*args, **kwargs):
        message = "the disk is full"
        raise OSError(message)

    monkeypatch.setattr(DriftGuard, "record_success", fail)
    recorder = MistakeRecorder(guard)
    for _ in range(2):
        assert manner.invoke(sql, {"query": "SELECT 1"}, {"callbacks": [recorder]}) == "secret 42"
    assert recorder.errors == {"recording: OSError": 2}
    assert caplog.text.count("could not be recorded") == 1
