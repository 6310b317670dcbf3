"""`MistakeGuardMiddleware` in agents of `create_agent`."""

import importlib
import sys

import pytest

import langchain_drift
from langchain_drift import Scope, user_scope

TOTAL, AMOUNT = "SELECT total FROM orders", "SELECT amount FROM orders"


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
