"""Watching costs no answer: what fails, hangs or is refused."""

import asyncio
import gc
import logging
import time

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langgraph.errors import GraphInterrupt
from langgraph.graph import START, MessagesState, StateGraph

from langchain_drift import (
    DriftCallbackHandler,
    DriftScorer,
    InvalidInputError,
    TurnRecord,
    get_drift_callback,
)

ASK = "What do I need for a loan?"
ANSWER = "A loan takes proof of income."


def test_a_failing_scorer_costs_no_answer(kit, manner, caplog):
    """The answer stands, the turn is kept without a score, the error is counted, logged once."""
    handler = kit.handler(kit.BANK, strategy=kit.Broken())
    config = {"callbacks": [handler], "metadata": {"thread_id": "1"}}
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert manner.invoke(kit.FakeModel(ANSWER), ASK, config).text == ANSWER
    assert kit.said(handler) == [(ASK, ANSWER)] * 3
    assert {turn.drift for turn in handler.turns} == {None}
    assert handler.turns[0].error == f"RuntimeError: cannot judge {ASK}"
    assert "cannot judge" in handler.turns[0].explanation
    assert handler.errors == {"scoring: RuntimeError": 3}
    assert [record.name for record in caplog.records] == ["langchain_drift.callbacks"]


def test_a_failing_scorer_is_asked_once_a_turn(kit, manner):
    """A graph whose node has answered does not ask a failing scorer again at its end."""
    strategy = kit.Broken()
    handler = kit.handler(kit.BANK, strategy=strategy)
    node = {"answer": lambda state: {"messages": [kit.FakeModel(ANSWER).invoke(ASK)]}}
    flow = StateGraph(MessagesState).add_node("answer", node["answer"]).add_edge(START, "answer")
    manner.invoke(flow.compile(), {"messages": [HumanMessage(ASK)]}, {"callbacks": [handler]})
    assert len(strategy.turns) == 1
    assert handler.errors == {"scoring: RuntimeError": 1}


def test_a_conversation_goes_on_after_a_failure(kit, manner):
    """A turn that could not be scored leaves the state; the next is scored from there."""

    class Moody(kit.Loans):
        def step(self, purpose, state, turn):
            if "bad" in turn.user:
                message = "bad"
                raise RuntimeError(message)
            return super().step(purpose, state, turn)

    handler = kit.handler(kit.BANK, strategy=Moody())
    config = {"callbacks": [handler], "metadata": {"thread_id": "1"}}
    for text in ("one", "bad", "two"):
        manner.invoke(kit.FakeModel(ANSWER), text, config)
    assert [turn.drift and turn.drift.turn_number for turn in handler.turns] == [1, None, 2]


def test_a_failing_on_turn_costs_nothing(kit, manner):
    """What `on_turn` raises is counted; the turn is kept."""

    def fail(turn):
        raise KeyError(turn.thread_id)

    handler = kit.handler(kit.BANK, on_turn=fail)
    manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler]})
    assert kit.said(handler) == [(ASK, ANSWER)]
    assert handler.errors == {"calling on_turn: KeyError": 1}


def test_what_cannot_be_read_costs_nothing(kit, manner):
    """An output that cannot even be looked at is counted; the answer stands."""

    class Odd(dict):
        def get(self, key, default=None):
            raise ZeroDivisionError

    handler = kit.handler(kit.BANK)
    result = manner.invoke(RunnableLambda(lambda _: Odd()), ASK, {"callbacks": [handler]})
    assert isinstance(result, Odd)
    assert handler.turns == ()
    assert list(handler.errors) == ["reading an end: ZeroDivisionError"]
    assert len(handler._runs) == 0


