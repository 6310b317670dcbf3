"""`guard_tool_call` around the calls of a `ToolNode`."""

import asyncio
import time
from typing import Annotated

import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt

from langchain_drift import DriftGuard, InvalidInputError, MemoryStore, guard_tool_call
from langchain_drift.mistakes.settings import DriftGuardSettings


@tool
def sql(query: str) -> str:
    """Run a query."""
    if "total" in query:
        message = "no such column: total"
        raise ValueError(message)
    return "42"


def make_graph(wrapper, tools=(sql,), **options):
    """Return a graph of one guarded tool node."""
    options.setdefault("handle_tool_errors", True)
    node = ToolNode(tools, wrap_tool_call=wrapper, awrap_tool_call=wrapper.acall, **options)
    return StateGraph(MessagesState).add_node("tools", node).add_edge(START, "tools").compile()


def run(manner, wrapper, *messages, **options):
    """Run the calls of the last message and return the state."""
    graph = make_graph(wrapper, **options)
    return manner.invoke(graph, {"messages": [HumanMessage("q"), *messages]})


def test_a_warning_stands_on_the_result_of_the_call(burnt, manner, kit):
    """Under `warn` the call runs, and the model reads with its result what failed before."""
    wrapper = guard_tool_call(burnt)
    (one, other) = kit.results(
        run(manner, wrapper, kit.calls("SELECT 1 AS total", "SELECT name FROM users"))
    )
    assert one[1] == "error"
    assert other == ("call-2", "success", "42")
    assert wrapper.errors == {}


def test_a_warned_call_that_works_keeps_its_result(burnt, manner, kit):
    """The note follows the result and is delimited as data."""
    burnt.record(kit.sql("SELECT name FROM users"), "it was slow for hours")
    ((_, status, text),) = kit.results(
        run(manner, guard_tool_call(burnt), kit.calls("SELECT name FROM users"))
    )
    assert status == "success"
    assert text.startswith("42\n\n[mistake guard] Calls like this one failed before:")
    assert "it was slow for hours" in text
    assert text.endswith("</past_records>")


def test_a_blocked_call_does_not_run(burnt, manner, kit):
    """Under `block` the call is answered with an error that says what failed and what worked."""
    burnt.record_success(kit.sql("SELECT amount FROM orders"))
    ran = []
    sql = kit.make_sql(ran)
    state = run(
        manner,
        guard_tool_call(burnt, policy="block"),
        kit.calls("SELECT total FROM orders"),
        tools=[sql],
    )
    ((_, status, text),) = kit.results(state)
    assert (ran, status) == ([], "error")
    assert "no such column: total" in text
    assert "SELECT amount FROM orders" in text
    assert kit.paired(state["messages"])


def test_failures_are_recorded_on_both_paths(guard, manner, kit):
    """A tool that raises and a call that is refused before it runs are both told, once each."""
    asked = kit.calls("SELECT total FROM orders")
    asked.tool_calls.append({"name": "sql", "args": {"sql": 1}, "id": "call-2"})
    run(manner, guard_tool_call(guard), asked)
    # In the tool's own words, without those of the node, which repeat the arguments.
    assert sorted(event.feedback for event in guard.events()) == [
        "ValueError: no such column: total",
        "query: Field required",
    ]


def test_an_error_that_leaves_the_node_is_recorded_too(guard, manner, kit):
    """An error that nobody handles goes on as it is, and is told first."""
    with pytest.raises(ValueError, match="no such column"):
        run(
            manner,
            guard_tool_call(guard),
            kit.calls("SELECT total FROM orders"),
            handle_tool_errors=False,
        )
    assert [event.feedback for event in guard.events()] == ["ValueError: no such column: total"]


def test_the_same_call_is_told_once(guard, manner, kit):
    """A node that runs again on the same message, as retries and resumes do, tells nothing new."""
    asked = kit.calls("SELECT total FROM orders")
    asked.id = "message-1"
    for _ in range(3):
        run(manner, guard_tool_call(guard), asked)
    assert len(guard.events()) == 1


