"""Whatever goes wrong around a call, what its tool gave reaches the model as it is."""

import asyncio
import threading
import time
from typing import Annotated, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode

from langchain_drift import DriftGuard, DriftGuardSettings, MemoryStore, guard_tool_call


class Hanging(MemoryStore):
    """Does not answer until it is released."""

    def __init__(self):
        super().__init__()
        self.release = threading.Event()

    def changes(self, scope, since=None):
        self.release.wait(10)
        return super().changes(scope, since)


def hanging():
    """Return a guard whose store hangs."""
    return DriftGuard(settings=DriftGuardSettings(storage_backend="memory"), store=Hanging())


def join_guards():
    """Wait for the threads of guards."""
    for thread in threading.enumerate():
        if thread.name == "langchain-drift-guard":
            thread.join(5)


@tool
def sql(query: str) -> str:
    """Run a query."""
    if "boom" in query:
        message = "no such table: boom"
        raise ValueError(message)
    return "42"


def make_graph(wrapper, *tools, schema=MessagesState):
    """Return a graph of one guarded tool node."""
    node = ToolNode(
        tools or [sql],
        wrap_tool_call=wrapper,
        awrap_tool_call=wrapper.acall,
        handle_tool_errors=True,
    )
    return StateGraph(schema).add_node("tools", node).add_edge(START, "tools").compile()


def run(manner, wrapper, *messages, tools=()):
    """Run the calls of the last message and return the state."""
    graph = make_graph(wrapper, *tools)
    return manner.invoke(graph, {"messages": [HumanMessage("q"), *messages]})


def test_a_call_too_long_for_the_memory_still_runs(guard, manner, kit):
    """Neither a huge call nor one after it is lost; what could not be compared is counted."""
    wrapper = guard_tool_call(guard)
    before = run(manner, wrapper, kit.calls("boom" + "x" * 1_100_000))["messages"][1:]
    state = run(manner, wrapper, *before, kit.calls("SELECT 1", "y " * 600_000, start=2))
    assert [(status, text) for _, status, text in kit.results(state)][1:] == [("success", "42")] * 2
    assert wrapper.errors["telling: InvalidInputError"] > 0


@pytest.mark.parametrize(
    "value", [{"k": {1, 2}}, b"\xff", float("nan"), "\ud800", {(1, 2): 3}, None, [[]], 10**400]
)
def test_arguments_that_are_no_json_are_taken(guard, manner, value):
    """Whatever stands in a call, its tool runs and its result stays what it is."""

    @tool
    def take(value: object) -> str:
        """Take anything."""
        return "taken"

    asked = AIMessage("", tool_calls=[{"name": "take", "args": {"value": value}, "id": "1"}])
    state = run(manner, guard_tool_call(guard, successes="all"), asked, tools=[take])
    assert state["messages"][-1].text == "taken"


def test_a_function_of_the_user_that_fails_costs_no_answer(guard, manner, kit):
    """`failed` may raise: the result stands, and the error is counted."""

    def failed(message):
        raise KeyError(message.name)

    wrapper = guard_tool_call(guard, failed=failed)
    first = run(manner, wrapper, kit.calls("SELECT 1"))["messages"][1:]
    state = run(manner, wrapper, *first, kit.calls("SELECT 2", start=2))
    assert [text for _, _, text in kit.results(state)] == ["42", "42"]
    assert wrapper.errors == {"reading the result: KeyError": 2, "looking back: KeyError": 1}


@pytest.mark.parametrize(
    ("on_error", "status"), [("fail_open", "success"), ("fail_closed", "error")]
)
def test_a_run_without_a_guard_fails_as_chosen(manner, kit, on_error, status):
    """A function that finds no guard is an error of the memory like any other."""

    def nobody(place):
        raise LookupError(place.thread_id)

    wrapper = guard_tool_call(nobody, on_error=on_error)
    ((_, found, _),) = kit.results(run(manner, wrapper, kit.calls("SELECT 1")))
    assert found == status
    assert wrapper.errors["asking: LookupError"] == 1


def test_a_memory_that_cannot_be_told_in_time_is_left(make_guard, manner, kit, monkeypatch):
    """The time limit holds for telling too: the result of a tool does not wait for a store."""
    guard, release = make_guard(), threading.Event()
    monkeypatch.setattr(guard.runtime.store, "append", lambda *_: release.wait(10))
    wrapper = guard_tool_call(guard, successes="all", timeout=0.05)
    start = time.perf_counter()
    ((_, status, _),) = kit.results(run(manner, wrapper, kit.calls("SELECT 1")))
    assert status == "success"
    assert time.perf_counter() - start < 5
    assert wrapper.errors == {"telling: TimeoutError": 1}
    release.set()


