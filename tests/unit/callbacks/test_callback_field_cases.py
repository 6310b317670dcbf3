"""Faults that people reported on other handlers, each as the law to keep."""

import asyncio
from uuid import uuid4

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, LLMResult
from langchain_core.runnables import RunnableLambda


def result(text):
    return LLMResult(generations=[[ChatGeneration(message=AIMessage(text))]])


def test_a_stream_is_one_turn_with_its_full_text_whatever_order_events_come_in(kit, handler):
    """langchain#11769: the end of a stream came before its last tokens."""
    run_id = uuid4()
    handler.on_chat_model_start({}, [[HumanMessage("My card?")]], run_id=run_id)
    handler.on_llm_new_token("The ", run_id=run_id)
    handler.on_llm_end(result("The card is blocked."), run_id=run_id)
    for token in ("card ", "is ", "blocked."):
        handler.on_llm_new_token(token, run_id=run_id)
    handler.on_llm_end(result("The card is blocked."), run_id=run_id)
    assert kit.said(handler) == [("My card?", "The card is blocked.")]


def test_a_read_async_stream_has_its_full_text(kit, handler):
    """langchain#11769: the same with a real model and an event loop."""

    class Chunks(GenericFakeChatModel):
        def _stream(self, messages, stop=None, run_manager=None, **kwargs):
            for piece in ("The ", "card ", "is ", "blocked."):
                yield ChatGenerationChunk(message=AIMessageChunk(piece))

    async def main():
        model = Chunks(messages=iter([]))
        return [piece async for piece in model.astream("My card?", {"callbacks": [handler]})]

    assert len(asyncio.run(main())) >= 4
    assert kit.said(handler) == [("My card?", "The card is blocked.")]


def test_sync_and_async_runs_are_both_seen(kit, handler):
    """langchain#5074: the async handler was never called while the sync one was."""
    chain = kit.FakeModel("one", "two") | RunnableLambda(lambda message: message)
    chain.invoke("sync", {"callbacks": [handler]})
    asyncio.run(chain.ainvoke("async", {"callbacks": [handler]}))
    assert kit.said(handler) == [("sync", "one"), ("async", "two")]


def test_a_sync_run_inside_a_loop_is_seen(kit, handler):
    """A blocking `invoke` from a coroutine is a turn as any other."""

    async def main():
        kit.FakeModel("one").invoke("inside", {"callbacks": [handler]})

    asyncio.run(main())
    assert kit.said(handler) == [("inside", "one")]


def test_a_failed_run_is_closed_and_no_turn(kit, manner, handler):
    """deepeval#3303: a chain that failed was left open for ever."""
    fails = iter([True, False])

    def answer(text):
        if next(fails):
            raise ValueError(text)
        return "A loan."

    chain = RunnableLambda(answer)
    with pytest.raises(ValueError, match="one"):
        manner.invoke(chain, "one", {"callbacks": [handler]})
    assert len(handler._runs) == 0
    manner.invoke(chain, "two", {"callbacks": [handler]})
    assert kit.said(handler) == [("two", "A loan.")]


def test_model_calls_inside_middleware_are_not_the_users(kit, manner, handler, optional_package):
    """langchain#34382: a summariser's tokens leaked into the user's stream."""
    agents = optional_package("langchain.agents")
    middleware = optional_package("langchain.agents.middleware")
    summariser = middleware.SummarizationMiddleware(
        kit.FakeModel("They spoke of cake."), trigger=("messages", 3), keep=("messages", 1)
    )
    agent = agents.create_agent(kit.FakeModel("A loan."), [], middleware=[summariser])
    history = [HumanMessage("Hi"), AIMessage("Hello"), HumanMessage("A loan?")]
    config = {"callbacks": [handler]}
    pieces = manner.stream(agent, {"messages": history}, config, stream_mode="messages")
    assert "".join(piece.text for piece, _ in pieces if piece.type != "human") == "A loan."
    assert kit.said(handler) == [("A loan?", "A loan.")]


def test_text_blocks_are_joined_and_scored(kit, manner, handler):
    """deer-flow, its_hub#147: content blocks raised TypeError or were skipped."""
    blocks = [
        {"type": "text", "text": "Your loan "},
        {"type": "text", "text": "is blocked."},
        {"type": "image_url", "image_url": "x"},
    ]
    manner.invoke(kit.FakeModel(AIMessage(blocks)), "Why?", {"callbacks": [handler]})
    assert kit.said(handler) == [("Why?", "Your loan is blocked.")]
    assert handler.turns[0].drift.score == 90


def test_a_conversation_does_not_stick_to_a_handler(kit, manner, handler):
    """opik#4849: a reused handler kept the first thread's id."""
    for thread in ("a", "b", None, "a"):
        metadata = {"thread_id": thread} if thread else {}
        config = {"callbacks": [handler], "metadata": metadata}
        manner.invoke(kit.FakeModel("A loan."), "A loan?", config)
    found = [turn.thread_id for turn in handler.turns]
    assert [found[0], found[1], found[3]] == ["a", "b", "a"]
    assert found[2] == handler.turns[2].run_id


def test_the_same_words_twice_are_two_turns(kit, manner, handler):
    """Duplicates are told by runs, not by text: who says the same again has said it twice."""
    config = {"callbacks": [handler], "metadata": {"thread_id": "1"}}
    for _ in range(2):
        manner.invoke(kit.FakeModel("A loan."), "A loan?", config)
    assert [turn.drift.turn_number for turn in handler.turns] == [1, 2]


def test_the_newest_turn_is_the_one_scored(kit, manner, handler):
    """deepeval#1380: the first turn was evaluated, not the last."""
    history = [
        ("user", "card help"),
        ("assistant", "Sure, which card?"),
        ("user", "tell me a joke"),
    ]
    model = kit.FakeModel("Why did the duck cross the road?")
    manner.invoke(model, history, {"callbacks": [handler]})
    assert kit.said(handler) == [("tell me a joke", "Why did the duck cross the road?")]