def test_what_worked_instead_is_told_with_the_mistake(guard, manner, kit):
    """A success after a failure of its tool is found from the mistake, in any later run."""
    wrapper = guard_tool_call(guard)
    first = run(manner, wrapper, kit.calls("SELECT total FROM orders"))["messages"][1:]
    run(manner, wrapper, *first, kit.calls("SELECT amount FROM orders", start=2))
    (mistake, success) = guard.events()
    assert success.outcome == 'worked instead of sql {"query": "SELECT total FROM orders"}'
    assert success.feedback == ""
    review = guard.review(kit.sql("SELECT id, total FROM orders WHERE shipped = 1"))
    assert [w.event_ids for w in review.warnings] == [(mistake.event_id,)]
    assert [r.trigger for r in review.reinforcements] == [success.action]


def test_an_unrelated_success_is_not_told_as_a_way_out(guard, manner, kit):
    """A call that shares nothing with the failure is no other try at it."""
    wrapper = guard_tool_call(guard)
    first = run(manner, wrapper, kit.calls("SELECT total FROM orders"))["messages"][1:]
    run(manner, wrapper, *first, kit.calls("VACUUM", start=2))
    assert [event.outcome for event in guard.events()] == ["", ""]


@pytest.mark.parametrize(("successes", "count"), [("after_failure", 0), ("all", 1), ("none", 0)])
def test_which_successes_are_told_can_be_chosen(guard, manner, kit, successes, count):
    """A success nobody doubted is told only on request."""
    run(manner, guard_tool_call(guard, successes=successes), kit.calls("SELECT 1"))
    assert len(guard.events()) == count


def test_a_success_of_a_warned_call_takes_the_warning_back(guard, manner, kit):
    """What works after all is told, and no longer warned of."""
    guard.record(kit.sql("SELECT 1"), "it was slow")
    run(manner, guard_tool_call(guard), kit.calls("SELECT 1"))
    assert [event.kind for event in guard.events()] == ["mistake", "success"]
    assert not guard.review(kit.sql("SELECT 1")).warnings


def test_record_only_records_and_does_not_look(burnt, manner, kit):
    """Under `record_only` the call runs unreviewed; failures and successes are told."""
    state = run(
        manner,
        guard_tool_call(burnt, policy="record_only"),
        kit.calls("SELECT total FROM orders", "SELECT 1"),
    )
    assert "[mistake guard]" not in str(kit.results(state))
    # The calls of a message run at once, in any order.
    assert sorted(event.kind for event in burnt.events()) == ["mistake"] * 3 + ["success"]
    assert burnt.stats()["metrics"]["counters"]["reviews_total"] == 0


def test_tools_can_be_left_alone(burnt, manner, kit):
    """`tools` and `exclude_tools` take effect."""
    for options in ({"tools": ["rm"]}, {"exclude_tools": ["sql"]}):
        wrapper = guard_tool_call(burnt, policy="block", **options)
        state = run(manner, wrapper, kit.calls("SELECT total FROM orders"))
        assert "[mistake guard]" not in str(kit.results(state))
    assert len(burnt.events()) == 2


