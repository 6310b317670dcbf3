"""Asking a person in a graph: what was rejected stays rejected, whatever happens meanwhile."""

from typing import Annotated

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, RetryPolicy
from pydantic import ValidationError

from langchain_drift import (
    GuardState,
    InvalidInputError,
    make_acknowledge_node,
    make_guard_node,
    make_record_node,
    route_guard,
)

ACTION = "clear out the temp folder"
CONFIG = {"configurable": {"thread_id": "1"}}
APPROVE, REJECT = {"type": "approve"}, {"type": "reject", "message": "not on Fridays"}


class State(GuardState):
    """The state of the graphs here."""

    messages: Annotated[list, add_messages]
    ran: list


class Work:
    """A graph of guard, acknowledge, execute and record, and what it has done."""

    def __init__(self, guard, *, saver=None, execute=None, **options):
        self.ran = []
        self.guard = guard
        builder = StateGraph(State)
        builder.add_node("guard", make_guard_node(guard, policy="acknowledge", **options))
        builder.add_node("acknowledge", make_acknowledge_node())
        builder.add_node("execute", execute or self.execute)
        builder.add_node("revise", lambda state: {"ran": ["revise"]})
        builder.add_node("record", make_record_node(guard))
        builder.add_edge(START, "guard")
        ends = {"execute": "execute", "revise": "revise", "blocked": END}
        builder.add_conditional_edges("guard", route_guard, {**ends, "acknowledge": "acknowledge"})
        builder.add_conditional_edges("acknowledge", route_guard, ends)
        builder.add_edge("execute", "record")
        self.builder = builder
        self.graph = builder.compile(checkpointer=saver or InMemorySaver())

    def execute(self, state):
        self.ran.append(state["candidate_action"])
        return {"guard_outcome": {"failed": True, "feedback": "gone again"}}

    def told(self):
        return [event for event in self.guard.events() if event.feedback == "gone again"]


def test_the_run_stops_and_shows_what_failed(prose, manner):
    """The person sees the action, what failed before and what may be decided, in plain words."""
    work = Work(prose)
    state = manner.invoke(work.graph, {"candidate_action": ACTION}, CONFIG)
    (question,) = state["__interrupt__"]
    assert question.value["type"] == "mistake_guard"
    (call,) = question.value["calls"]
    assert (call["id"], call["name"], call["args"]) == ("action", "action", ACTION)
    assert call["warnings"][0]["frequency"] == 3
    (request,) = question.value["action_requests"]
    assert "failed 3 times: it wiped the build cache" in request["description"]
    (config,) = question.value["review_configs"]
    assert config["allowed_decisions"] == ["approve", "edit", "reject"]
    assert question.response_schema["anyOf"]
    assert work.ran == []


def test_approve_edit_and_reject_do_what_they_say(prose, manner):
    """Approved runs, edited runs as edited, rejected goes back and keeps the reason."""
    edit = {"type": "edit", "edited_action": "clear out /tmp/job-7"}
    for answer, ran in ((APPROVE, [ACTION]), (edit, ["clear out /tmp/job-7"]), (REJECT, [])):
        work = Work(prose)
        manner.invoke(work.graph, {"candidate_action": ACTION}, CONFIG)
        state = manner.invoke(work.graph, Command(resume=answer), CONFIG)
        assert work.ran == ran
        assert state["guard_review"]["answers"] == {"action": answer}
        assert state["guard_decision"] == ("execute" if ran else "revise")


def test_reject_stays_rejected_when_the_memory_changes(prose, manner):
    """Memories that vanish or come while a person thinks change nothing about the question."""
    work = Work(prose)
    manner.invoke(work.graph, {"candidate_action": ACTION}, CONFIG)
    prose.hide([event.event_id for event in prose.events()])
    assert not prose.review(ACTION).warnings
    state = manner.invoke(work.graph, Command(resume=REJECT), CONFIG)
    assert work.ran == []
    assert state["guard_review"]["warnings"][0]["risk"] == "it wiped the build cache"