def test_an_input_that_cannot_be_read_makes_no_turns_of_its_parts(kit, manner):
    """A root whose input cannot be read is a root: the models under it do not become roots."""

    class Odd(dict):
        def get(self, key, default=None):
            raise ZeroDivisionError

    handler = kit.handler(kit.BANK)
    shorten = RunnableLambda(lambda message: f"Shorten: {message.text}")
    models = (kit.FakeModel(ANSWER), kit.FakeModel("Shorter."))
    chain = RunnableLambda(lambda _: ASK) | models[0] | shorten | models[1]
    manner.invoke(chain, Odd(), {"callbacks": [handler]})
    assert [reply for _, reply in kit.said(handler)] == ["Shorter."]
    assert handler.errors == {"reading an input: ZeroDivisionError": 1}


def test_control_flow_of_langgraph_is_an_error_here(kit, manner):
    """A handler cannot pause a graph: LangChain would let an interrupt end in a log."""

    def pause(turn):
        raise GraphInterrupt

    handler = kit.handler(kit.BANK, on_turn=pause)
    manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler]})
    assert handler.errors == {"calling on_turn: GraphInterrupt": 1}


def test_a_cancelled_scorer_is_a_failed_one(kit, manner):
    """A strategy with an event loop of its own may be cancelled there: the turn is kept."""

    class Cancelled(kit.Loans):
        def step(self, purpose, state, turn):
            raise asyncio.CancelledError

    handler = kit.handler(kit.BANK, strategy=Cancelled())
    manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler]})
    assert handler.errors == {"scoring: CancelledError": 1}
    assert handler.turns[0].error


def test_a_strategy_that_asks_a_model_is_not_watched(kit, manner):
    """A judge that is a chat model itself makes no turns, in a block either."""

    class Judge(kit.Loans):
        def step(self, purpose, state, turn):
            kit.FakeModel("Yes, on purpose.").invoke(f"Is this on purpose? {turn.user}")
            return super().step(purpose, state, turn)

    with get_drift_callback(kit.BANK, strategy=Judge()) as drift:
        manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [drift]})
    assert kit.said(drift) == [(ASK, ANSWER)]


@pytest.mark.parametrize("options", [{"raise_error": True}, {"policy": "block"}], ids=str)
def test_what_would_block_is_refused(options):
    """A handler cannot block, and says where blocking works."""
    with pytest.raises(InvalidInputError, match=r"middleware .* or in a graph node"):
        DriftCallbackHandler("You help.", **options)


