"""One right turn for every run of an agent, and of many at once."""

import asyncio

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

ASK = "What do I need for a loan?"
ANSWER = "A loan takes proof of income."
TURN = [(ASK, ANSWER)]


@pytest.fixture
def agents(optional_package):
    return optional_package("langchain.agents")


@pytest.fixture
def config(handler):
    return {"callbacks": [handler], "configurable": {"thread_id": "42"}}


@pytest.fixture
def start():
    return {"messages": [HumanMessage(ASK)]}


@tool
def rate(bank: str) -> str:
    """Return the rate of a bank."""
    return f"4 % at {bank}"


def test_an_agent_with_two_tool_loops_is_a_turn(kit, agents, manner, handler, config, start):
    """Three calls of the model, two of them for tools, are one turn."""
    calls = [kit.call("rate", {"bank": name}, number) for number, name in enumerate("ab")]
    agent = agents.create_agent(kit.FakeModel(*calls, ANSWER), [rate], system_prompt="You help.")
    manner.invoke(agent, start, config)
    assert kit.said(handler) == TURN


def test_an_agent_that_talks_while_it_calls_tools_is_a_turn(
    kit, agents, manner, handler, config, start
):
    """What an agent says beside a tool call is not its reply."""
    talk = AIMessage("Let me bake that.", tool_calls=kit.call("rate", {"bank": "a"}).tool_calls)
    agent = agents.create_agent(kit.FakeModel(talk, ANSWER), [rate])
    manner.invoke(agent, start, config)
    assert kit.said(handler) == TURN


def test_an_agent_inside_a_tool_is_part_of_the_turn(kit, agents, manner, handler, config, start):
    """The outer user's words and the outer reply are the turn; the inner agent's are not."""
    inner = agents.create_agent(kit.FakeModel("Inner says pasta."), [], name="inner")

    @tool
    def expert(question: str) -> str:
        """Ask an expert."""
        return inner.invoke({"messages": [HumanMessage(question)]})["messages"][-1].text

    model = kit.FakeModel(kit.call("expert", {"question": "Cook?"}), ANSWER)
    manner.invoke(agents.create_agent(model, [expert]), start, config)
    assert kit.said(handler) == TURN


def test_summarisation_in_the_middle_is_no_turn(kit, agents, manner, handler, config):
    """Turns before and after a summary are the user's, and the summary is nobody's words."""
    middleware = pytest.importorskip("langchain.agents.middleware")
    summariser = kit.FakeModel(*["They spoke of pasta."] * 5)
    agent = agents.create_agent(
        kit.FakeModel("one", "two", "three"),
        [],
        middleware=[
            middleware.SummarizationMiddleware(
                summariser, trigger=("messages", 3), keep=("messages", 1)
            )
        ],
        checkpointer=InMemorySaver(),
    )
    for text in ("first", "second", "third"):
        result = manner.invoke(agent, {"messages": [HumanMessage(text)]}, config)
    assert result["messages"][0].additional_kwargs["lc_source"] == "summarization"
    assert kit.said(handler) == [("first", "one"), ("second", "two"), ("third", "three")]


def test_an_approved_tool_call_is_one_turn(kit, agents, manner, handler, config, start):
    """An agent that waits for a person and goes on is one turn."""
    middleware = pytest.importorskip("langchain.agents.middleware")
    types = pytest.importorskip("langgraph.types")
    agent = agents.create_agent(
        kit.FakeModel(kit.call("rate", {"bank": "a"}), ANSWER),
        [rate],
        middleware=[middleware.HumanInTheLoopMiddleware(interrupt_on={"rate": True})],
        checkpointer=InMemorySaver(),
    )
    manner.invoke(agent, start, config)
    assert handler.turns == ()
    manner.invoke(agent, types.Command(resume={"decisions": [{"type": "approve"}]}), config)
    assert kit.said(handler) == TURN


@pytest.mark.parametrize("mode", ["values", "updates", "messages"])
def test_a_streamed_agent_is_a_turn(kit, agents, manner, handler, config, start, mode):
    """However an agent is streamed, it is one turn."""
    model = kit.FakeModel(kit.call("rate", {"bank": "a"}), ANSWER)
    manner.stream(agents.create_agent(model, [rate]), start, config, stream_mode=mode)
    assert kit.said(handler) == TURN


def test_twenty_conversations_at_once_are_kept_apart(kit, agents, handler):
    """Twenty concurrent agents on one handler: twenty turns, each question with its answer."""

    @tool
    async def wait(number: int) -> str:
        """Wait a little."""
        await asyncio.sleep(0.001 * (number % 5))
        return "done"

    def agent(number):
        model = kit.FakeModel(kit.call("wait", {"number": number}), f"loan {number}")
        return agents.create_agent(model, [wait], checkpointer=InMemorySaver())

    async def main():
        runs = [
            agent(number).ainvoke(
                {"messages": [HumanMessage(f"question {number}")]},
                {"callbacks": [handler], "configurable": {"thread_id": str(number)}},
            )
            for number in range(20)
        ]
        await asyncio.gather(*runs)

    asyncio.run(main())
    wanted = {(str(n), f"question {n}", f"loan {n}") for n in range(20)}
    found = [(t.thread_id, t.user_message, t.assistant_response) for t in handler.turns]
    assert len(found) == 20
    assert set(found) == wanted
    assert len(handler._runs._trees) == 0
