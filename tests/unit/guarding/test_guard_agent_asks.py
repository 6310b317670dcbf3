"""`MistakeGuardMiddleware` asks a person, whose answer holds whatever happens meanwhile."""

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import ValidationError

from langchain_drift import InvalidInputError

CONFIG = {"configurable": {"thread_id": "1"}}
TOTAL, AMOUNT = "SELECT total FROM orders", "SELECT amount FROM orders"
APPROVE, REJECT = {"type": "approve"}, {"type": "reject", "message": "never on Fridays"}


def test_it_asks_once_about_all_calls(burnt, make_agent, manner, kit):
    """One question for all flagged calls; approved, edited and unflagged ones run."""
    agent = make_agent(
        burnt,
        kit.calls(TOTAL, AMOUNT, f"{TOTAL} WHERE id = 7", f"{TOTAL} LIMIT 1"),
        policy="acknowledge",
    )
    (question,) = agent.run(manner)["__interrupt__"]
    assert [call["id"] for call in question.value["calls"]] == ["call-1", "call-3", "call-4"]
    assert agent.ran == []
    edit = {"type": "edit", "edited_action": {"name": "sql", "args": {"query": "SELECT 1"}}}
    answer = {"decisions": {"call-1": REJECT, "call-3": edit, "call-4": APPROVE}}
    state = agent.run(manner, Command(resume=answer))
    assert sorted(agent.ran) == sorted([AMOUNT, "SELECT 1", f"{TOTAL} LIMIT 1"])
    one, two, three, four = kit.results(state)
    assert one[1] == "error"
    assert "never on Fridays" in one[2]
    assert two == ("call-2", "success", "42")
    assert three[2].startswith("42\n\n[mistake guard] A person replaced this call")
    assert four == ("call-4", "error", "no such column: total")
    assert kit.paired(state["messages"])
    assert list(state) == ["messages"]


def test_reject_stays_rejected_when_the_memory_changes(burnt, make_agent, manner, kit):
    """A memory that vanishes while a person thinks does not let the call through."""
    agent = make_agent(burnt, kit.calls(TOTAL), policy="acknowledge")
    agent.run(manner)
    burnt.hide([event.event_id for event in burnt.events()])
    assert not burnt.review(kit.sql(TOTAL)).warnings
    state = agent.run(manner, Command(resume=REJECT))
    assert agent.ran == []
    assert kit.results(state)[0][1] == "error"


def test_what_passed_is_not_asked_about_when_the_memory_changes(guard, make_agent, manner, kit):
    """A memory that comes while a person thinks asks no second question."""
    for _ in range(2):
        guard.record(kit.sql(TOTAL), "no such column: total")
    agent = make_agent(guard, kit.calls(TOTAL, AMOUNT), policy="acknowledge")
    agent.run(manner)
    for _ in range(3):
        guard.record(kit.sql(AMOUNT), "locked")
    state = agent.run(manner, Command(resume={"decisions": {"call-1": REJECT}}))
    assert agent.ran == [AMOUNT]
    assert "__interrupt__" not in state


def test_wrong_answers_can_be_given_again(burnt, make_agent, manner, kit):
    """Answers that are none are refused, and the right one then counts."""
    agent = make_agent(burnt, kit.calls(TOTAL, f"{TOTAL} LIMIT 1"), policy="acknowledge")
    agent.run(manner)
    both = {"call-1": APPROVE, "call-2": APPROVE}
    rename = {"type": "edit", "edited_action": {"name": "rm", "args": {}}}
    for wrong in (
        True,
        APPROVE,
        {"decisions": {"call-1": APPROVE}},
        {"decisions": [APPROVE]},
        {"decisions": both | {"call-3": APPROVE}},
        {"decisions": both | {"call-1": rename}},
    ):
        with pytest.raises(ValidationError):
            agent.run(manner, Command(resume=wrong))
    assert agent.ran == []
    agent.run(manner, Command(resume={"decisions": [REJECT, APPROVE]}))
    assert agent.ran == [f"{TOTAL} LIMIT 1"]


