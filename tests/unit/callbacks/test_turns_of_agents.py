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


@pytest.mark.parametrize("ending", ["closed", "cancelled"])
def test_an_agent_cut_off_while_it_speaks_is_a_turn_with_what_was_said(
    kit, agents, handler, config, start, ending
):
    """LangChain tells no end of a model that is cut off inside a graph: its tokens were heard."""

    class Slow(kit.FakeModel):
        async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
            for chunk in self._stream(messages):
                if run_manager:
                    await run_manager.on_llm_new_token(str(chunk.text), chunk=chunk)
                yield chunk
                await asyncio.sleep(0.001)
                if "takes" in chunk.text:
                    spoken.set()
                    await asyncio.sleep(60)

    async def read(stream):
        async for piece, _ in stream:
            if ending == "closed" and "takes" in piece.text:
                break

    async def main():
        agent = agents.create_agent(Slow(kit.call("rate", {"bank": "a"}), ANSWER), [rate])
        stream = agent.astream(start, config, stream_mode="messages")
        reading = asyncio.create_task(read(stream))
        await spoken.wait()
        if ending == "cancelled":
            reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        await stream.aclose()

    spoken = asyncio.Event()
    asyncio.run(main())
    assert kit.said(handler) == [(ASK, "A loan takes")]
    assert not handler.turns[0].complete


def test_an_agent_given_the_handler_anew_inside_a_tool_is_part_of_the_turn(
    kit, agents, manner, handler, config, start
):
    """Callbacks named again in an inner call cut it loose from its parent, not from the turn."""
    inner = agents.create_agent(kit.FakeModel("Inner says pasta."), [])

    @tool
    def expert(question: str) -> str:
        """Ask an expert."""
        found = inner.invoke({"messages": [HumanMessage(question)]}, {"callbacks": [handler]})
        return found["messages"][-1].text

    model = kit.FakeModel(kit.call("expert", {"question": "Cook?"}), ANSWER)
    manner.invoke(agents.create_agent(model, [expert]), start, config)
    assert kit.said(handler) == TURN


def test_a_handoff_between_agents_is_one_turn(kit, agents, manner, handler, config, start):
    """An agent that hands over to another leaves the answer to it."""
    graph = pytest.importorskip("langgraph.graph")
    types = pytest.importorskip("langgraph.types")

    @tool
    def hand_over() -> types.Command:
        """Hand over."""
        told = {"role": "tool", "content": "done", "tool_call_id": "call-1"}
        return types.Command(goto="second", graph=types.Command.PARENT, update={"messages": [told]})

    first = agents.create_agent(kit.FakeModel(kit.call("hand_over")), [hand_over], name="first")
    second = agents.create_agent(kit.FakeModel(ANSWER), [], name="second")
    built = graph.StateGraph(graph.MessagesState)
    built.add_node("first", first, destinations=("second",)).add_node("second", second)
    manner.invoke(built.add_edge(graph.START, "first").compile(), start, config)
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
