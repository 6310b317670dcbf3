"""Results reach their outlets: custom events, the stream writer, a function, LangSmith."""

import asyncio
import json
import threading
import time

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langgraph.graph import START, MessagesState, StateGraph

from langchain_drift import get_drift_callback

ASK = "What do I need for a loan?"
ANSWER = "A loan takes proof of income."
FIELDS = {
    *("thread_id", "run_id", "turn_number", "score", "verdict", "explanation", "abstained"),
    *("cause", "departed", "returned", "complete"),
}


class Listener(BaseCallbackHandler):
    """Hears custom events."""

    def __init__(self):
        self.heard = []

    def on_custom_event(self, name, data, *, run_id, **kwargs):
        self.heard.append((name, data))


class Client:
    """Takes feedback as LangSmith's client does."""

    def __init__(self):
        self.sent = []
        self.done = threading.Event()

    def create_feedback(self, run_id, key, **values):
        self.sent.append((run_id, key, values))
        self.done.set()


def flow(kit, *replies):
    """Return a graph whose nodes answer one after another."""
    built, before = StateGraph(MessagesState), START
    for number, reply in enumerate(replies):
        model = kit.FakeModel(*[reply] * 5)
        name = f"node{number}"
        built.add_node(name, lambda state, m=model: {"messages": [m.invoke(state["messages"])]})
        built.add_edge(before, name)
        before = name
    return built.compile()


@pytest.fixture
def start():
    return {"messages": [HumanMessage(ASK)]}


@pytest.mark.parametrize("kind", ["chain", "graph"])
def test_a_turn_is_one_custom_event(kit, manner, handler, start, kind):
    """Chains and graphs send one event named drift a turn, as plain JSON."""
    chain = ChatPromptTemplate.from_messages([("human", "{messages}")]) | kit.FakeModel(ANSWER)
    runnable = chain if kind == "chain" else flow(kit, "First a card.", ANSWER)
    listener = Listener()
    manner.invoke(runnable, start, {"callbacks": [handler, listener]})
    ((name, data),) = listener.heard
    assert name == "drift"
    assert set(data) == FIELDS
    assert json.loads(json.dumps(data)) == data
    assert (data["score"], data["turn_number"]) == (90, 1)
    assert data["run_id"] == handler.turns[0].run_id


def test_the_event_is_in_the_event_stream(kit, handler, start):
    """`astream_events` tells of the turn before it ends."""

    async def main(runnable, value):
        events = runnable.astream_events(value, {"callbacks": [handler]}, version="v2")
        return [e["data"] async for e in events if e["event"] == "on_custom_event"]

    chain = ChatPromptTemplate.from_messages([("human", "{q}")]) | kit.FakeModel(ANSWER)
    (of_chain,) = asyncio.run(main(chain, {"q": ASK}))
    (of_graph,) = asyncio.run(main(flow(kit, ANSWER), start))
    assert of_chain["score"] == of_graph["score"] == 90


def test_a_turn_is_on_the_stream_of_its_graph(kit, manner, handler, start):
    """The stream writer gets the result of each node that answered, the last is the turn's."""
    pieces = manner.stream(
        flow(kit, "First a cake.", ANSWER), start, {"callbacks": [handler]}, stream_mode="custom"
    )
    assert [set(piece) for piece in pieces] == [{"drift"}, {"drift"}]
    last = pieces[-1]["drift"]
    assert last["score"] == handler.turns[0].drift.score
    assert last["run_id"] == handler.turns[0].run_id
    assert len(handler.turns) == 1


def test_a_subgraph_is_on_the_stream_of_the_outer_graph(kit, manner, handler, start):
    """What a subgraph answered is written once, by the outer graph's node."""
    outer = StateGraph(MessagesState).add_node("sub", flow(kit, ANSWER)).add_edge(START, "sub")
    config = {"callbacks": [handler]}
    pieces = manner.stream(outer.compile(), start, config, stream_mode="custom")
    assert [piece["drift"]["score"] for piece in pieces] == [90]


def test_a_turn_that_was_foreseen_is_scored_once(kit, manner, handler, start, strategy):
    """A node's answer that stays the reply is not scored again when the graph ends."""
    manner.invoke(flow(kit, ANSWER), start, {"callbacks": [handler]})
    assert strategy.turns == [(ASK, ANSWER)]


def test_users_see_their_own_tokens_only(kit, manner, handler, start):
    """The handler adds nothing to streams of messages, values or updates."""
    for mode in ("messages", "values", "updates"):
        plain = manner.stream(flow(kit, ANSWER), start, stream_mode=mode)
        watched = manner.stream(
            flow(kit, ANSWER), start, {"callbacks": [handler]}, stream_mode=mode
        )
        assert len(plain) == len(watched)


def test_outlets_can_be_closed(kit, manner, start):
    """With `publish=()` nothing is sent anywhere, and no node is scored before the end."""
    strategy, listener = kit.Loans(), Listener()
    handler = kit.handler(kit.BANK, strategy=strategy, publish=())
    graph = flow(kit, "First a cake.", ANSWER)
    config = {"callbacks": [handler, listener]}
    assert manner.stream(graph, start, config, stream_mode="custom") == []
    assert listener.heard == []
    assert strategy.turns == [(ASK, ANSWER)]


