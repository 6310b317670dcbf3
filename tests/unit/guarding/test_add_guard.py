"""`add_guard`: the guard, its edges and the record in one call."""

from typing import Annotated

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command

from langchain_drift import GuardState, InvalidInputError, add_guard

FIRST, SECOND = "clear out the temp folder", "remove only the files of job seven"


class State(GuardState):
    """The state of the graphs here."""

    messages: Annotated[list, add_messages]
    log: Annotated[list, lambda one, other: one + other]


def plan(state):
    """Propose the first plan, and another one when it comes back."""
    proposed = SECOND if state.get("guard_decision") == "revise" else FIRST
    return {"candidate_action": proposed, "log": ["planner"]}


def execute(state):
    return {"guard_outcome": {"failed": False}, "log": [state["candidate_action"]]}


def make_builder():
    builder = StateGraph(State)
    builder.add_node("planner", plan)
    builder.add_node("execute", execute)
    builder.add_node("report", lambda state: {"log": ["report"]})
    builder.add_edge(START, "planner")
    builder.add_edge("planner", "execute")
    builder.add_edge("execute", "report")
    return builder


def test_the_planner_revises_and_the_outcome_is_recorded(prose, manner):
    """Planner, guard, planner again, execute, record and on as before."""
    builder = make_builder()
    add_guard(builder, prose, before="execute", revise="planner", policy="block")
    state = manner.invoke(builder.compile(), {"log": []})
    assert state["log"] == ["planner", "planner", SECOND, "report"]
    assert [e.action for e in prose.events() if e.kind == "success"] == [SECOND]


def test_the_graph_shows_the_guard(prose):
    """The drawn graph has the guard before the node and the record behind it."""
    builder = make_builder()
    add_guard(builder, prose, before="execute", revise="planner")
    edges = {(e.source, e.target) for e in builder.compile().get_graph().edges}
    assert {
        ("planner", "guard"),
        ("guard", "execute"),
        ("guard", "planner"),
        ("guard", "acknowledge"),
        ("guard", END),
        ("acknowledge", "execute"),
        ("acknowledge", "planner"),
        ("execute", "record"),
        ("record", "report"),
    } <= edges
    assert ("planner", "execute") not in edges
    assert ("execute", "report") not in edges


def test_without_a_planner_nothing_goes_back(prose, manner):
    """Without `revise` a blocked action ends the run, or goes where `blocked` says."""
    builder = make_builder()
    add_guard(builder, prose, before="execute", policy="block")
    assert manner.invoke(builder.compile(), {"log": []})["log"] == ["planner"]
    builder = make_builder()
    add_guard(builder, prose, before="execute", blocked="report", policy="block")
    assert manner.invoke(builder.compile(), {"log": []})["log"] == ["planner", "report"]


def test_a_person_is_asked(prose, manner):
    """Under `acknowledge` the run waits for a person, and a rejection goes to the planner."""
    builder = make_builder()
    add_guard(builder, prose, before="execute", revise="planner", policy="acknowledge")
    graph = builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    state = manner.invoke(graph, {"log": []}, config)
    assert state["__interrupt__"]
    state = manner.invoke(graph, Command(resume={"type": "reject"}), config)
    assert state["log"] == ["planner", "planner", SECOND, "report"]


def test_it_guards_the_tool_node_of_an_agent(burnt, manner, kit):
    """Conditional edges with a map are led through the guard, and back to the model."""
    ran = []
    sql = kit.make_sql(ran)
    model = kit.FakeModel(
        kit.calls("SELECT total FROM orders"), kit.calls("SELECT amount FROM orders", start=2), "42"
    )
    builder = StateGraph(State)
    builder.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    builder.add_node("tools", ToolNode([sql]))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
    builder.add_edge("tools", "model")
    add_guard(builder, burnt, before="tools", revise="model", policy="block")
    state = manner.invoke(builder.compile(), {"messages": [HumanMessage("q")], "log": []})
    assert ran == ["SELECT amount FROM orders"]
    assert kit.paired(state["messages"])
    assert [event.kind for event in burnt.events()] == ["mistake", "mistake", "success"]


def test_the_record_can_be_left_out(prose):
    """`record=False` takes effect."""
    builder = make_builder()
    add_guard(builder, prose, before="execute", record=False)
    assert "record" not in builder.nodes


def test_what_cannot_be_guarded_is_named(prose):
    """A node that is not there, and conditional edges without a map, are errors."""
    with pytest.raises(InvalidInputError, match="no node 'exekute'"):
        add_guard(make_builder(), prose, before="exekute")
    builder = make_builder()
    builder.add_conditional_edges("report", lambda state: "execute")
    with pytest.raises(InvalidInputError, match="'report' have no path_map"):
        add_guard(builder, prose, before="execute")
