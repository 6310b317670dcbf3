"""Cases that people met in the field with guards of agents; each names its source."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from langchain_drift import GuardState, guard_tool_call, make_guard_node


def play(manner, guard, name, steps, *, invent=lambda args, n: "ok", **options):
    """Let a model make calls of one tool, one after the other, under the guard.

    Returns:
        The texts of the results, and the arguments of the calls that really ran.
    """
    ran = []

    def run(**args):
        ran.append(args)
        return invent(args, len(ran))

    properties = {key: {} for args in steps for key in args}
    schema = {"type": "object", "properties": properties, "title": name, "description": name}
    made = StructuredTool(name=name, description=name, args_schema=schema, func=run)
    wrapper = guard_tool_call(guard, **options)
    node = ToolNode([made], wrap_tool_call=wrapper, awrap_tool_call=wrapper.acall)
    replies = iter(
        [
            AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call-{n:03}"}])
            for n, args in enumerate(steps)
        ]
    )
    builder = StateGraph(MessagesState)
    builder.add_node("model", lambda state: {"messages": [next(replies, AIMessage("done"))]})
    builder.add_node("tools", node)
    builder.add_edge(START, "model")
    builder.add_conditional_edges(
        "model",
        lambda state: "tools" if state["messages"][-1].tool_calls else "__end__",
        ["tools", "__end__"],
    )
    builder.add_edge("tools", "model")
    state = manner.invoke(
        builder.compile(), {"messages": [HumanMessage("q")]}, {"recursion_limit": 500}
    )
    assert wrapper.errors == {}
    return state, ran


def notes(kit, state):
    """Return which results, counted from one, carry a note of the guard."""
    texts = [text for _, _, text in kit.results(state)]
    return [number for number, text in enumerate(texts, 1) if "[mistake guard]" in text]


def test_timing_the_warning_appears_when_the_action_is_proposed(guard, manner, kit):
    """claude-code#36296: a lesson in six wordings is one memory of six, told at the action."""
    for words in (
        "send instructions without checking the contract",
        "send the instructions without verifying the contract",
        "send out instructions without checking the contract first",
        "deliver instructions without having checked the contract",
        "send instructions without a check of the contract",
        "instructions are sent without checking the contract",
    ):
        guard.record(words, "the contract was broken")
    graph = StateGraph(GuardState).add_node("guard", make_guard_node(guard, policy="block"))
    given = {"candidate_action": "send instructions without checking the contract"}
    state = manner.invoke(graph.add_edge(START, "guard").compile(), given)
    (warning,) = state["guard_review"]["warnings"]
    assert warning["frequency"] == 6
    assert state["guard_decision"] == "revise"


def test_timing_the_warning_is_attached_to_the_call(guard, manner, kit):
    """remnic#2382: the fact is told at the very call it is about, and nowhere before it."""
    fact = "editing generated file is overwritten by the build"
    guard.record({"name": "edit", "args": {"path": "dist/app.js"}}, fact)
    guard.record_success({"name": "edit", "args": {"path": "src/main.ts"}})
    steps = [{"path": "src/main.ts"}, {"path": "dist/app.js"}, {"path": "src/other.ts"}]
    state, ran = play(manner, guard, "edit", steps)
    assert ran == steps
    assert notes(kit, state) == [2]
    holding = [(m.type, m.tool_call_id) for m in state["messages"] if fact in str(m.content)]
    assert holding == [("tool", "call-001")]


def test_loop_one_changed_argument_and_honest_paging(guard, manner, kit):
    """deer-flow#1905 and #5486 together: another end is no way out, and pages are no loop."""
    evading = [{"path": "a.py", "end_line": end} for end in (220, 260, 320)]
    state, ran = play(manner, guard, "read_file", evading, invent=lambda args, n: f"{args}" * 9)
    assert notes(kit, state) == [3]
    pages = [{"path": "a.py", "start_line": n, "end_line": n + 39} for n in range(1, 200, 40)]
    state, ran = play(manner, guard, "read_file", pages, invent=lambda args, n: f"{args}" * 9)
    assert notes(kit, state) == []
    assert len(ran) == 5


def test_loop_evading_is_stopped_and_paging_is_not(guard, manner, kit):
    """However long it goes on: twenty overlapping reads are stopped, a hundred pages are not."""
    evading = [{"path": "a.py", "end_line": 200 + n} for n in range(20)]
    _, ran = play(manner, guard, "read_file", evading, invent=lambda args, n: f"{args}")
    assert len(ran) == 6
    pages = [{"path": "a.py", "offset": 50 * n, "limit": 50} for n in range(100)]
    _, ran = play(manner, guard, "read_file", pages, invent=lambda args, n: f"{args}")
    assert len(ran) == 100


def test_loop_a_long_batch_is_not_stopped(guard, manner, kit):
    """deer-flow#2511, #2517: forty distinct successful calls all run, and pairs stay valid."""
    batch = [{"sample": n} for n in range(40)]
    state, ran = play(manner, guard, "run_sample", batch)
    assert ran == batch
    assert notes(kit, state) == []
    assert kit.paired(state["messages"])


