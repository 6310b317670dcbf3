"""`MistakeGuardMiddleware` in agents of `create_agent`."""

import importlib
import sys

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import ValidationError

import langchain_drift
from langchain_drift import InvalidInputError, Scope, user_scope
from langchain_drift.tool_guard.history import find_calls
from langchain_drift.tool_guard.outcome import has_error_status

CONFIG = {"configurable": {"thread_id": "1"}}
TOTAL, AMOUNT = "SELECT total FROM orders", "SELECT amount FROM orders"
APPROVE, REJECT = {"type": "approve"}, {"type": "reject", "message": "never on Fridays"}


class Agent:
    """An agent that runs queries, and what it has run."""

    def __init__(self, agents, guard, kit, *replies, saver=None, others=(), first=False, **options):
        self.ran = []
        sql = kit.make_sql(self.ran, fails="total")
        self.middleware = agents.MistakeGuardMiddleware(guard, **options)
        errors = agents.middleware.ToolErrorMiddleware(lambda error, request: str(error))
        self.graph = agents.create_agent(
            kit.FakeModel(*replies, "done"),
            [sql],
            middleware=[*others, errors, self.middleware]
            if first
            else [errors, self.middleware, *others],
            checkpointer=saver or InMemorySaver(),
        )

    def run(self, manner, value="q", config=CONFIG, **kwargs):
        if isinstance(value, str):
            value = {"messages": [("user", value)]}
        state = manner.invoke(self.graph, value, config, **kwargs)
        assert self.middleware.errors == {}
        return state


@pytest.fixture
def make_agent(agents, kit):
    """Return a function that makes an agent."""

    def make(guard, *replies, **options):
        return Agent(agents, guard, kit, *replies, **options)

    return make


def test_a_mistake_of_one_run_is_warned_of_in_the_next(guard, make_agent, manner, kit):
    """The agent learns by itself: what failed in one run stands on the call in the next."""
    first = make_agent(guard, kit.calls(TOTAL), kit.calls(AMOUNT, start=2))
    first.run(manner)
    assert [event.kind for event in guard.events()] == ["mistake", "success"]
    query = "SELECT id, total FROM orders"
    second = make_agent(guard, kit.calls(query), policy="block", min_confidence=0.6)
    ((_, status, text),) = kit.results(second.run(manner))
    assert (second.ran, status) == ([], "error")
    assert "no such column: total" in text
    assert AMOUNT in text


def test_warn_adds_to_the_result(burnt, make_agent, manner, kit):
    """Under `warn` the call runs and its result carries the warning."""
    burnt.record(kit.sql(AMOUNT), "amount is in cents, and was booked as euros")
    agent = make_agent(burnt, kit.calls(AMOUNT))
    state = agent.run(manner)
    ((_, status, text),) = kit.results(state)
    assert (agent.ran, status) == ([AMOUNT], "success")
    assert text.startswith("42\n\n[mistake guard]")
    assert "in cents" in text
    assert kit.paired(state["messages"])


def test_the_warning_is_not_taken_for_what_the_tool_said(guard, make_agent, manner, kit):
    """Notes of the guard are never recorded as feedback."""
    for start in range(3):
        make_agent(guard, kit.calls(TOTAL, start=start)).run(manner)
    assert {event.feedback for event in guard.events()} == {"ValueError: no such column: total"}


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


def test_parallel_calls_of_one_message_are_safe(guard, make_agent, manner, kit):
    """Sixteen calls at once are each reviewed and told once."""
    queries = [f"SELECT total_{n}" for n in range(16)]
    agent = make_agent(guard, kit.calls(*queries))
    agent.run(manner)
    assert sorted(agent.ran) == sorted(queries)
    assert len(guard.events()) == 16