def test_three_resumes_record_once(burnt, make_agent, manner, kit):
    """Resumed again and again from one checkpoint, the same call counts once."""
    again = [AIMessage("done") for _ in range(3)]
    agent = make_agent(burnt, kit.calls(TOTAL), *again, policy="acknowledge")
    agent.run(manner)
    asked = agent.graph.get_state(CONFIG).config
    before = len(burnt.events())
    for _ in range(3):
        agent.run(manner, Command(resume=APPROVE), asked)
    assert agent.ran == [TOTAL] * 3
    assert len(burnt.events()) == before + 1


def test_rejecting_everything_asks_the_model_again(burnt, make_agent, manner, kit):
    """After a rejection the model goes on with the answer before it."""
    agent = make_agent(burnt, kit.calls(TOTAL), kit.calls(AMOUNT, start=2), policy="acknowledge")
    agent.run(manner)
    state = agent.run(manner, Command(resume=REJECT))
    assert agent.ran == [AMOUNT]
    assert state["messages"][-1].text == "done"


def test_without_a_checkpointer_the_error_says_so(agents, burnt, manner, kit):
    """An agent that could never be resumed is told what it lacks."""
    sql = kit.make_sql()
    middleware = agents.MistakeGuardMiddleware(burnt, policy="acknowledge")
    agent = agents.create_agent(kit.FakeModel(kit.calls(TOTAL)), [sql], middleware=[middleware])
    with pytest.raises(InvalidInputError, match="no checkpointer"):
        manner.invoke(agent, {"messages": [("user", "q")]})


def test_an_old_answer_does_not_count_for_another_call(burnt, make_agent, manner, kit):
    """Providers that reuse ids do not carry an approval over to another call."""
    agent = make_agent(burnt, kit.calls(TOTAL), kit.calls(f"{TOTAL} LIMIT 1"), policy="acknowledge")
    agent.run(manner)
    state = agent.run(manner, Command(resume=APPROVE))
    assert agent.ran == [TOTAL]
    (question,) = state["__interrupt__"]
    assert question.value["calls"][0]["args"] == {"query": f"{TOTAL} LIMIT 1"}


def test_a_streamed_agent_shows_question_and_results(burnt, make_agent, manner, kit):
    """Streams carry the question and, after the answer, the annotated result."""
    agent = make_agent(burnt, kit.calls(TOTAL), policy="acknowledge")
    given = {"messages": [("user", "q")]}
    pieces = manner.stream(agent.graph, given, CONFIG, stream_mode="updates")
    assert "__interrupt__" in pieces[-1]
    pieces = manner.stream(agent.graph, Command(resume=REJECT), CONFIG, stream_mode="updates")
    texts = [str(piece) for piece in pieces]
    assert any("never on Fridays" in text for text in texts)


def test_beside_langchains_own_question_both_hold(burnt, agents, kit, manner):
    """What a person edits in LangChain's own middleware is reviewed as it is about to run."""
    ran = []
    edit = {"type": "edit", "edited_action": {"name": "sql", "args": {"query": TOTAL}}}
    agent = agents.create_agent(
        kit.FakeModel(kit.calls(AMOUNT), "done"),
        [kit.make_sql(ran)],
        middleware=[
            agents.middleware.HumanInTheLoopMiddleware(interrupt_on={"sql": True}),
            agents.MistakeGuardMiddleware(burnt, policy="block"),
        ],
        checkpointer=InMemorySaver(),
    )
    thread = {"configurable": {"thread_id": "1"}}
    manner.invoke(agent, {"messages": [("user", "q")]}, thread)
    state = manner.invoke(agent, Command(resume={"decisions": [edit]}), thread)
    assert ran == []
    assert "no such column: total" in kit.results(state)[0][2]