def test_a_command_of_a_tool_is_annotated_and_told(burnt, manner, kit):
    """A tool that answers with a `Command` is warned of and recorded like any other."""

    @tool
    def sql(query: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Run a query."""
        message = ToolMessage("locked", tool_call_id=tool_call_id, status="error")
        return Command(update={"messages": [message]})

    state = run(manner, guard_tool_call(burnt), kit.calls("SELECT total FROM orders"), tools=[sql])
    ((_, _, text),) = kit.results(state)
    assert text.startswith("locked\n\n[mistake guard] Calls like this one failed before:")
    assert [event.feedback for event in burnt.events()][-1] == "locked"


def test_an_interrupt_of_a_tool_passes(guard, manner, kit):
    """A tool that asks a person is no failure, and is not stopped from asking."""

    @tool
    def sql(query: str) -> str:
        """Run a query."""
        return str(interrupt("sure?"))

    wrapper = guard_tool_call(guard, successes="all")
    node = ToolNode([sql], wrap_tool_call=wrapper, awrap_tool_call=wrapper.acall)
    builder = StateGraph(MessagesState).add_node("tools", node).add_edge(START, "tools")
    graph = builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    state = manner.invoke(graph, {"messages": [kit.calls("SELECT 1")]}, config)
    assert state["__interrupt__"][0].value == "sure?"
    assert guard.events() == []
    manner.invoke(graph, Command(resume="yes"), config)
    assert [event.kind for event in guard.events()] == ["success"]


class Broken(DriftGuard):
    """A guard whose memory fails, or hangs."""

    def __init__(self, seconds=0.0):
        settings = DriftGuardSettings(storage_backend="memory")
        super().__init__(settings=settings, store=MemoryStore())
        self.seconds = seconds

    def before_step(self, *args, **kwargs):
        if self.seconds:
            time.sleep(self.seconds)
            return super().before_step(*args, **kwargs)
        message = "the disk is gone"
        raise OSError(message)

    async def abefore_step(self, *args, **kwargs):
        return await asyncio.to_thread(self.before_step, *args, **kwargs)


@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_a_memory_that_fails_or_hangs_fails_as_chosen(manner, kit, seconds, caplog):
    """`fail_open` runs the call, `fail_closed` answers it; either way it is counted and logged."""
    options = {"timeout": 0.05}
    for on_error, status in (("fail_open", "success"), ("fail_closed", "error")):
        wrapper = guard_tool_call(Broken(seconds), on_error=on_error, **options)
        start = time.perf_counter()
        ((_, found, text),) = kit.results(run(manner, wrapper, kit.calls("SELECT 1")))
        assert found == status
        assert time.perf_counter() - start < 5
        assert ("cannot be asked right now" in text) == (status == "error")
        assert wrapper.errors[f"asking: {'TimeoutError' if seconds else 'OSError'}"] == 1
    assert "could not be used" in caplog.text


def test_a_memory_that_cannot_be_told_costs_no_answer(guard, manner, kit, monkeypatch):
    """An error of recording is counted; the result of the tool stands."""

    def fail(*args, **kwargs):
        message = "the disk is full"
        raise OSError(message)

    monkeypatch.setattr(guard.runtime, "_keep", fail)
    wrapper = guard_tool_call(guard, successes="all")
    ((_, status, text),) = kit.results(run(manner, wrapper, kit.calls("SELECT 1")))
    assert (status, text) == ("success", "42")
    assert wrapper.errors == {"telling: OSError": 1}


def test_a_wrapper_cannot_ask_a_person(make_guard):
    """`acknowledge` is refused with what to use instead, as an option or a setting."""
    with pytest.raises(InvalidInputError, match=r"make_acknowledge_node.*MistakeGuardMiddleware"):
        guard_tool_call(make_guard(), policy="acknowledge")
    with pytest.raises(InvalidInputError, match="cannot ask a person"):
        guard_tool_call(make_guard(guard_policy="acknowledge"))


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"policy": "blok"}, "blok"),
        ({"min_confidence": -1}, "min_confidence"),
        ({"tools": "sql"}, "tools"),
        ({"exclude_tools": [7]}, "7"),
        ({"successes": "some"}, "some"),
        ({"on_error": "explode"}, "explode"),
        ({"nudge_after": 1}, "nudge_after"),
        ({"stop_after": 0}, "stop_after"),
        ({"timeout": 0}, "timeout"),
    ],
)
def test_wrong_options_are_named(guard, wrong, named):
    """An option that cannot be used is refused when the wrapper is made."""
    with pytest.raises(InvalidInputError, match=named):
        guard_tool_call(guard, **wrong)