def test_scope_and_guard_come_from_the_run(make_guard, agents, manner, kit):
    """Guard and user may come with the run's context; memories of users stay apart."""
    guard = make_guard()
    for _ in range(2):
        guard.record(kit.sql("SELECT 1"), "locked", scope=Scope(user="ann"))
    sql = kit.make_sql()
    for user, status in (("ann", "error"), ("bob", "success")):
        agent = agents.create_agent(
            kit.FakeModel(kit.calls("SELECT 1"), "done"),
            [sql],
            middleware=[agents.MistakeGuardMiddleware(policy="block", scope=user_scope)],
            context_schema=dict,
        )
        given = {"messages": [("user", "q")]}
        context = {"guard": guard, "user_id": user}
        state = manner.invoke(agent, given, context=context)
        assert kit.results(state)[0][1] == status


def test_the_call_is_guarded_whatever_other_middleware_does(burnt, agents, make_agent, manner, kit):
    """A jump past the question does not let a flagged call run (langchain#40492)."""

    class Jump(agents.middleware.AgentMiddleware):
        @agents.middleware.hook_config(can_jump_to=["tools"])
        def after_model(self, state, runtime):
            last = state["messages"][-1]
            return {"jump_to": "tools"} if getattr(last, "tool_calls", None) else None

    for policy, said in (("block", "failed before"), ("acknowledge", "needs to be acknowledged")):
        agent = make_agent(burnt, kit.calls(TOTAL), policy=policy, others=[Jump()])
        state = agent.run(manner)
        assert agent.ran == []
        assert said in kit.results(state)[0][2]


def test_calls_that_no_model_proposed_are_guarded_too(burnt, agents, make_agent, manner, kit):
    """A call that other middleware puts into the history cannot pass unseen."""

    class Inject(agents.middleware.AgentMiddleware):
        @agents.middleware.hook_config(can_jump_to=["tools"])
        def before_agent(self, state, runtime):
            return {"messages": [kit.calls(TOTAL)], "jump_to": "tools"}

    agent = make_agent(burnt, policy="acknowledge", others=[Inject()])
    state = agent.run(manner)
    assert agent.ran == []
    assert "needs to be acknowledged" in kit.results(state)[0][2]


def loop_agent(agents, guard, kit, replies, answer, **options):
    """Return an agent that calls a tool which answers as told."""
    ran = []

    @tool
    def bash(command: str) -> str:
        """Run a command."""
        ran.append(command)
        return answer(len(ran))

    middleware = agents.MistakeGuardMiddleware(guard, **options)
    return ran, agents.create_agent(
        kit.FakeModel(*replies, "done"), [bash], middleware=[middleware]
    )


def test_a_loop_is_told_and_then_stopped(guard, agents, manner, kit):
    """The third same result carries a nudge; after the sixth the call is not run again."""
    command = "git log branch | grep 449"
    replies = [kit.calls(command, start=n, name="bash", key="command") for n in range(10, 20)]
    ran, agent = loop_agent(agents, guard, kit, replies, lambda n: "")
    config = {"recursion_limit": 100}
    state = manner.invoke(agent, {"messages": [("user", "q")]}, config)
    texts = [text for _, _, text in kit.results(state)]
    nudged = [number for number, text in enumerate(texts, 1) if "come to the same" in text]
    assert nudged == list(range(3, 11))
    assert len(ran) == 6
    assert "was not run: it has come to the same 6 times" in texts[6]
    assert kit.paired(state["messages"])
    assert guard.events() == []


def test_waiting_between_steps_that_get_on_is_no_loop(guard, agents, manner, kit):
    """A tool that only waits may be called as often as what is waited for moves on."""

    @tool
    def wait(seconds: int) -> str:
        """Wait."""
        return "waited"

    states = iter(range(20))

    @tool
    def look(job: int) -> str:
        """Look at a job."""
        return f"{next(states)} of 20"

    replies = []
    for number in range(20):
        replies.append(kit.calls(5, start=2 * number, name="wait", key="seconds"))
        replies.append(kit.calls(7, start=2 * number + 1, name="look", key="job"))
    middleware = agents.MistakeGuardMiddleware(guard)
    agent = agents.create_agent(
        kit.FakeModel(*replies, "done"), [wait, look], middleware=[middleware]
    )
    state = manner.invoke(agent, {"messages": [("user", "q")]}, {"recursion_limit": 200})
    assert len(kit.results(state)) == 40
    assert "[mistake guard]" not in str(kit.results(state))