def test_on_turn_is_called_with_every_turn(kit, manner):
    """`on_turn` gets each record once, when it is already among the turns."""
    seen = []
    handler = kit.handler(kit.BANK, on_turn=lambda turn: seen.append((turn, len(handler.turns))))
    for text in (ASK, "again"):
        manner.invoke(kit.FakeModel(ANSWER), text, {"callbacks": [handler]})
    assert seen == [(handler.turns[0], 1), (handler.turns[1], 2)]


@pytest.mark.parametrize("place", ["block", "model"])
def test_what_on_turn_runs_is_no_turn(kit, manner, place):
    """A function that asks a watched model is not called for that again: it would not end."""
    model, seen = kit.FakeModel(*[ANSWER] * 9), []

    def tell(turn):
        seen.append(turn.user_message)
        model.invoke("Write an alert.")

    with get_drift_callback(kit.BANK, strategy=kit.Loans(), on_turn=tell) as drift:
        if place == "block":
            manner.invoke(model, ASK)
    if place == "model":
        model.callbacks = [drift]
        manner.invoke(model, ASK)
    assert seen == [ASK]
    assert kit.said(drift) == [(ASK, ANSWER)]
    assert len(drift._runs) == 0


def test_a_bare_model_needs_no_outlet(kit, manner, handler):
    """A run without a parent has no place for an event; that is no error."""
    listener = Listener()
    manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler, listener]})
    assert listener.heard == []


def test_feedback_goes_to_langsmith_when_asked(kit, manner):
    """Feedback is on a scale from 0 to 1, with the verdict, and sent in the background."""
    client = Client()
    handler = kit.handler(kit.BANK, langsmith=client)
    chain = kit.FakeModel(ANSWER) | StrOutputParser()
    manner.invoke(chain, ASK, {"callbacks": [handler]})
    assert client.done.wait(5)
    ((run_id, key, values),) = client.sent
    assert str(run_id) == handler.turns[0].run_id
    assert (key, values["score"], values["value"]) == ("on_purpose", 0.9, "fresh")
    assert values["comment"] == handler.turns[0].explanation
    assert values["trace_id"] == run_id


def test_feedback_below_the_root_names_no_trace(kit, manner):
    """Where the handler is attached below the root it does not know the trace."""
    client = Client()
    handler = kit.handler(kit.BANK, langsmith=client)
    inner = (kit.FakeModel(ANSWER) | StrOutputParser()).with_config(callbacks=[handler])
    manner.invoke(inner | str.upper, ASK)
    assert client.done.wait(5)
    ((_, _, values),) = client.sent
    assert values["trace_id"] is None


def test_no_answer_waits_for_langsmith(kit, manner):
    """A client whose network hangs holds up nothing; beyond a bound feedback is counted as lost."""

    class Hanging(Client):
        def create_feedback(self, run_id, key, **values):
            self.done.wait(5)
            super().create_feedback(run_id, key, **values)

    client = Hanging()
    handler = kit.handler(kit.BANK, langsmith=client)
    begun = time.perf_counter()
    for _ in range(3):
        manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler]})
    assert time.perf_counter() - begun < 2
    assert client.sent == []
    client.done.set()
    kit.until(lambda: len(client.sent) == 3)


def test_a_failing_client_costs_nothing(kit, manner):
    """What LangSmith's client raises is counted; the answer and the turn stand."""

    class Down(Client):
        def create_feedback(self, run_id, key, **values):
            raise ConnectionError

    handler = kit.handler(kit.BANK, langsmith=Down())
    assert manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler]}).text == ANSWER
    kit.until(lambda: handler.errors)
    assert handler.errors == {"sending feedback: ConnectionError": 1}
    assert handler.turns[0].drift.score == 90


def test_a_late_score_is_sent_when_it_comes(kit, manner):
    """Feedback of a turn whose run did not wait for its score is sent once there is one."""
    client = Client()
    options = {"strategy": kit.Loans(seconds=0.2), "timeout": 0.05, "langsmith": client}
    handler = kit.handler(kit.BANK, **options)
    manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler]})
    assert client.sent == []
    assert client.done.wait(5)
    ((_, _, values),) = client.sent
    assert values["score"] == 0.9


def test_no_feedback_is_sent_of_a_turn_without_a_score(kit, manner):
    """A turn that could not be scored is not sent as if it had been."""
    client = Client()
    handler = kit.handler(kit.BANK, strategy=kit.Broken(), langsmith=client)
    manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler]})
    assert client.sent == []


def test_langsmith_is_not_asked_unless_told(kit, handler):
    """By default no client is made at all."""
    kit.FakeModel(AIMessage(ANSWER)).invoke(ASK, {"callbacks": [handler]})
    assert handler._recorder._publisher.outlets.client is None