def test_raise_error_cannot_be_set_later():
    """LangChain's switch stays off."""
    handler = DriftCallbackHandler("You help.")
    assert handler.raise_error is False
    handler.raise_error = False
    with pytest.raises(InvalidInputError, match="middleware"):
        handler.raise_error = True


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"max_turns": 0}, "max_turns is 0"),
        ({"max_threads": 1.5}, r"max_threads is 1\.5"),
        ({"timeout": -1}, "timeout is -1"),
        ({"timeout": float("inf")}, "timeout is inf"),
        ({"timeout": 1e300}, r"timeout is 1e\+300"),
        ({"timeout": 10**400}, "timeout is 1000"),
        ({"thread_id": 42}, "thread_id must be a name as a string, not 42"),
        ({"input_key": ""}, "input_key must be a name"),
        ({"include_nodes": "answer"}, "include_nodes must be a list of names, not 'answer'"),
        ({"exclude_tags": [1]}, "exclude_tags must hold names, not 1"),
        ({"include_nodes": [["answer"]]}, r"include_nodes must hold names, not \['answer'\]"),
        ({"publish": "mail"}, "publish must name event or stream, not"),
        ({"publish": 5}, "publish must be a list of names, not 5"),
        ({"on_turn": "print"}, "on_turn must be a plain function"),
        ({"langsmith": "yes"}, "langsmith must be True, False or a LangSmith client"),
        ({"scorer": "bank"}, "scorer must be a DriftScorer"),
        ({"system_prompt": 5}, "system_prompt must be a string, not int"),
        ({"system_prompt": {}}, "system_prompt must be a string, not dict"),
        ({"few_shot_examples": 5}, "few_shot_examples must be a list .*, not 5"),
        ({"few_shot_examples": ["x"]}, "few_shot_examples must hold FewShotExample"),
        ({"strategy": "purpose"}, "strategy must be a Strategy"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_wrong_parameters_are_named(options, named):
    """A parameter with a value it cannot take is refused, with the value."""
    with pytest.raises(InvalidInputError, match=named):
        DriftCallbackHandler(**options)


def test_what_may_be_left_out_may_be_none():
    """None is the same as leaving an optional parameter out."""
    options = ("few_shot_examples", "include_nodes", "publish", "on_turn", "thread_id", "strategy")
    assert DriftCallbackHandler("You help.", **dict.fromkeys(options)).turns == ()


def test_an_async_on_turn_is_refused_with_the_way_out():
    """A coroutine function as `on_turn` would never be awaited."""

    async def tell(turn):
        """Tell."""

    with pytest.raises(InvalidInputError, match="run_coroutine_threadsafe"):
        DriftCallbackHandler("You help.", on_turn=tell)


def test_a_scorer_is_given_once(kit):
    """A scorer is taken in either place, and not beside what it has itself."""
    scorer = DriftScorer(kit.BANK, strategy=kit.Loans())
    for handler in (DriftCallbackHandler(scorer), DriftCallbackHandler(scorer=scorer)):
        kit.FakeModel(ANSWER).invoke(ASK, {"callbacks": [handler]})
        assert handler.turns[0].drift.strategy_scores == {"loans": 90}
    for options in ({"system_prompt": "x"}, {"strategy": kit.Loans()}, {"system_prompt": scorer}):
        with pytest.raises(InvalidInputError, match="scorer"):
            DriftCallbackHandler(scorer=scorer, **options)


def test_a_reply_of_broken_characters_is_kept(kit, manner, handler):
    """Half a surrogate pair in a reply is no reason to lose the turn."""
    broken = "loan \ud83d"
    manner.invoke(kit.FakeModel(AIMessage(broken)), ASK, {"callbacks": [handler]})
    assert handler.turns[0].drift.score == 90
    failing = kit.handler(kit.BANK, strategy=kit.Broken())
    manner.invoke(kit.FakeModel(AIMessage(broken)), broken, {"callbacks": [failing]})
    assert failing.turns[0].assistant_response == handler.turns[0].assistant_response


def test_a_name_of_broken_characters_can_be_stored(kit, manner, handler):
    """Half a surrogate pair in the name of a thread or message leaves the record storable."""
    broken = "42 \ud83d"
    config = {"callbacks": [handler], "metadata": {"thread_id": broken}}
    manner.invoke(kit.FakeModel(ANSWER), [HumanMessage(ASK, id=broken)], config)
    assert handler.thread(broken).turns == handler.turns
    assert TurnRecord.model_validate_json(handler.turns[0].model_dump_json()) == handler.turns[0]
    named = kit.handler(kit.BANK, thread_id=broken)
    manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [named]})
    assert named.thread(broken).turns[0].model_dump_json()


class Abandoned:
    """Holds a half-read stream in a cycle, so that only the garbage collector closes it."""

    def __init__(self, stream):
        next(stream)
        self.stream, self.myself = stream, self


@pytest.mark.parametrize("moment", ["while scoring", "while reading"])
def test_a_stream_collected_at_a_bad_moment_blocks_nothing(kit, moment):
    """Closed by the collector inside the handler's own work, a stream is a turn all the same."""

    class Collecting(kit.Loans):
        def step(self, purpose, state, turn):
            if moment == "while scoring":
                gc.collect()
            return super().step(purpose, state, turn)

    handler = kit.handler(kit.BANK, strategy=Collecting(), thread_id="1")
    config = {"callbacks": [handler]}
    Abandoned(kit.FakeModel(ANSWER).stream("abandoned", config))
    begun = time.perf_counter()
    kit.FakeModel(ANSWER).invoke(ASK, config)
    with handler._store.lock:
        if moment == "while reading":
            gc.collect()
    kit.until(lambda: len(handler.turns) == 2)
    assert time.perf_counter() - begun < 2
    assert {turn.user_message for turn in handler.turns} == {"abandoned", ASK}
    assert sorted(turn.drift.turn_number for turn in handler.turns) == [1, 2]
    assert handler.errors == {}
