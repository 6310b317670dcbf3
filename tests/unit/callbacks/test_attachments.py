"""Wherever the handler is attached, a turn is one turn."""

import asyncio
import copy
import pickle
import threading

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.config import ContextThreadPoolExecutor
from langchain_core.tools import tool
from langchain_core.tracers.context import _configure_hooks
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from langchain_drift import DriftCallbackHandler, InvalidInputError, get_drift_callback

ASK = "What do I need for a loan?"
ANSWER = "A loan takes proof of income."
TURN = [(ASK, ANSWER)]
PLACES = [
    ("model",),
    ("chain",),
    ("config",),
    ("model", "chain"),
    ("model", "config"),
    ("chain", "config"),
    ("model", "chain", "config"),
]


@pytest.mark.parametrize("places", PLACES, ids="+".join)
def test_a_chain_watched_at_any_place_is_one_turn(kit, manner, handler, places):
    """On the model, on the chain, in the config, or on several of them: one turn."""
    callbacks = [handler]
    model = kit.FakeModel(ANSWER, callbacks=callbacks if "model" in places else None)
    chain = ChatPromptTemplate.from_messages([("human", "{question}")]) | model | StrOutputParser()
    if "chain" in places:
        chain = chain.with_config(callbacks=callbacks)
    config = {"callbacks": callbacks} if "config" in places else None
    manner.invoke(chain, {"question": ASK}, config)
    assert kit.said(handler) == TURN


@pytest.mark.parametrize("places", PLACES, ids="+".join)
def test_an_agent_watched_at_any_place_is_one_turn(kit, manner, handler, optional_package, places):
    """The same for an agent that calls a tool; its conversation is known at every place."""
    agents = optional_package("langchain.agents")

    @tool
    def rate() -> str:
        """Return the rate."""
        return "4 %"

    callbacks = [handler]
    model = kit.FakeModel(kit.call("rate"), ANSWER)
    model.callbacks = callbacks if "model" in places else None
    agent = agents.create_agent(model, [rate], checkpointer=InMemorySaver())
    if "chain" in places:
        agent = agent.with_config(callbacks=callbacks)
    config = {"configurable": {"thread_id": "42"}}
    if "config" in places:
        config["callbacks"] = callbacks
    manner.invoke(agent, {"messages": [HumanMessage(ASK)]}, config)
    assert kit.said(handler) == TURN
    assert handler.threads == ("42",)


def test_a_handler_attached_twice_counts_once(kit, manner, handler):
    """The same handler twice in one list makes one turn: ends that repeat are no turns."""
    manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler, handler]})
    assert kit.said(handler) == TURN


def test_two_handlers_see_the_same(kit, manner, handler):
    """Two handlers on one run do not disturb one another."""
    other = kit.handler(kit.BANK)
    manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler, other]})
    assert kit.said(handler) == kit.said(other) == TURN


def test_a_chain_attached_below_is_a_root_of_its_own(kit, manner, handler):
    """Attached to an inner chain, the handler takes the inner chain's turns."""
    inner = (kit.FakeModel(ANSWER) | StrOutputParser()).with_config(callbacks=[handler])
    outer = RunnableLambda(lambda text: f"{text}?") | inner | RunnableLambda(str.upper)
    manner.invoke(outer, "A loan", None)
    assert kit.said(handler) == [("A loan?", ANSWER)]


def test_what_a_reply_leaves_behind_is_no_turn(kit, handler):
    """A task that a node starts and that outlives the run is no turn of its own."""
    tasks = []

    async def answer(state):
        async def title():
            await asyncio.sleep(0.05)
            await kit.FakeModel("A title about pasta").ainvoke("Name this chat")

        tasks.append(asyncio.create_task(title()))
        return {"messages": [await kit.FakeModel(ANSWER).ainvoke(state["messages"])]}

    flow = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile()

    async def main():
        await flow.ainvoke({"messages": [HumanMessage(ASK)]}, {"callbacks": [handler]})
        await asyncio.gather(*tasks)

    asyncio.run(main())
    assert kit.said(handler) == TURN


@pytest.mark.parametrize("key", ["thread_id", "session_id", "conversation_id"])
def test_a_conversation_is_known_by_metadata(kit, manner, handler, key):
    """Metadata names the conversation under any of the usual keys, as text or number."""
    config = {"callbacks": [handler], "metadata": {key: 42}}
    manner.invoke(kit.FakeModel(ANSWER), ASK, config)
    assert [turn.user_message for turn in handler.thread(42).turns] == [ASK]
    assert handler.threads == ("42",)


@pytest.mark.parametrize("key", ["thread_id", "session_id"])
def test_a_conversation_of_a_chain_is_known_by_configurable_values(kit, manner, handler, key):
    """Configurable values name the conversation of a chain, as of a graph."""
    chain = ChatPromptTemplate.from_messages([("human", "{question}")]) | kit.FakeModel(ANSWER)
    config = {"callbacks": [handler], "configurable": {key: "42"}}
    manner.invoke(chain, {"question": ASK}, config)
    assert handler.threads == ("42",)


