"""One right turn for every run of a bare model or a chain."""

import asyncio

import pytest
from langchain_core.language_models.fake import FakeListLLM
from langchain_core.language_models.fake_chat_models import (
    FakeListChatModel,
    FakeListChatModelError,
)
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda, RunnableParallel, RunnablePassthrough

ASK = "What do I need for a loan?"
ANSWER = "A loan takes proof of income."
TURN = [(ASK, ANSWER)]


@pytest.fixture
def model(kit):
    return kit.FakeModel(*[ANSWER] * 5)


@pytest.fixture
def config(handler):
    return {"callbacks": [handler], "metadata": {"thread_id": "42"}}


def template(*human):
    return ChatPromptTemplate.from_messages([("system", "You help."), *human])


def test_a_bare_model_is_a_turn(kit, manner, model, handler, config):
    """A call of a model alone is one turn, whatever shape its input has."""
    for value in (ASK, [HumanMessage(ASK)], [("system", "Be kind."), ("user", ASK)]):
        manner.invoke(model, value, config)
    assert kit.said(handler) == TURN * 3
    assert [turn.drift.turn_number for turn in handler.thread("42").turns] == [1, 2, 3]
    assert all(turn.complete for turn in handler.turns)


def test_a_text_model_is_a_turn(kit, manner, handler, config):
    """A model of texts, not of messages, is a turn too."""
    manner.invoke(FakeListLLM(responses=[ANSWER]), ASK, config)
    assert kit.said(handler) == TURN


def test_a_chain_is_a_turn(kit, manner, model, handler, config):
    """Prompt, model and parser are one turn: what the user asked, not the filled-in template."""
    chain = template(("human", "Answer this: {question}")) | model | StrOutputParser()
    manner.invoke(chain, {"question": ASK}, config)
    assert kit.said(handler) == TURN


def test_words_under_an_unknown_key_are_read_from_the_prompt(kit, manner, model, handler, config):
    """Where the input does not say which words are the user's, the prompt does."""
    chain = template(("human", "A joke about {topic}")) | model
    manner.invoke(chain, {"topic": "bears"}, config)
    assert kit.said(handler) == [("A joke about bears", ANSWER)]


def test_keys_can_be_named(kit, manner, model):
    """`input_key` and `output_key` say where the words are."""
    handler = kit.handler(input_key="wish", output_key="said")
    chain = template(("human", "Context {context}. {wish}")) | model | StrOutputParser()
    chain = RunnablePassthrough.assign(said=chain)
    value = {"wish": ASK, "context": "none"}
    manner.invoke(chain, value, {"callbacks": [handler]})
    assert kit.said(handler) == TURN


def test_a_rag_chain_is_a_turn(kit, manner, model, handler, config):
    """What a retriever found is neither the user's words nor the reply."""
    prompt = template(("human", "Context: {context}\n\nQuestion: {question}"))
    retrieve = RunnableLambda(lambda found: f"a page for {found['question']}")
    chain = RunnablePassthrough.assign(context=retrieve).assign(
        answer=prompt | model | StrOutputParser()
    )
    result = manner.invoke(chain, {"question": ASK}, config)
    assert set(result) == {"question", "context", "answer"}
    assert kit.said(handler) == TURN


def test_parallel_branches_are_one_turn(kit, manner, handler, config):
    """All branches of a parallel chain are the reply."""
    models = [kit.FakeModel(text) for text in ("First a loan.", "Then a card.")]
    chain = RunnableParallel(one=models[0], two=models[1] | StrOutputParser())
    manner.invoke(chain, ASK, config)
    assert kit.said(handler) == [(ASK, "First a loan.\n\nThen a card.")]


