"""Guards in graphs that branch, jump and stream."""

import operator
from typing import Annotated, Literal, TypedDict

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send

from langchain_drift import GuardState, add_guard, make_guard_node, route_guard

KNOWN = "clear out the temp folder"
CONFIG = {"configurable": {"thread_id": "1"}}


class Job(GuardState):
    """The state of one branch."""

    done: Annotated[list, operator.add]


class Jobs(TypedDict):
    """What branches give back, and what they are given."""

    plan: list
    done: Annotated[list, operator.add]


class Done(TypedDict):
    """What a branch gives back: nothing of its guard."""

    done: Annotated[list, operator.add]


def execute(state):
    """Do a step."""
    return {"done": [state["candidate_action"]], "guard_outcome": {"failed": False}}


def test_each_branch_of_a_fan_out_is_guarded(prose, manner):
    """Branches by `Send` are asked about apart, and each answer holds for its own branch."""
    job = StateGraph(Job, output_schema=Done).add_node("execute", execute)
    job.add_edge(START, "execute")
    add_guard(job, prose, before="execute", policy="acknowledge")
    builder = StateGraph(Jobs).add_node("plan", lambda state: {}).add_node("job", job.compile())
    builder.add_edge(START, "plan")
    builder.add_conditional_edges(
        "plan",
        lambda state: [Send("job", {"candidate_action": step}) for step in state["plan"]],
        ["job"],
    )
    graph = builder.compile(checkpointer=InMemorySaver())
    plan = [KNOWN, "list what is in the home folder", f"please {KNOWN}"]
    state = manner.invoke(graph, {"plan": plan}, CONFIG)
    questions = {q.value["calls"][0]["args"]: q.id for q in state["__interrupt__"]}
    assert sorted(questions) == sorted([plan[0], plan[2]])
    answers = {questions[plan[0]]: {"type": "reject"}, questions[plan[2]]: {"type": "approve"}}
    state = manner.invoke(graph, Command(resume=answers), CONFIG)
    assert state["done"] == plan[1:]
    worked = [event.action for event in prose.events() if event.kind == "success"]
    assert sorted(worked) == sorted(plan[1:])


def test_a_command_may_lead_to_the_guard(prose, manner):
    """A planner that goes on by `Command` comes to the guard by its name, and back."""

    def planner(state) -> Command[Literal["guard"]]:
        again = state.get("guard_decision") == "revise"
        step = "list what is in the home folder" if again else KNOWN
        return Command(goto="guard", update={"candidate_action": step})

    builder = StateGraph(Job).add_node("planner", planner).add_node("execute", execute)
    builder.add_node("guard", make_guard_node(prose, policy="block"))
    builder.add_edge(START, "planner")
    ends = {"execute": "execute", "revise": "planner", "blocked": "__end__"}
    builder.add_conditional_edges("guard", route_guard, ends)
    state = manner.invoke(builder.compile(), {"done": []})
    assert state["done"] == ["list what is in the home folder"]


class Scripted(BaseChatModel):
    """Calls a tool, then says that it is done."""

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **kwargs):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        call = {"name": "sql", "args": {"query": "SELECT total FROM orders"}, "id": "call-1"}
        done = isinstance(messages[-1], ToolMessage)
        message = AIMessage("done") if done else AIMessage("I look", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


@pytest.mark.parametrize(
    "mode",
    ["values", "updates", "messages", "tasks", "checkpoints", "debug", ["messages", "updates"]],
)
def test_every_stream_goes_on_after_an_answer(burnt, agents, manner, kit, mode):
    """In each mode a stream shows what the model said, and after the rejection goes to the end."""
    middleware = agents.MistakeGuardMiddleware(burnt, policy="acknowledge")
    agent = agents.create_agent(
        Scripted(), [kit.make_sql()], middleware=[middleware], checkpointer=InMemorySaver()
    )
    given = {"messages": [("user", "q")]}
    asked = manner.stream(agent, given, CONFIG, stream_mode=mode)
    assert "I look" in str(asked)
    answer = Command(resume={"type": "reject", "message": "not today"})
    rest = str(manner.stream(agent, answer, CONFIG, stream_mode=mode))
    assert "not today" in rest
    assert "done" in rest
    assert middleware.errors == {}


def test_time_travel_of_an_agent_runs_nothing_rejected(burnt, agents, manner, kit):
    """An answered question keeps its first answer; a fork from before it asks the same again."""
    ran = []

    agent = agents.create_agent(
        Scripted(),
        [kit.make_sql(ran)],
        middleware=[agents.MistakeGuardMiddleware(burnt, policy="acknowledge")],
        checkpointer=InMemorySaver(),
    )
    manner.invoke(agent, {"messages": [("user", "q")]}, CONFIG)
    asked = agent.get_state(CONFIG).config
    manner.invoke(agent, Command(resume={"type": "reject"}), CONFIG)
    assert ran == []
    burnt.hide([event.event_id for event in burnt.events()])
    manner.invoke(agent, Command(resume={"type": "approve"}), asked)
    assert ran == []
    fork = agent.update_state(asked, {"messages": []}, as_node="model")
    state = manner.invoke(agent, None, fork)
    assert "no such column: total" in str(state["__interrupt__"][0].value)
    manner.invoke(agent, Command(resume={"type": "approve"}), CONFIG)
    assert ran == ["SELECT total FROM orders"]