def test_a_run_that_names_no_conversation_is_one_of_its_own(kit, manner, handler):
    """Without a name each run starts anew and is found by its run id."""
    for _ in range(2):
        manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler]})
    assert [turn.drift.turn_number for turn in handler.turns] == [1, 1]
    first, second = handler.turns
    assert first.thread_id == first.run_id != second.thread_id
    assert handler.thread(first.run_id).turns == (first,)


def test_a_handler_can_be_of_one_conversation(kit, manner):
    """A `thread_id` given to the handler holds for all its runs."""
    handler = kit.handler(kit.BANK, thread_id="mine")
    for thread in ("1", "2"):
        config = {"callbacks": [handler], "metadata": {"thread_id": thread}}
        manner.invoke(kit.FakeModel(ANSWER), ASK, config)
    assert [turn.drift.turn_number for turn in handler.thread("mine").turns] == [1, 2]


def test_a_thread_never_heard_of_has_no_turns(handler):
    """Asking for an unknown conversation is no error: it has said nothing yet."""
    report = handler.thread("nobody")
    assert report.turns == ()
    assert report.drift is None
    assert report.total_turns == 0


def test_everything_inside_the_block_is_watched(kit, manner):
    """Inside `with get_drift_callback()` all runs are watched, and none after it."""
    with get_drift_callback(kit.BANK, strategy=kit.Loans()) as drift:
        manner.invoke(kit.FakeModel(ANSWER), ASK)
        manner.invoke(kit.FakeModel(ANSWER) | StrOutputParser(), ASK)
    manner.invoke(kit.FakeModel(ANSWER), "after")
    assert kit.said(drift) == TURN * 2
    assert isinstance(drift, DriftCallbackHandler)


def test_the_block_ends_with_an_error_too(kit):
    """A block that raises stops watching as well."""
    with (
        pytest.raises(KeyError),
        get_drift_callback(kit.BANK, strategy=kit.Loans()) as drift,
    ):
        raise KeyError
    kit.FakeModel(ANSWER).invoke(ASK)
    assert drift.turns == ()


def test_a_handler_in_the_block_and_in_the_config_counts_once(kit, manner):
    """The block's handler passed on in the config is the same handler."""
    with get_drift_callback(kit.BANK, strategy=kit.Loans()) as drift:
        chain = kit.FakeModel(ANSWER) | StrOutputParser()
        manner.invoke(chain, ASK, {"callbacks": [drift]})
    assert kit.said(drift) == TURN


def test_blocks_leave_nothing_behind_in_langchain(kit):
    """LangChain's list of hooks does not grow with blocks."""
    before = len(_configure_hooks)
    for _ in range(5):
        with get_drift_callback(kit.BANK, strategy=kit.Loans()):
            pass
    assert len(_configure_hooks) == before


def test_concurrent_blocks_watch_their_own(kit):
    """Two tasks with a block each see each their own runs; LangChain's threads are inside."""

    async def one(text):
        with get_drift_callback(kit.BANK, strategy=kit.Loans()) as drift:
            await asyncio.sleep(0)
            await kit.FakeModel(ANSWER).ainvoke(text)
            with ContextThreadPoolExecutor() as pool:
                pool.submit(kit.FakeModel(ANSWER).invoke, f"{text} again").result()
            return [user for user, _ in kit.said(drift)]

    async def main():
        return await asyncio.gather(one("a"), one("b"))

    assert asyncio.run(main()) == [["a", "a again"], ["b", "b again"]]


def test_the_innermost_block_watches(kit):
    """Of nested blocks the innermost watches; the outer goes on after it."""
    with get_drift_callback(kit.BANK, strategy=kit.Loans()) as outer:
        with get_drift_callback(kit.BANK, strategy=kit.Loans()) as inner:
            kit.FakeModel(ANSWER).invoke("inside")
        kit.FakeModel(ANSWER).invoke("outside")
    assert (kit.said(inner), kit.said(outer)) == ([("inside", ANSWER)], [("outside", ANSWER)])


def test_the_block_takes_what_the_handler_takes():
    """A wrong parameter of a block is refused as one of the handler."""
    with pytest.raises(InvalidInputError, match="max_turns"), get_drift_callback(max_turns=0):
        pass


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copied_config_goes_on_with_the_same_handler(kit, manner, handler, copied):
    """Who copies a config, deeply even, has one turn in the handler."""
    config = copied({"callbacks": [handler], "metadata": {"thread_id": "1"}})
    manner.invoke(kit.FakeModel(ANSWER), ASK, config)
    manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler, copied(handler)]})
    assert kit.said(handler) == TURN * 2


def test_a_handler_is_not_pickled(handler):
    """Turns that ended in a copy in another process would be lost: it says what to do instead."""
    with pytest.raises(InvalidInputError, match="Make one in each process"):
        pickle.dumps(handler)


def test_plain_threads_share_one_handler(kit, handler):
    """Many threads with one handler: every turn once, each in its conversation."""

    def talk(number):
        for _ in range(5):
            config = {"callbacks": [handler], "metadata": {"thread_id": str(number)}}
            kit.FakeModel(f"loan {number}").invoke(f"ask {number}", config)

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(8):
        turns = handler.thread(number).turns
        assert [turn.drift.turn_number for turn in turns] == [1, 2, 3, 4, 5]
        assert {turn.user_message for turn in turns} == {f"ask {number}"}