def test_a_batch_of_three_is_three_turns(kit, manner, handler):
    """Each item of a batch is a turn of its own, with its own words."""
    chain = RunnableLambda(lambda text: [HumanMessage(text)]) | RunnableLambda(
        lambda messages: f"A loan for {messages[0].text}"
    )
    configs = [
        {"callbacks": [handler], "metadata": {"thread_id": str(number)}} for number in range(3)
    ]
    manner.batch(chain, ["ann", "bob", "cem"], configs)
    assert sorted(kit.said(handler)) == [
        (name, f"A loan for {name}") for name in ("ann", "bob", "cem")
    ]
    assert sorted(handler.threads) == ["0", "1", "2"]


def test_a_batch_of_one_conversation_is_scored_in_some_order(kit, manner, handler, config):
    """Turns of one conversation that end at once are numbered each once."""
    manner.batch(FakeListChatModel(responses=[ANSWER]), ["a", "b", "c"], config)
    assert sorted(turn.drift.turn_number for turn in handler.turns) == [1, 2, 3]
    assert sorted(user for user, _ in kit.said(handler)) == ["a", "b", "c"]


def test_a_model_that_gives_several_candidates_is_a_turn(kit, manner, handler, config):
    """Of `n` candidates the first is the reply: the others reach nobody."""

    class Several(FakeListChatModel):
        def _generate(self, messages, stop=None, run_manager=None, **kwargs):
            texts = [ANSWER, "Or a pasta recipe.", "Or a poem."]
            return ChatResult(generations=[ChatGeneration(message=AIMessage(t)) for t in texts])

        async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
            return self._generate(messages)

    manner.invoke(Several(responses=[]), ASK, config)
    assert kit.said(handler) == TURN


def test_a_resent_history_is_one_turn(kit, manner, handler, config):
    """A client that sends the whole history each time makes one turn each time."""
    chain = template(MessagesPlaceholder("messages")) | kit.FakeModel("one", "two", "three")
    history = []
    for number in range(3):
        history.append(HumanMessage(f"question {number}"))
        history.append(manner.invoke(chain, {"messages": history}, config))
    wanted = [(f"question {i}", said) for i, said in enumerate(("one", "two", "three"))]
    assert kit.said(handler) == wanted
    assert [turn.drift.turn_number for turn in handler.turns] == [1, 2, 3]


def test_several_messages_in_a_row_are_the_users_words(kit, manner, model, handler, config):
    """Two messages before a reply are both of this turn."""
    manner.invoke(model, [HumanMessage("old"), AIMessage("x"), HumanMessage("Hi"), ASK], config)
    assert kit.said(handler) == [(f"Hi\n{ASK}", ANSWER)]


def test_text_and_image_blocks_are_read_for_their_text(kit, manner, handler, config):
    """Of content blocks the text is said, images are not."""
    image = {"type": "image_url", "image_url": {"url": "https://example.org/loan.png"}}
    ask = [{"type": "text", "text": "Is this "}, image, {"type": "text", "text": "a loan?"}]
    reply = AIMessage([{"type": "text", "text": "Yes, "}, {"type": "text", "text": "it is."}])
    manner.invoke(kit.FakeModel(reply), [HumanMessage(ask)], config)
    assert kit.said(handler) == [("Is this a loan?", "Yes, it is.")]


def test_a_loop_of_tool_calls_by_hand_is_one_turn(kit, manner, handler, config):
    """A model that calls a tool has not answered yet; its last run is the turn."""
    model = kit.FakeModel(kit.call("rate"), ANSWER)
    history = [HumanMessage(ASK)]
    history.append(manner.invoke(model, history, config))
    history.append({"role": "tool", "content": "4 %", "tool_call_id": "call-1"})
    manner.invoke(model, history, config)
    assert kit.said(handler) == TURN


def test_prompts_parsers_and_retrievers_alone_are_no_turns(manner, handler, config):
    """What says nothing to a user is no turn."""
    manner.invoke(template(("human", "{q}")), {"q": ASK}, config)
    manner.invoke(StrOutputParser(), ANSWER, config)
    assert handler.turns == ()


