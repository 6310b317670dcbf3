"""`MistakeGuardMiddleware` in agents of the real `deepagents`."""

from types import SimpleNamespace

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

CONFIG = {"configurable": {"thread_id": "1"}}


class Worker(BaseChatModel):
    """Runs the query that it is asked for once, and says what came of it; safe to share."""

    @property
    def _llm_type(self):
        return "worker"

    def bind_tools(self, tools, **kwargs):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        last = messages[-1]
        if isinstance(last, ToolMessage):
            return reply(AIMessage(f"It came to: {last.text}"))
        asked = next(m.text for m in reversed(messages) if isinstance(m, HumanMessage))
        call = {"name": "sql", "args": {"query": asked}, "id": "call-1"}
        return reply(AIMessage("", tool_calls=[call]))


class Boss(Worker):
    """Gives each line of what it is asked to the sub-agent, all at once."""

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        if isinstance(messages[-1], ToolMessage):
            return reply(AIMessage("done"))
        calls = [
            {
                "name": "task",
                "args": {"description": line, "subagent_type": "analyst"},
                "id": f"task-{number}",
            }
            for number, line in enumerate(messages[-1].text.splitlines())
        ]
        return reply(AIMessage("", tool_calls=calls))


def reply(message):
    """Return what a model generates."""
    return ChatResult(generations=[ChatGeneration(message=message)])


@pytest.fixture
def make_deep_agent(optional_package, agents, kit):
    """Return a function that makes a deep agent with or without a guarded sub-agent."""
    deepagents = optional_package("deepagents")

    def make(guard, *, sub, **options):
        ran = []
        sql = kit.make_sql(ran, fails="total")

        def guarded():
            errors = agents.middleware.ToolErrorMiddleware(lambda error, _: str(error))
            # What is given to a sub-agent is reviewed there, call by call.
            middleware = agents.MistakeGuardMiddleware(guard, exclude_tools=["task"], **options)
            return [errors, middleware]

        analyst = {
            "name": "analyst",
            "description": "Runs a query.",
            "system_prompt": "Run the query.",
            "model": Worker(),
            "tools": [sql],
            "middleware": guarded(),
        }
        graph = deepagents.create_deep_agent(
            Boss() if sub else Worker(),
            tools=[sql],
            middleware=guarded(),
            subagents=[analyst] if sub else [],
            checkpointer=InMemorySaver(),
        )
        return SimpleNamespace(graph=graph, ran=ran)

    return make


TOTAL, AMOUNT = "SELECT total FROM orders", "SELECT amount FROM orders"


def ask(manner, agent, *queries):
    """Ask an agent and return the state."""
    return manner.invoke(agent.graph, {"messages": [("user", "\n".join(queries))]}, CONFIG)


def test_a_deep_agent_learns_and_is_kept_from_its_mistake(guard, make_deep_agent, manner, kit):
    """What fails in one run is blocked in the next."""
    first = make_deep_agent(guard, sub=False)
    ask(manner, first, TOTAL)
    assert [event.feedback for event in guard.events()] == ["ValueError: no such column: total"]
    second = make_deep_agent(guard, sub=False, policy="block", min_confidence=0.6)
    ((_, status, text),) = kit.results(ask(manner, second, "SELECT id, total FROM orders"))
    assert (second.ran, status) == ([], "error")
    assert "no such column: total" in text


def test_sub_agents_with_the_middleware_are_guarded(burnt, make_deep_agent, manner, kit):
    """Of two sub-agents at once the one is blocked, the other works; no state is mixed up."""
    agent = make_deep_agent(burnt, sub=True, policy="block")
    state = ask(manner, agent, TOTAL, AMOUNT)
    assert agent.ran == [AMOUNT]
    (_, _, blocked), (_, _, worked) = kit.results(state)
    assert "no such column: total" in blocked
    assert worked == "It came to: 42"
    assert not [key for key in state if "guard" in key]


def test_a_person_is_asked_from_inside_sub_agents(burnt, make_deep_agent, manner, kit):
    """Two sub-agents wait for a person at once; each is answered by the id of its question."""
    agent = make_deep_agent(burnt, sub=True, policy="acknowledge")
    state = ask(manner, agent, TOTAL, f"{TOTAL} LIMIT 1")
    questions = {
        question.value["calls"][0]["args"]["query"]: question.id
        for question in state["__interrupt__"]
    }
    assert sorted(questions) == [TOTAL, f"{TOTAL} LIMIT 1"]
    assert agent.ran == []
    burnt.hide([event.event_id for event in burnt.events()])
    answers = {
        questions[TOTAL]: {"type": "reject", "message": "not today"},
        questions[f"{TOTAL} LIMIT 1"]: {"type": "approve"},
    }
    state = manner.invoke(agent.graph, Command(resume=answers), CONFIG)
    assert agent.ran == [f"{TOTAL} LIMIT 1"]
    (_, _, rejected), (_, _, approved) = kit.results(state)
    assert "not today" in rejected
    assert approved == "It came to: no such column: total"