@pytest.mark.parametrize(
    "wrong",
    [
        True,
        "approve",
        {"type": "aprove"},
        {"type": "reject", "why": "no"},
        {"type": "edit"},
        {"type": "edit", "edited_action": ""},
        {"decisions": {}},
        {"decisions": []},
        {"decisions": [APPROVE, APPROVE]},
        {"decisions": {"other": APPROVE}},
    ],
)
def test_a_wrong_answer_can_be_given_again(prose, manner, wrong):
    """An answer that is none is refused, and does not stand in the way of the right one."""
    work = Work(prose)
    manner.invoke(work.graph, {"candidate_action": ACTION}, CONFIG)
    for _ in range(2):
        with pytest.raises(ValidationError):
            manner.invoke(work.graph, Command(resume=wrong), CONFIG)
    manner.invoke(work.graph, Command(resume=APPROVE), CONFIG)
    assert work.ran == [ACTION]


@pytest.mark.parametrize("form", ["bare", "by id", "in order"])
def test_an_answer_has_three_forms(prose, manner, form):
    """A decision alone, decisions by id, and LangChain's list of decisions mean the same."""
    answer = {
        "bare": REJECT,
        "by id": {"decisions": {"action": REJECT}},
        "in order": {"decisions": [REJECT]},
    }
    work = Work(prose)
    manner.invoke(work.graph, {"candidate_action": ACTION}, CONFIG)
    state = manner.invoke(work.graph, Command(resume=answer[form]), CONFIG)
    assert state["guard_review"]["answers"] == {"action": REJECT}


def test_three_resumes_record_once(prose, manner):
    """Resumed three times, twice wrongly or from the same checkpoint, the outcome counts once."""
    work = Work(prose)
    manner.invoke(work.graph, {"candidate_action": ACTION}, CONFIG)
    asked = work.graph.get_state(CONFIG).config
    for _ in range(2):
        with pytest.raises(ValidationError):
            manner.invoke(work.graph, Command(resume=7), CONFIG)
    for _ in range(3):
        manner.invoke(work.graph, Command(resume=APPROVE), asked)
    assert len(work.ran) == 3
    assert len(work.told()) == 1


def test_a_new_run_of_the_same_action_is_a_new_observation(prose, manner):
    """What happens again counts again."""
    work = Work(prose)
    for _ in range(2):
        manner.invoke(work.graph, {"candidate_action": ACTION}, CONFIG)
        manner.invoke(work.graph, Command(resume=APPROVE), CONFIG)
    assert len(work.told()) == 2


def test_a_node_that_is_retried_records_once(prose, guard, manner):
    """A record node that is run again after it told the guard tells nothing new."""
    tries = []

    class Flaky(type(guard)):
        def record(self, *args, **details):
            told = super().record(*args, **details)
            tries.append(told["status"])
            if len(tries) < 3:
                raise ConnectionError
            return told

    work = Work(prose)
    flaky = Flaky(prose.runtime)
    builder = StateGraph(State)
    builder.add_node("guard", make_guard_node(flaky))
    builder.add_node("execute", work.execute)
    retry = RetryPolicy(initial_interval=0.001, jitter=False)
    builder.add_node("record", make_record_node(flaky), retry_policy=retry)
    builder.add_edge(START, "guard")
    builder.add_conditional_edges("guard", route_guard, ["execute"])
    builder.add_edge("execute", "record")
    manner.invoke(builder.compile(), {"candidate_action": ACTION})
    assert tries == ["stored", "duplicate", "duplicate"]
    assert len(work.told()) == 1


def tool_graph(guard, ran, kit):
    """Return a graph that runs the tool calls of its last message."""
    return Work(guard, execute=ToolNode([kit.make_sql(ran)]))


def test_one_of_several_tool_calls_is_rejected(burnt, manner, kit):
    """Approved, edited and unflagged calls run; the rejected one is answered; all stay paired."""
    ran = []
    work = tool_graph(burnt, ran, kit)
    asked = kit.calls(
        "SELECT total FROM orders",
        "SELECT name FROM users",
        "SELECT total, id FROM orders",
        "SELECT id, total FROM orders WHERE id = 7",
    )
    given = {"messages": [HumanMessage("q"), asked]}
    state = manner.invoke(work.graph, given, CONFIG)
    assert [c["id"] for c in state["__interrupt__"][0].value["calls"]] == [
        "call-1",
        "call-3",
        "call-4",
    ]
    edit = {
        "type": "edit",
        "edited_action": {"name": "sql", "args": {"query": "SELECT amount FROM orders"}},
    }
    answer = {"decisions": {"call-1": REJECT, "call-3": edit, "call-4": APPROVE}}
    state = manner.invoke(work.graph, Command(resume=answer), CONFIG)
    assert sorted(ran) == [
        "SELECT amount FROM orders",
        "SELECT id, total FROM orders WHERE id = 7",
        "SELECT name FROM users",
    ]
    assert [(name, status) for name, status, _ in kit.results(state)] == [
        ("call-1", "error"),
        ("call-2", "success"),
        ("call-3", "success"),
        ("call-4", "success"),
    ]
    assert "not on Fridays" in kit.results(state)[0][2]
    assert kit.paired(state["messages"])


