"""Many conversations at once on one handler, some of them left in the middle."""

import asyncio
import random
from collections import Counter
from typing import ClassVar

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.prompts import ChatPromptTemplate
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

MANY, TURNS = 50, 2
ENDS = ("read", "closed", "cancelled")


class Echo(GenericFakeChatModel):
    """Says piece by piece what it answers to."""

    messages: ClassVar[list[str]] = []

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        for word in ("A", "loan", "for", messages[-1].text, "is", "cheap."):
            await asyncio.sleep(0.001)
            chunk = ChatGenerationChunk(message=AIMessageChunk(f"{word} "))
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


def chain():
    return ChatPromptTemplate.from_messages([("human", "{q}")]) | Echo() | StrOutputParser()


def graph():
    async def answer(state):
        pieces = [piece async for piece in Echo().astream(state["messages"])]
        return {"messages": [("ai", "".join(piece.text for piece in pieces))]}

    built = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer")
    return built.compile(InMemorySaver())


async def talk(runnable, value, config, end, luck):
    """Stream one turn to its end, or leave it."""
    options = {"stream_mode": "messages"} if "messages" in value else {}

    async def read():
        stream = runnable.astream(value, config, **options)
        async for _ in stream:
            if end == "closed":
                break
        await stream.aclose()

    task = asyncio.create_task(read())
    if end == "cancelled":
        await asyncio.sleep(luck.random() * 0.1)
        task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("kind", ["chain", "graph"])
def test_a_crowd_is_kept_apart(kit, kind):
    """Fifty conversations at once: no turn twice, none lost that was read, each its own words."""
    luck = random.Random(7)  # noqa: S311 - no secret
    handler = kit.handler(kit.BANK)
    runnable = chain() if kind == "chain" else graph()
    ends = {}

    async def conversation(number):
        for turn in range(TURNS):
            question = f"question-{number}-{turn}"
            ends[question] = luck.choice(ENDS)
            value = {"q": question} if kind == "chain" else {"messages": [("user", question)]}
            config = {
                "callbacks": [handler],
                "metadata": {"thread_id": str(number)},
                "configurable": {"thread_id": str(number)},
            }
            await talk(runnable, value, config, ends[question], luck)

    async def main():
        await asyncio.gather(*(conversation(number) for number in range(MANY)))

    asyncio.run(main())
    turns = handler.turns
    assert max(Counter(turn.user_message for turn in turns).values()) == 1
    read = {question for question, end in ends.items() if end == "read"}
    assert read <= {turn.user_message for turn in turns if turn.complete}
    for turn in turns:
        whole = f"A loan for {turn.user_message} is cheap."
        assert whole.startswith(turn.assistant_response.strip())
        assert turn.thread_id == turn.user_message.split("-")[1]
        assert turn.complete <= (turn.assistant_response.strip() == whole)
    assert handler.errors == {}
    # LangChain tells no end of a run that is cancelled while its start is told.
    assert len(handler._runs._trees) <= list(ends.values()).count("cancelled")
