"""Doors without a guard keep their memory in the store of the run, whatever store that is."""

import asyncio
from typing import TypedDict

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite.aio import AsyncSqliteStore

from langchain_drift import (
    DriftGuard,
    GuardState,
    InvalidInputError,
    LangGraphStore,
    Scope,
    StoreError,
    guard_tool_call,
    make_guard_node,
    make_record_node,
    user_scope,
)

TOTAL = "SELECT total FROM orders"


@tool
def sql(query: str) -> str:
    """Run a query."""
    message = f"no such column: total in {query}"
    raise ValueError(message)


class Run(TypedDict, total=False):
    user_id: str


class Messages(TypedDict):
    messages: list


def step(state):
    """Fail, as the last time."""
    return {"guard_outcome": {"failed": True, "feedback": "no such column: total"}}


def guarded(**compiled):
    """Return a graph that asks, acts and records, without a guard of its own."""
    builder = StateGraph(GuardState, context_schema=Run)
    builder.add_node("guard", make_guard_node(scope=user_scope))
    builder.add_node("act", step)
    builder.add_node("record", make_record_node(scope=user_scope))
    builder.add_edge(START, "guard")
    builder.add_edge("guard", "act")
    builder.add_edge("act", "record")
    builder.add_edge("record", END)
    return builder.compile(**compiled)


def warnings(state):
    return [warning["frequency"] for warning in state["guard_review"]["warnings"]]


def test_nodes_without_a_guard_use_the_store_of_the_graph(manner):
    """What failed in one run is warned of in the next, for the same user only."""
    graph = guarded(store=InMemoryStore())
    asked = {"candidate_action": TOTAL}
    seen = [
        warnings(manner.invoke(graph, asked, context={"user_id": user}))
        for user in ("a", "a", "a.b", "a", "%")
    ]
    assert seen == [[], [1], [], [2], []]


def test_two_graphs_share_the_store_of_a_platform(manner):
    """The memory belongs to the store and not to the graph."""
    store = InMemoryStore()
    context = {"user_id": "a"}
    manner.invoke(guarded(store=store), {"candidate_action": TOTAL}, context=context)
    again = manner.invoke(guarded(store=store), {"candidate_action": TOTAL}, context=context)
    assert warnings(again) == [1]
    guard = DriftGuard(store=LangGraphStore(store))
    assert [e.action for e in guard.events(scope=Scope(user="a"))] == [TOTAL] * 2
    assert guard.events() == []


def test_an_agent_without_a_guard_uses_its_store(agents, kit, manner):
    """`MistakeGuardMiddleware()` works on a store that was injected."""
    store = InMemoryStore()
    told = []
    for _ in range(2):
        errors = agents.middleware.ToolErrorMiddleware(lambda error, request: str(error))
        middleware = agents.MistakeGuardMiddleware()
        agent = agents.create_agent(
            kit.FakeModel(kit.calls(TOTAL), "done"),
            [sql],
            middleware=[middleware, errors],
            store=store,
        )
        state = manner.invoke(agent, {"messages": [("user", "q")]})
        assert middleware.errors == {}
        told.append(next(m.text for m in state["messages"] if isinstance(m, ToolMessage)))
    assert "past_records" not in told[0]
    assert "past_records" in told[1]


async def test_an_async_store_is_never_called_on_its_own_loop(tmp_path, kit):
    """Nodes, and the wrapper of a ToolNode, work on a store that has a loop."""
    async with AsyncSqliteStore.from_conn_string(str(tmp_path / "store")) as store:
        await store.setup()
        graph = guarded(store=store)
        runs = [
            await graph.ainvoke({"candidate_action": TOTAL}, context={"user_id": "a"})
            for _ in range(3)
        ]
        assert [warnings(run) for run in runs] == [[], [1], [2]]
        wrapper = guard_tool_call()
        tools = ToolNode(
            [sql],
            handle_tool_errors=True,
            wrap_tool_call=wrapper,
            awrap_tool_call=wrapper.acall,
        )
        builder = StateGraph(Messages).add_node("tools", tools)
        graph = builder.add_edge(START, "tools").compile(store=store)
        for _ in range(2):
            ran = await graph.ainvoke({"messages": [kit.calls(TOTAL)]})
        assert "past_records" in ran["messages"][-1].text
        assert wrapper.errors == {}
        guard = DriftGuard(store=LangGraphStore(store))
        with pytest.raises(StoreError, match="AsyncSqliteStore cannot be used"):
            guard.before_step(TOTAL)
        assert await asyncio.to_thread(guard.before_step, TOTAL)


def test_without_a_store_either_a_door_says_what_to_pass():
    """No guard and no store is an error that names both."""
    with pytest.raises(InvalidInputError, match="compile the graph with a store"):
        guarded().invoke({"candidate_action": TOTAL}, context={"user_id": "a"})


def test_a_guard_in_the_context_wins(guard):
    """A guard that the run names is asked, and not the store."""
    builder = StateGraph(GuardState)
    builder.add_node("guard", make_guard_node())
    builder.add_edge(START, "guard")
    guard.record(TOTAL, "no such column: total")
    graph = builder.compile(store=InMemoryStore())
    state = graph.invoke({"candidate_action": TOTAL}, context={"guard": guard})
    assert warnings(state) == [1]


@pytest.mark.parametrize("namespace", [("langgraph",), ("a.b",), ("",), (), (1,), None])
def test_a_namespace_that_stores_refuse_is_refused(namespace):
    """It is told when the store is made."""
    with pytest.raises(InvalidInputError, match="namespace is"):
        LangGraphStore(InMemoryStore(), namespace=namespace)


def test_something_else_is_no_store():
    """A path, for example, is refused."""
    with pytest.raises(InvalidInputError, match="must be a BaseStore"):
        LangGraphStore("memory.sqlite3")
