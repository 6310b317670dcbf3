"""Uses the doors of the mistake memory as a typed program would; checked by mypy, never run."""

from typing import Any, Literal, assert_type

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode

from langchain_drift import (
    ActionOutcome,
    DriftGuard,
    GuardRecord,
    GuardState,
    MistakeGuardMiddleware,
    MistakeRecorder,
    Place,
    Scope,
    add_guard,
    guard_tool_call,
    make_acknowledge_node,
    make_guard_node,
    make_guard_route,
    make_record_node,
    route_guard,
    thread_scope,
    user_scope,
)


class State(GuardState):
    """The state of a graph."""

    step: str


def whose(place: Place) -> Scope:
    """Tell whose memory it is."""
    assert_type(place.thread_id, str | None)
    return Scope(tenant=str(place.configurable.get("tenant", "")))


def came(state: State) -> ActionOutcome | None:
    """Tell what came of a step."""
    return {"failed": True, "feedback": state["step"]}


def build(guard: DriftGuard) -> None:
    """Build a graph node by node, and in one call."""
    builder = StateGraph(State)
    node = make_guard_node(guard, action_key="step", policy="block", scope=whose, revisions=2)
    builder.add_node("guard", node)
    builder.add_node("acknowledge", make_acknowledge_node(action_key="step"))
    builder.add_node("record", make_record_node(guard, outcome_of=came, on_error="guard"))
    builder.add_edge(START, "guard")
    ways = ["execute", "revise", "acknowledge", "blocked"]
    builder.add_conditional_edges("guard", route_guard, ways)
    builder.add_conditional_edges("acknowledge", make_guard_route(revise="planner"), ["planner"])
    add_guard(builder, guard, before="execute", revise="planner", policy="warn", scope=user_scope)


def read(state: State) -> None:
    """Read what the guard node wrote."""
    assert_type(state["guard_review"], GuardRecord)
    assert_type(state["guard_review"]["confidence"], float)
    assert_type(state["guard_decision"], Literal["execute", "revise", "acknowledge", "blocked"])
    assert_type(route_guard(state), Literal["execute", "revise", "acknowledge", "blocked"])


def failed(message: ToolMessage) -> bool:
    """Tell whether a call failed."""
    return str(message.text).startswith("Error")


def watch(guard: DriftGuard, tools: list[BaseTool]) -> list[BaseCallbackHandler]:
    """Guard tool calls."""
    wrapper = guard_tool_call(
        guard, policy="block", failed=failed, on_error="fail_closed", timeout=None
    )
    assert_type(wrapper.errors, dict[str, int])
    ToolNode(tools, wrap_tool_call=wrapper, awrap_tool_call=wrapper.acall)
    middleware = MistakeGuardMiddleware(
        lambda _: guard, policy="acknowledge", scope=thread_scope, nudge_after=4, stop_after=None
    )
    assert_type(middleware.errors, dict[str, int])
    recorder = MistakeRecorder(guard, scope="staging", successes=False)
    assert_type(recorder.errors, dict[str, int])
    return [recorder]


def pass_on(agent: Any, guard: DriftGuard) -> None:
    """Pass a guard with the run."""
    MistakeGuardMiddleware()
    agent.invoke({}, context={"guard": guard})