def test_the_bounds_of_loops_can_be_chosen(guard, agents, manner, kit):
    """`nudge_after` and `stop_after` take effect, and None switches them off."""
    replies = [kit.calls("ls", start=n, name="bash", key="command") for n in range(10, 19)]
    config = {"recursion_limit": 100}
    ran, agent = loop_agent(agents, guard, kit, replies, lambda n: "", stop_after=2)
    manner.invoke(agent, {"messages": [("user", "q")]}, config)
    assert len(ran) == 2
    off = {"nudge_after": None, "stop_after": None}
    ran, agent = loop_agent(agents, guard, kit, replies, lambda n: "", **off)
    state = manner.invoke(agent, {"messages": [("user", "q")]}, config)
    assert len(ran) == 9
    assert "[mistake guard]" not in str(kit.results(state))


def test_a_loop_is_stopped_under_acknowledge_too(guard, agents, manner, kit):
    """Calls that nobody had to be asked about are stopped like any other."""
    replies = [kit.calls("ls", start=n, name="bash", key="command") for n in range(10, 19)]
    ran, agent = loop_agent(agents, guard, kit, replies, lambda n: "", policy="acknowledge")
    manner.invoke(agent, {"messages": [("user", "q")]}, {"recursion_limit": 100})
    assert len(ran) == 6


def test_a_call_that_other_middleware_changed_is_not_told_as_a_persons(
    guard, agents, make_agent, manner, kit
):
    """Only what a person replaced is said to be replaced by one."""

    class Change(agents.middleware.AgentMiddleware):
        def wrap_tool_call(self, request, handler):
            return handler(
                request.override(tool_call={**request.tool_call, "args": kit.sql("x")["args"]})
            )

        async def awrap_tool_call(self, request, handler):
            return await handler(
                request.override(tool_call={**request.tool_call, "args": kit.sql("x")["args"]})
            )

    agent = make_agent(guard, kit.calls(AMOUNT), others=[Change()], first=True)
    state = agent.run(manner)
    assert agent.ran == ["x"]
    assert kit.results(state) == [("call-1", "success", "42")]


def test_a_new_question_begins_a_new_run(guard, agents, manner, kit):
    """What was asked for again by a person is no loop."""
    replies = [kit.calls("ls", start=9, name="bash", key="command")]
    ran, agent = loop_agent(agents, guard, kit, replies, lambda n: "a.py")
    history = []
    for number in range(8):
        asked = kit.calls("ls", start=number, name="bash", key="command")
        done = ToolMessage("a.py", tool_call_id=f"call-{number}")
        history += [HumanMessage("list"), asked, done, AIMessage("a.py")]
    state = manner.invoke(agent, {"messages": [*history, HumanMessage("list")]})
    assert ran == ["ls"]
    assert "[mistake guard]" not in str(kit.results(state))


def test_a_long_run_costs_no_more_than_a_short_one(guard, kit):
    """Looking back is bounded: ten thousand messages are read as fast as two hundred."""
    messages = []
    for number in range(5_000):
        messages += [kit.calls("ls", start=number), ToolMessage("x", tool_call_id=f"call-{number}")]
    assert len(find_calls(messages, has_error_status)) <= 100


def test_the_middleware_needs_no_name_in_all():
    """It needs an extra, so it stands outside of `__all__` and still comes from the package."""
    assert "MistakeGuardMiddleware" not in langchain_drift.__all__


def test_without_langchain_the_error_names_the_extra(monkeypatch):
    """Where langchain is missing the middleware says what to install."""
    name = "langchain_drift.tool_guard.middleware"
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "langchain.agents.middleware", None)
    with pytest.raises(langchain_drift.MissingExtraError, match=r"langchain-drift\[langchain\]"):
        importlib.import_module(name)
