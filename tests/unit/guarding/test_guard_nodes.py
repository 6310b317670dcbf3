"""The guard node and its routes, in real graphs."""

import dataclasses
from typing import Annotated

import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode

from langchain_drift import (
    GuardrailTriggered,
    GuardState,
    InvalidInputError,
    Scope,
    make_guard_node,
    make_guard_route,
    route_guard,
    thread_scope,
    user_scope,
)

ACTION = "clear out the temp folder"


class State(GuardState):
    """The state of a graph with messages."""

    messages: Annotated[list, add_messages]
    ran: list
    go: bool


def make_graph(node, route=route_guard, ends=("execute", "revise", "acknowledge", "blocked"), **c):
    """Return a graph whose ends note where it went."""
    builder = StateGraph(State, **c)
    builder.add_node("guard", node)
    for name in ends:
        builder.add_node(name, lambda state, name=name: {"ran": [name]})
    builder.add_edge(START, "guard")
    builder.add_conditional_edges("guard", route, list(ends))
    return builder.compile()


def plain(value):
    """Tell whether a value holds nothing but plain JSON."""
    if isinstance(value, dict):
        return all(type(k) is str and plain(v) for k, v in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return type(value) in (str, int, float, bool, type(None))


@pytest.mark.parametrize(
    ("policy", "where"),
    [
        ("warn", "execute"),
        ("record_only", "execute"),
        ("block", "revise"),
        ("acknowledge", "acknowledge"),
    ],
)
def test_each_policy_leads_where_it_says(prose, manner, policy, where):
    """A known mistake goes on under `warn`, back under `block`, to a person to acknowledge."""
    graph = make_graph(make_guard_node(prose, policy=policy))
    state = manner.invoke(graph, {"candidate_action": ACTION})
    assert state["ran"] == [where]
    assert state["guard_decision"] == where


def test_an_unknown_action_goes_on_under_every_policy(prose, manner):
    """What nothing speaks against is executed."""
    for policy in ("warn", "block", "acknowledge", "record_only"):
        graph = make_graph(make_guard_node(prose, policy=policy))
        state = manner.invoke(graph, {"candidate_action": "write the quarterly report"})
        assert state["ran"] == ["execute"]
        assert state["guard_review"]["warnings"] == []


def test_what_stands_in_the_state_is_plain_json(prose, manner):
    """The review holds strings, numbers, lists and dicts only, and says what failed."""
    state = manner.invoke(make_graph(make_guard_node(prose)), {"candidate_action": ACTION})
    record = state["guard_review"]
    assert plain(record)
    assert record["warnings"][0]["risk"] == "it wiped the build cache"
    assert record["confidence"] == record["warnings"][0]["confidence"] > 0.8
    assert "it wiped the build cache" in record["prompt"]


def test_the_guard_does_not_look_under_record_only(prose, manner):
    """`record_only` takes effect: the memory is not asked."""
    state = manner.invoke(
        make_graph(make_guard_node(prose, policy="record_only")), {"candidate_action": ACTION}
    )
    assert state["guard_review"]["warnings"] == []
    assert prose.stats()["metrics"]["counters"]["reviews_skipped_total"] == 1
    assert prose.stats()["metrics"]["counters"]["reviews_total"] == 0


def test_the_policy_of_the_settings_holds_by_default(make_guard, manner):
    """Without a policy of its own the node has that of the guard."""
    guard = make_guard(guard_policy="block", guard_min_confidence=0.6)
    guard.record(ACTION, "it wiped the build cache")
    state = manner.invoke(make_graph(make_guard_node(guard)), {"candidate_action": ACTION})
    assert state["ran"] == ["revise"]


def test_sending_back_ends(prose, manner):
    """A planner that insists is sent back as often as allowed, then blocked."""
    builder = StateGraph(State)
    builder.add_node("planner", lambda state: {"candidate_action": ACTION})
    builder.add_node("guard", make_guard_node(prose, policy="block", revisions=3))
    builder.add_edge(START, "planner")
    builder.add_edge("planner", "guard")
    route = make_guard_route(revise="planner", execute=END, blocked=END)
    builder.add_conditional_edges("guard", route, ["planner", END])
    state = manner.invoke(builder.compile(), {})
    assert state["guard_decision"] == "blocked"
    assert state["guard_review"]["revisions"] == 3
    assert state["guard_review"]["revisions_left"] == 0


def test_an_acknowledgement_in_the_state_lets_pass(prose, manner):
    """A key that says that somebody agreed lets the action pass, under `acknowledge` alone."""
    given = {"candidate_action": ACTION, "go": True}
    for policy, where in (("acknowledge", "execute"), ("block", "revise")):
        node = make_guard_node(prose, policy=policy, acknowledged_key="go")
        assert manner.invoke(make_graph(node), given)["ran"] == [where]


def test_a_function_tells_the_action(prose, manner):
    """`action_of` finds the action where the state keeps it."""
    node = make_guard_node(
        prose, policy="block", action_of=lambda state: state["messages"][-1].text
    )
    state = manner.invoke(make_graph(node), {"messages": [HumanMessage(ACTION)]})
    assert state["ran"] == ["revise"]


def test_no_action_is_an_error_that_names_the_keys(guard):
    """Without an action the node says where it looked and what there is."""
    with pytest.raises(InvalidInputError, match=r"'candidate_action'.*'ran'.*action_of"):
        make_graph(make_guard_node(guard)).invoke({"ran": []})


def test_only_the_blocked_call_of_a_message_is_answered(burnt, manner, kit):
    """Of parallel tool calls the blocked one is answered, the other runs, and all stay paired."""
    ran = []
    sql = kit.make_sql(ran)
    builder = StateGraph(State)
    builder.add_node("guard", make_guard_node(burnt, policy="block"))
    builder.add_node("execute", ToolNode([sql]))
    builder.add_edge(START, "guard")
    builder.add_conditional_edges(
        "guard", make_guard_route(revise=END, blocked=END), ["execute", END]
    )
    asked = kit.calls("SELECT total FROM orders", "SELECT name FROM users")
    state = manner.invoke(builder.compile(), {"messages": [HumanMessage("q"), asked]})
    assert ran == ["SELECT name FROM users"]
    (one, other) = kit.results(state)
    assert one[:2] == ("call-1", "error")
    assert "no such column: total" in one[2]
    assert other == ("call-2", "success", "42")
    assert kit.paired(state["messages"])


def test_a_message_whose_calls_are_all_blocked_goes_back(burnt, manner, kit):
    """If nothing of a message may run, its calls are answered and the model is asked again."""
    node = make_guard_node(burnt, policy="block")
    asked = kit.calls("SELECT total FROM orders")
    state = manner.invoke(make_graph(node), {"messages": [HumanMessage("q"), asked]})
    assert state["ran"] == ["revise"]
    assert isinstance(state["messages"][-1], ToolMessage)
    assert kit.paired(state["messages"])


def test_a_call_that_is_answered_is_not_asked_about_again(burnt, kit, manner):
    """Calls that have a result already are neither reviewed nor run again."""
    node = make_guard_node(burnt, policy="block")
    asked = kit.calls("SELECT name FROM users", "SELECT total FROM orders")
    done = ToolMessage("7", tool_call_id="call-1")
    state = manner.invoke(make_graph(node), {"messages": [asked, done]})
    assert [one["id"] for one in state["guard_review"]["actions"]] == ["call-2"]
    assert kit.paired(state["messages"])


def test_the_guard_comes_from_the_context_of_the_run(prose, manner):
    """Without a guard of its own the node takes `guard` of the run's context, dict or object."""

    @dataclasses.dataclass
    class Context:
        guard: object

    node = make_guard_node(policy="block")
    for context in (Context(prose), {"guard": prose}):
        graph = make_graph(node, context_schema=type(context))
        state = manner.invoke(graph, {"candidate_action": ACTION}, context=context)
        assert state["ran"] == ["revise"]
    with pytest.raises(InvalidInputError, match="guard of this run is None"):
        make_graph(node).invoke({"candidate_action": ACTION})


def test_a_function_tells_the_guard(prose, guard, manner):
    """The guard may hang on where the node runs."""
    node = make_guard_node(lambda place: {"a": prose}[place.thread_id], policy="block")
    config = {"configurable": {"thread_id": "a"}}
    assert manner.invoke(make_graph(node), {"candidate_action": ACTION}, config)["ran"] == [
        "revise"
    ]


def test_scopes_keep_memories_apart(guard, manner):
    """A thread, a user or a function tells whose memory is asked."""
    for _ in range(3):
        guard.record(ACTION, "it wiped the cache", scope=Scope(user="ann"))
        guard.record(ACTION, "it wiped the cache", scope=Scope(environment="thread 7"))

    def where(scope, context=None, **configurable):
        node = make_guard_node(guard, policy="block", scope=scope)
        graph = make_graph(node, context_schema=dict)
        config = {"configurable": configurable}
        return manner.invoke(graph, {"candidate_action": ACTION}, config, context=context)["ran"]

    assert where(user_scope, {"user_id": "ann"}) == ["revise"]
    assert where(user_scope, user_id="ann") == ["revise"]
    assert where(user_scope, {"user_id": "bob"}, user_id="ann") == ["execute"]
    assert where(thread_scope, thread_id="7") == ["revise"]
    assert where(thread_scope, thread_id="8") == ["execute"]
    assert where(lambda place: Scope(user=place.configurable["who"]), who="ann") == ["revise"]
    assert where(None) == ["execute"]
    with pytest.raises(InvalidInputError, match="names no user"):
        where(user_scope)
    with pytest.raises(InvalidInputError, match="no thread"):
        where(thread_scope)


def test_the_published_keys_are_written_when_named(prose, manner):
    """Who comes from driftguard-ai finds the six keys of its node, in plain JSON."""

    class Published(GuardState):
        guard_warnings_count: int
        guard_confidence: float
        guard_top_warning: dict | None
        guard_reinforcements_count: int
        guard_top_reinforcement: dict | None

    node = make_guard_node(
        prose,
        warnings_key="guard_warnings_count",
        confidence_key="guard_confidence",
        top_warning_key="guard_top_warning",
        reinforcements_key="guard_reinforcements_count",
        top_reinforcement_key="guard_top_reinforcement",
    )
    graph = StateGraph(Published).add_node("guard", node).add_edge(START, "guard").compile()
    state = manner.invoke(graph, {"candidate_action": ACTION})
    assert state["guard_warnings_count"] == 1
    assert state["guard_confidence"] == state["guard_review"]["confidence"]
    assert state["guard_top_warning"]["risk"] == "it wiped the build cache"
    assert state["guard_reinforcements_count"] == 0
    assert state["guard_top_reinforcement"] is None
    assert plain({k: v for k, v in state.items() if k.startswith("guard")})


def test_raising_is_there_for_who_asks(prose, manner):
    """With `on_block="raise"` a blocked action leaves the graph as an error with its review."""
    node = make_guard_node(prose, policy="block", on_block="raise")
    with pytest.raises(GuardrailTriggered) as caught:
        manner.invoke(make_graph(node), {"candidate_action": ACTION})
    assert caught.value.review.warnings


def test_a_schema_without_the_keys_is_told_so():
    """Keys that a schema does not declare are dropped, and the route then says what to do."""
    with pytest.raises(InvalidInputError, match="inherit from GuardState"):
        route_guard({"messages": []})
    with pytest.raises(InvalidInputError, match="'mine'"):
        make_guard_route(decision_key="mine")({"guard_decision": "execute"})


def test_keys_and_names_can_be_chosen(prose, manner):
    """Every key and every name can be one's own."""

    class OwnState(State):
        step: str
        said: dict
        where: str
        came: dict | None

    node = make_guard_node(
        prose,
        policy="block",
        action_key="step",
        review_key="said",
        decision_key="where",
        outcome_key="came",
    )
    builder = StateGraph(OwnState)
    builder.add_node("guard", node)
    builder.add_node("plan", lambda state: {"ran": ["plan"]})
    builder.add_edge(START, "guard")
    route = make_guard_route(revise="plan", decision_key="where", execute=END, blocked=END)
    builder.add_conditional_edges("guard", route, ["plan", END])
    state = manner.invoke(builder.compile(), {"step": ACTION})
    assert state["ran"] == ["plan"]
    assert state["said"]["warnings"]
    assert "guard_review" not in state


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"policy": "blok"}, "blok"),
        ({"min_confidence": 2}, "min_confidence"),
        ({"revisions": -1}, "revisions"),
        ({"on_block": "shout"}, "shout"),
    ],
)
def test_wrong_arguments_are_named(guard, wrong, named):
    """An argument that cannot be used is refused when the node is made."""
    with pytest.raises(InvalidInputError, match=named):
        make_guard_node(guard, **wrong)


def test_a_misspelt_argument_is_no_key(guard):
    """A name that is not known is refused, so that no guard runs without its policy."""
    with pytest.raises(InvalidInputError, match="'polcy'"):
        make_guard_node(guard, polcy="block")


def test_the_state_can_be_shown_as_a_schema(guard):
    """Studio and servers can read the schema of a guarded graph."""
    schema = make_graph(make_guard_node(guard)).get_output_jsonschema()
    assert {"guard_review", "guard_decision"} <= schema["properties"].keys()