def test_what_a_busy_memory_was_told_is_kept_when_it_answers(manner, kit):
    """A failure is not forgotten because the memory was late to be asked about the call."""
    guard = hanging()
    wrapper = guard_tool_call(guard, timeout=0.05)
    ((_, _, text),) = kit.results(run(manner, wrapper, kit.calls("boom")))
    assert "no such table" in text
    assert wrapper.errors == {"asking: TimeoutError": 1, "telling: TimeoutError": 1}
    guard.runtime.store.release.set()
    join_guards()
    assert [event.feedback for event in guard.events()] == ["ValueError: no such table: boom"]


def test_a_tenant_whose_memory_hangs_holds_up_no_other(make_guard, manner, kit):
    """With `fail_closed`, only the tenant whose memory does not answer is refused."""
    guards = {"slow": hanging(), "quick": make_guard()}
    wrapper = guard_tool_call(
        lambda place: guards[place.configurable["tenant"]], on_error="fail_closed", timeout=0.05
    )
    graph = make_graph(wrapper)
    for tenant, expected in (("slow", "error"), ("quick", "success"), ("slow", "error")):
        config = {"configurable": {"tenant": tenant}}
        state = manner.invoke(graph, {"messages": [kit.calls("SELECT 1")]}, config)
        ((_, status, _),) = kit.results(state)
        assert status == expected
    guards["slow"].runtime.store.release.set()


def test_messages_without_ids_are_told_apart(guard, manner, kit):
    """Two runs whose messages have no ids, and whose calls have the same, are two observations."""

    class Plain(TypedDict):
        messages: list

    graph = make_graph(guard_tool_call(guard), schema=Plain)
    for query in ("boom one", "boom one", "boom two three"):
        manner.invoke(graph, {"messages": [kit.calls(query)]})
    assert len(guard.events()) == 3


def test_content_and_artifact_stay(guard, manner):
    """A note stands behind text and behind content blocks, and an artifact is left alone."""

    @tool(response_format="content_and_artifact")
    def rows(query: str, state: Annotated[dict, InjectedState]) -> tuple[str, dict]:
        """Return rows."""
        return "two rows", {"rows": [1, 2], "messages": len(state["messages"])}

    @tool
    def blocks(query: str) -> list:
        """Return blocks."""
        return [{"type": "text", "text": "two rows"}]

    asked = []
    for number, name in enumerate(("rows", "blocks")):
        action = {"name": name, "args": {"query": "SELECT 1"}}
        guard.record(action, "it was slow")
        asked.append({**action, "id": str(number)})
    message = AIMessage("", tool_calls=asked)
    state = run(manner, guard_tool_call(guard), message, tools=[rows, blocks])
    first, second = state["messages"][-2:]
    assert first.content.startswith("two rows\n\n[mistake guard]")
    assert first.artifact == {"rows": [1, 2], "messages": 2}
    assert second.content[0] == {"type": "text", "text": "two rows"}
    assert "it was slow" in second.content[1]["text"]
    # What the graph injects is no part of the call.
    assert {event.action for event in guard.events()} == {
        'rows {"query": "SELECT 1"}',
        'blocks {"query": "SELECT 1"}',
    }


def test_a_cancelled_call_is_no_failure(guard, kit):
    """A task that is cancelled while its tool runs is told as nothing, and stays cancelled."""
    began = asyncio.Event()

    @tool
    async def sql(query: str) -> str:
        """Run a query."""
        began.set()
        await asyncio.sleep(60)
        return "42"

    wrapper = guard_tool_call(guard, successes="all")
    graph = make_graph(wrapper, sql)

    async def main():
        running = asyncio.create_task(graph.ainvoke({"messages": [kit.calls("SELECT 1")]}))
        await began.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    assert guard.events() == []
    assert wrapper.errors == {}


def test_a_call_cancelled_while_it_is_reviewed_leaves_no_trace(kit, caplog):
    """The review goes on in its thread and is let go, also when the loop is closed by then."""
    guard = hanging()
    graph = make_graph(guard_tool_call(guard))

    async def main():
        running = asyncio.create_task(graph.ainvoke({"messages": [kit.calls("SELECT 1")]}))
        await asyncio.sleep(0.1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    guard.runtime.store.release.set()
    join_guards()
    assert caplog.records == []