def test_a_system_message_of_each_conversation_is_its_purpose(kit, manner):
    """Without a system prompt each conversation is held against its own first system message."""
    strategy = kit.Loans()
    handler = kit.handler(strategy=strategy)
    for thread, purpose in [("a", "Sell loans."), ("b", "Bake bread."), ("a", "Sell loans v2.")]:
        config = {"callbacks": [handler], "metadata": {"thread_id": thread}}
        manner.invoke(kit.FakeModel("ok"), [SystemMessage(purpose), HumanMessage(ASK)], config)
    assert strategy.purposes == ["Sell loans.", "Bake bread.", "Sell loans."]
    assert handler.thread("b").system_prompt == "Bake bread."
    assert handler.thread("a").total_turns == 2


def test_a_conversation_without_any_system_message_is_not_judged(kit, manner):
    """With nothing to hold it against, a turn is kept, and why it is not judged is said."""
    handler = kit.handler(strategy=None)
    manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler]})
    assert kit.said(handler) == TURN
    assert handler.turns[0].abstained == "no_topic"


def test_a_read_stream_is_a_turn(kit, manner, model, handler, config):
    """A stream read to its end is a turn with the full text."""
    for runnable in (model, template(("human", "{question}")) | model | StrOutputParser()):
        value = ASK if runnable is model else {"question": ASK}
        assert len(manner.stream(runnable, value, config)) > 3
    assert kit.said(handler) == TURN * 2
    assert all(turn.complete for turn in handler.turns)


def test_a_stream_closed_early_is_a_turn_with_what_was_said(kit, manner, model, handler, config):
    """Who closes a stream has read its beginning: that is the reply, and it is not complete."""
    for runnable in (model, template(("human", "{question}")) | model | StrOutputParser()):
        value = ASK if runnable is model else {"question": ASK}
        manner.stream(runnable, value, config, take=3)
    assert [user for user, _ in kit.said(handler)] == [ASK, ASK]
    for turn in handler.turns:
        assert turn.assistant_response.startswith("A ")
        assert len(turn.assistant_response) < len(ANSWER)
        assert not turn.complete


def test_a_cancelled_stream_is_a_turn_with_what_was_said(kit, model, handler, config):
    """A task that is cancelled while it streams leaves a turn like a closed stream."""
    chain = template(("human", "{question}")) | model | StrOutputParser()

    async def read(seen):
        async for _ in chain.astream({"question": ASK}, config):
            seen.set()
            await asyncio.sleep(60)

    async def main():
        seen = asyncio.Event()
        task = asyncio.create_task(read(seen))
        await seen.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(main())
    ((user, reply),) = kit.said(handler)
    assert user == ASK
    assert reply.startswith("A")
    assert not handler.turns[0].complete


def test_a_broken_stream_is_no_turn(kit, manner, handler, config):
    """A reply that breaks off with an error is no turn; the next run is one."""
    broken = FakeListChatModel(responses=[ANSWER], error_on_chunk_number=3)
    chain = template(("human", "{question}")) | broken | StrOutputParser()
    for runnable, value in ((broken, ASK), (chain, {"question": ASK})):
        with pytest.raises(FakeListChatModelError):
            manner.stream(runnable, value, config)
    assert handler.turns == ()
    manner.stream(kit.FakeModel(ANSWER), ASK, config)
    assert kit.said(handler) == TURN


def test_an_abandoned_stream_is_closed_by_the_garbage_collector(kit, model, handler, config):
    """A stream that nobody closes is a turn once it is collected."""
    stream = model.stream(ASK, config)
    next(stream)
    del stream
    ((user, _),) = kit.said(handler)
    assert user == ASK
    assert not handler.turns[0].complete


def test_a_retried_model_is_one_turn(kit, manner, handler, config):
    """Attempts that fail inside a run are no turns of their own."""
    calls = iter([True, False])

    def flaky(_):
        if next(calls):
            message = "busy"
            raise ConnectionError(message)
        return ANSWER

    chain = RunnableLambda(flaky).with_retry(wait_exponential_jitter=False)
    manner.invoke(chain, ASK, config)
    assert kit.said(handler) == TURN
