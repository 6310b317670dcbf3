"""On an event loop a guard never blocks it, and takes none of its few threads."""

import asyncio
import time

import pytest
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from langchain_drift import (
    DriftGuard,
    DriftGuardSettings,
    GuardState,
    MemoryStore,
    guard_tool_call,
    make_guard_node,
    make_record_node,
)

SECONDS = 0.25


class Blocking(MemoryStore):
    """A store that blocks whoever reads or writes it."""

    def changes(self, scope, since=None):
        time.sleep(SECONDS)
        return super().changes(scope, since)

    def append(self, records, fingerprint):
        time.sleep(SECONDS)
        return super().append(records, fingerprint)


def blocking():
    """Return a guard on such a store."""
    return DriftGuard(settings=DriftGuardSettings(storage_backend="memory"), store=Blocking())


def opened(place):
    """Return a guard as a function does that opens a file first."""
    time.sleep(SECONDS)
    return blocking()


@tool
def sql(query: str) -> str:
    """Run a query."""
    return "42"


def ticks(work):
    """Run something on a loop; return how long it took and the longest wait of the loop."""
    gaps = []

    async def tick():
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0.005)
            gaps.append(time.perf_counter() - start)

    async def main():
        ticking = asyncio.create_task(tick())
        await asyncio.sleep(0)
        start = time.perf_counter()
        await work()
        taken = time.perf_counter() - start
        ticking.cancel()
        return taken

    return asyncio.run(main()), max(gaps)


def tool_graph(guard, **options):
    """Return a graph of one guarded tool node."""
    wrapper = guard_tool_call(guard, successes="all", **options)
    node = ToolNode([sql], wrap_tool_call=wrapper, awrap_tool_call=wrapper.acall)
    return StateGraph(MessagesState).add_node("tools", node).add_edge(START, "tools").compile()


@pytest.mark.parametrize("guard", [blocking, lambda: opened], ids=["a guard", "a function"])
@pytest.mark.parametrize("timeout", [5.0, None])
def test_a_blocking_store_does_not_block_tool_calls(kit, guard, timeout):
    """Asked and told beside the loop, with and without a time limit."""
    graph = tool_graph(guard(), timeout=timeout)
    taken, gap = ticks(lambda: graph.ainvoke({"messages": [kit.calls("SELECT 1")]}))
    assert taken > 2 * SECONDS
    assert gap < SECONDS


@pytest.mark.parametrize("guard", [blocking, lambda: opened], ids=["a guard", "a function"])
def test_a_blocking_store_does_not_block_nodes(guard):
    """The guard node and the record node keep off the loop as well."""
    made = guard()
    builder = StateGraph(GuardState)
    builder.add_node("guard", make_guard_node(made))
    builder.add_node("execute", lambda state: {"guard_outcome": {"failed": False}})
    builder.add_node("record", make_record_node(made))
    builder.add_edge(START, "guard")
    builder.add_edge("guard", "execute")
    builder.add_edge("execute", "record")
    graph = builder.compile()
    taken, gap = ticks(lambda: graph.ainvoke({"candidate_action": "clear out the temp folder"}))
    assert taken > 2 * SECONDS
    assert gap < SECONDS


def test_a_blocking_store_does_not_block_an_agent(agents, kit):
    """Neither does what the middleware asks after the model, under `acknowledge`."""
    middleware = agents.MistakeGuardMiddleware(opened, policy="acknowledge", successes="all")
    model = kit.FakeModel(kit.calls("SELECT 1"), "done")
    agent = agents.create_agent(model, [sql], middleware=[middleware])
    taken, gap = ticks(lambda: agent.ainvoke({"messages": [("user", "q")]}))
    assert taken > 4 * SECONDS
    assert gap < SECONDS
    assert middleware.errors == {}


def test_a_store_that_hangs_takes_no_thread_of_the_pool(kit):
    """Twenty calls whose memory hangs leave the loop's pool to others, and none is lost."""
    graph = tool_graph(blocking(), timeout=0.05)
    queries = [f"SELECT {number}" for number in range(20)]

    async def work():
        running = asyncio.create_task(graph.ainvoke({"messages": [kit.calls(*queries)]}))
        await asyncio.sleep(0.02)
        start = time.perf_counter()
        await asyncio.to_thread(int)
        waited = time.perf_counter() - start
        state = await running
        assert [text for _, _, text in kit.results(state)] == ["42"] * 20
        assert waited < SECONDS / 2

    taken, _ = ticks(work)
    assert taken < 10 * SECONDS