def test_loop_three_things_attached_are_three(guard, manner, kit):
    """pydantic-deepagents#208: three files attached, each returning true, are no loop."""
    steps = [{"file": name} for name in "abc"]
    state, ran = play(manner, guard, "attach", steps, invent=lambda args, n: "true")
    assert (ran, notes(kit, state)) == (steps, [])


def test_loop_the_same_command_is_warned_of_and_stopped(guard, manner, kit):
    """LLMKube#569: 58 times the same empty output is told at the third, stopped as configured."""
    steps = [{"command": "git log branch | grep 449"}] * 58
    state, ran = play(manner, guard, "bash", steps, invent=lambda args, n: "", stop_after=10)
    assert notes(kit, state)[0] == 3
    assert len(ran) == 10
    assert kit.paired(state["messages"])


def test_loop_polling_is_not_stopped(guard, manner, kit):
    """Waiting for a job that is under way goes on for as long as it takes."""
    steps = [{"job": 7}] * 30
    invent = lambda args, n: "pending" if n < 30 else "done"  # noqa: E731 - as short as it gets
    state, ran = play(manner, guard, "get_job", steps, invent=invent)
    assert len(ran) == 30
    assert notes(kit, state) == []


@pytest.mark.parametrize(
    ("mistake", "proposed"),
    [
        ("shutdown the host", "git commit -m 'document host shutdown steps'"),
        ("rm -rf build", "rm -f build/a.log"),
    ],
)
def test_guard_a_mention_or_a_lesser_command_runs(guard, manner, kit, mistake, proposed):
    """loom#3553 and nanobot#278: neither a mere word nor a smaller step is blocked."""
    for _ in range(9):
        guard.record({"name": "bash", "args": {"command": mistake}}, "data was lost")
    _, ran = play(manner, guard, "bash", [{"command": proposed}], policy="block")
    assert ran == [{"command": proposed}]


@pytest.mark.parametrize(
    ("policy", "runs"), [("record_only", True), ("warn", True), ("block", False)]
)
def test_guard_every_policy_takes_effect(guard, manner, kit, policy, runs):
    """strix#953: each switch shows at a call that is known to be bad."""
    step = {"command": "rm -rf build"}
    for _ in range(3):
        guard.record({"name": "bash", "args": step}, "data was lost")
    state, ran = play(manner, guard, "bash", [step], policy=policy)
    assert bool(ran) is runs
    assert bool(notes(kit, state)) is (policy != "record_only")


def test_middleware_a_supplied_history_is_not_taken_for_a_check(burnt, agents, manner, kit):
    """langchain#40704: after five turns given at once, each open call is reviewed, once.

    Calls of the history that have results are not run, reviewed or told again.
    """
    ran = []
    sql = kit.make_sql(ran)

    class ToTools(agents.middleware.AgentMiddleware):
        @agents.middleware.hook_config(can_jump_to=["tools"])
        def before_agent(self, state, runtime):
            return {"jump_to": "tools"}

    agent = agents.create_agent(
        kit.FakeModel("done"),
        [sql],
        middleware=[agents.MistakeGuardMiddleware(burnt, policy="block"), ToTools()],
    )
    history = []
    for number in range(10, 15):
        asked = kit.calls("SELECT total FROM orders", start=number)
        failed = ToolMessage("failed", tool_call_id=f"call-{number}", status="error")
        history += [HumanMessage("q"), asked, failed, AIMessage("sorry")]
    last = kit.calls("SELECT total FROM orders", "SELECT name FROM users", start=20)
    state = manner.invoke(agent, {"messages": [*history, HumanMessage("q"), last]})
    assert ran == ["SELECT name FROM users"]
    assert [status for _, status, _ in kit.results(state)] == ["error"] * 6 + ["success"]
    assert "[mistake guard]" in kit.results(state)[5][2]
    assert burnt.stats()["metrics"]["counters"]["reviews_total"] == 2
    assert len(burnt.events()) == 2


def test_interrupt_what_stands_before_it_runs_once(burnt, agents, manner, kit):
    """langgraph#7780: three resumes of one question review once and record once."""
    sql = kit.make_sql()
    agent = agents.create_agent(
        kit.FakeModel(kit.calls("SELECT total FROM orders"), "done"),
        [sql],
        middleware=[agents.MistakeGuardMiddleware(burnt, policy="acknowledge", successes="all")],
        checkpointer=InMemorySaver(),
    )
    config = {"configurable": {"thread_id": "1"}}
    manner.invoke(agent, {"messages": [("user", "q")]}, config)
    for wrong in ("yes", 1):
        with pytest.raises(ValueError, match="validation error"):
            manner.invoke(agent, Command(resume=wrong), config)
    manner.invoke(agent, Command(resume={"type": "approve"}), config)
    assert burnt.stats()["metrics"]["counters"]["reviews_total"] == 1
    assert [event.kind for event in burnt.events()] == ["mistake", "mistake", "success"]
