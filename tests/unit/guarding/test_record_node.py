"""The record node: what came of an action, from wherever it stands."""

from typing import Annotated

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode

from langchain_drift import GuardState, make_guard_node, make_record_node

ACTION = "clear out the temp folder"


class State(GuardState):
    """The state of the graphs here."""

    messages: Annotated[list, add_messages]
    ran: list


def run(manner, guard, execute, given, *, handler=None, **options):
    """Run one node and record it; return the events."""
    builder = StateGraph(State)
    builder.add_node("execute", execute, error_handler=handler)
    builder.add_node("record", make_record_node(guard, **options))
    builder.add_node("after", lambda state: {"ran": ["after"]})
    builder.add_edge(START, "execute")
    builder.add_edge("execute", "record")
    state = manner.invoke(builder.compile(), given)
    return state, [(e.kind, e.action, e.feedback, e.outcome) for e in guard.events()]


def test_an_outcome_in_the_state_is_told(guard, manner):
    """A failure is told with what came back and what it led to; a success as one."""
    failed = {"failed": True, "feedback": "422", "outcome": "charged twice"}
    given = {"candidate_action": ACTION}
    _, events = run(manner, guard, lambda state: {"guard_outcome": failed}, given)
    assert events == [("mistake", ACTION, "422", "charged twice")]
    _, events = run(manner, guard, lambda state: {"guard_outcome": {"outcome": "done"}}, given)
    assert events[1:] == [("success", ACTION, "", "done")]


def test_without_an_outcome_nothing_is_told(guard, manner):
    """That nobody said how it went is neither a failure nor a success."""
    _, events = run(manner, guard, lambda state: {"ran": []}, {"candidate_action": ACTION})
    assert events == []


def test_an_outcome_of_an_earlier_action_is_not_told_again(guard, manner):
    """The guard node empties the outcome, so a later action does not inherit it."""
    builder = StateGraph(State)
    builder.add_node("guard", make_guard_node(guard))
    builder.add_node("record", make_record_node(guard))
    builder.add_edge(START, "guard")
    builder.add_edge("guard", "record")
    given = {"candidate_action": ACTION, "guard_outcome": {"failed": True, "feedback": "422"}}
    state = manner.invoke(builder.compile(), given)
    assert state["guard_outcome"] is None
    assert guard.events() == []


def test_tool_messages_tell_of_each_call(guard, manner, kit):
    """For tool calls their results tell, one by one; what a success gave is not kept."""

    @tool
    def sql(query: str) -> str:
        """Run a query."""
        if "total" in query:
            message = "no such column: total"
            raise ValueError(message)
        return "secret 42"

    asked = kit.calls("SELECT total FROM orders", "SELECT name FROM users")
    node = ToolNode([sql], handle_tool_errors=True)
    _, events = run(manner, guard, node, {"messages": [HumanMessage("q"), asked]})
    assert [event[:2] for event in events] == [
        ("mistake", 'sql {"query": "SELECT total FROM orders"}'),
        ("success", 'sql {"query": "SELECT name FROM users"}'),
    ]
    assert "no such column: total" in events[0][2]
    assert not any("secret" in str(event) for event in events)


def test_an_error_of_the_node_is_told(guard, manner):
    """As error handler it tells the error, and goes on where it is to."""

    def fail(state):
        message = "no such folder"
        raise FileNotFoundError(message)

    handler = make_record_node(guard, on_error="after")
    given = {"candidate_action": ACTION}
    state, events = run(manner, guard, fail, given, handler=handler)
    assert events == [("mistake", ACTION, "FileNotFoundError: no such folder", "")]
    assert state["ran"] == ["after"]


def test_an_error_of_a_tool_node_is_told_for_its_calls(guard, manner, kit):
    """The calls that have no result when the node fails are those that failed."""

    def fail(state):
        message = "disk full"
        raise OSError(message)

    given = {"messages": [kit.calls("SELECT 1")]}
    _, events = run(manner, guard, fail, given, handler=make_record_node(guard))
    assert events == [("mistake", 'sql {"query": "SELECT 1"}', "OSError: disk full", "")]


def test_functions_tell_action_and_outcome(guard, manner):
    """What came of it may stand anywhere in the state."""
    _, events = run(
        manner,
        guard,
        lambda state: {"ran": ["boom"]},
        {"ran": []},
        action_of=lambda state: ACTION,
        outcome_of=lambda state: {"failed": True, "feedback": state["ran"][0]},
        scope="staging",
    )
    assert events == []
    assert [e.feedback for e in guard.events(scope="staging")] == ["boom"]


def test_successes_can_be_left_out(guard, manner):
    """`successes=False` takes effect."""
    given = {"candidate_action": ACTION, "guard_outcome": {"failed": False}}
    _, events = run(manner, guard, lambda state: {"ran": []}, given, successes=False)
    assert events == []


@pytest.mark.parametrize("status", ["success", "error"])
def test_what_failed_is_for_the_user_to_say(guard, manner, kit, status):
    """Tools that give their errors as text are told apart by a function."""

    @tool
    def sql(query: str) -> str:
        """Run a query."""
        return "Error: no such table" if status == "error" else "fine"

    given = {"messages": [kit.calls("SELECT 1")]}
    failed = lambda message: message.text.startswith("Error:")  # noqa: E731 - as users write it
    _, events = run(manner, guard, ToolNode([sql]), given, failed=failed)
    assert events[0][0] == ("mistake" if status == "error" else "success")