def test_an_edit_cannot_change_the_tool(burnt, manner, kit):
    """A call stays a call of its tool."""
    work = tool_graph(burnt, [], kit)
    manner.invoke(work.graph, {"messages": [kit.calls("SELECT total FROM orders")]}, CONFIG)
    edit = {"type": "edit", "edited_action": {"name": "rm", "args": {}}}
    with pytest.raises(ValidationError, match="sql"):
        manner.invoke(work.graph, Command(resume=edit), CONFIG)


def test_a_rejected_message_goes_back_with_its_answers(burnt, manner, kit):
    """If all calls are rejected nothing runs, and the model is asked again."""
    ran = []
    work = tool_graph(burnt, ran, kit)
    manner.invoke(work.graph, {"messages": [kit.calls("SELECT total FROM orders")]}, CONFIG)
    state = manner.invoke(work.graph, Command(resume=REJECT), CONFIG)
    assert (ran, state["ran"]) == ([], ["revise"])
    assert kit.paired(state["messages"])


def test_it_works_inside_a_subgraph(prose, manner):
    """A guarded graph that is a node of another is asked about and resumed from outside."""
    inner = Work(prose)
    outer = StateGraph(State)
    outer.add_node("inner", inner.builder.compile())
    outer.add_edge(START, "inner")
    graph = outer.compile(checkpointer=InMemorySaver())
    state = manner.invoke(graph, {"candidate_action": ACTION}, CONFIG)
    assert state["__interrupt__"][0].value["type"] == "mistake_guard"
    with pytest.raises(ValidationError):
        manner.invoke(graph, Command(resume=False), CONFIG)
    state = manner.invoke(graph, Command(resume=APPROVE), CONFIG)
    assert inner.ran == [ACTION]
    assert state["guard_decision"] == "execute"
    assert len(inner.told()) == 1


def test_it_streams(prose, manner):
    """Streams show the review before the question, and the outcome after the answer."""
    work = Work(prose)
    given = {"candidate_action": ACTION}
    pieces = manner.stream(work.graph, given, CONFIG, stream_mode="updates")
    assert [next(iter(piece)) for piece in pieces] == ["guard", "__interrupt__"]
    pieces = manner.stream(work.graph, Command(resume=APPROVE), CONFIG, stream_mode="updates")
    assert [next(iter(piece)) for piece in pieces] == ["acknowledge", "execute", "record"]


def test_time_travel_asks_the_same_again(prose, manner):
    """A fork from before the answer asks the same question, and may be answered otherwise."""
    work = Work(prose)
    manner.invoke(work.graph, {"candidate_action": ACTION}, CONFIG)
    asked = work.graph.get_state(CONFIG).config
    manner.invoke(work.graph, Command(resume=APPROVE), CONFIG)
    assert work.ran == [ACTION]
    prose.hide([event.event_id for event in prose.events()])
    fork = work.graph.update_state(asked, {"ran": []}, as_node="guard")
    state = manner.invoke(work.graph, None, fork)
    assert "it wiped the build cache" in str(state["__interrupt__"][0].value)
    state = manner.invoke(work.graph, Command(resume=REJECT), CONFIG)
    assert work.ran == [ACTION]
    assert state["guard_decision"] == "revise"


def test_without_a_checkpointer_the_error_says_so(prose, manner):
    """A run that could never be resumed is not interrupted but told what it lacks."""
    graph = Work(prose).builder.compile()
    with pytest.raises(InvalidInputError, match=r"no checkpointer.*checkpointer=…"):
        manner.invoke(graph, {"candidate_action": ACTION})


def test_the_node_asks_only_about_what_was_stopped(guard):
    """Reached by another way, without a review, it says how to come there."""
    builder = StateGraph(State).add_node("acknowledge", make_acknowledge_node())
    graph = builder.add_edge(START, "acknowledge").compile(checkpointer=InMemorySaver())
    with pytest.raises(InvalidInputError, match="nothing to acknowledge"):
        graph.invoke({"ran": []}, CONFIG)
