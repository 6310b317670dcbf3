"""One right turn for every run of a graph, whatever its nodes do."""

import operator
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.runnables.config import ContextThreadPoolExecutor
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, Send, interrupt

ASK = "What do I need for a loan?"
ANSWER = "A loan takes proof of income."
TURN = [(ASK, ANSWER)]


class FormState(TypedDict):
    question: str
    notes: Annotated[list[str], operator.add]
    answer: str


def graph(*nodes, schema=MessagesState, **compiled):
    """Return a graph of nodes one after another."""
    built, before = StateGraph(schema), START
    for name, node in nodes:
        built.add_node(name, node)
        built.add_edge(before, name)
        before = name
    return built.compile(**compiled)


def answering(model):
    """Return a node that answers with a model."""
    return lambda state: {"messages": [model.invoke(state["messages"])]}


def aside(model, prompt="Classify this: "):
    """Return a node that asks a model for itself."""

    def node(state):
        model.invoke([SystemMessage("You classify."), HumanMessage(prompt + ASK)])
        return {}

    return node


@pytest.fixture
def config(handler):
    return {"callbacks": [handler], "configurable": {"thread_id": "42"}}


@pytest.fixture
def start():
    return {"messages": [HumanMessage(ASK)]}


def test_a_graph_with_a_classifier_and_a_summariser_is_a_turn(kit, manner, handler, config, start):
    """What models say to the graph itself before and after the reply is no turn."""
    flow = graph(
        ("classify", aside(kit.FakeModel("pasta"))),
        ("answer", answering(kit.FakeModel(ANSWER))),
        ("summarise", aside(kit.FakeModel("They spoke of bread."), "Summarise: ")),
    )
    manner.invoke(flow, start, config)
    assert kit.said(handler) == TURN


def test_a_graph_of_other_state_is_a_turn(kit, manner, handler, config):
    """A state without messages is read by its keys."""

    def answer(state):
        return {"answer": kit.FakeModel(ANSWER).invoke(state["question"]).text}

    flow = graph(("note", lambda state: {"notes": ["n"]}), ("answer", answer), schema=FormState)
    manner.invoke(flow, {"question": ASK}, config)
    assert kit.said(handler) == TURN


def test_a_graph_whose_nodes_are_no_models_is_a_turn(kit, manner, handler, config, start):
    """A reply that no model made is a reply."""
    flow = graph(("answer", lambda state: {"messages": [AIMessage(ANSWER)]}))
    manner.invoke(flow, start, config)
    assert kit.said(handler) == TURN


def test_a_subgraph_is_part_of_the_turn(kit, manner, handler, config, start):
    """A graph inside a graph is no turn of its own."""
    inner = graph(("answer", answering(kit.FakeModel(ANSWER))))
    flow = graph(("classify", aside(kit.FakeModel("bank"))), ("sub", inner))
    manner.invoke(flow, start, config)
    assert kit.said(handler) == TURN


def test_a_turn_is_held_against_the_system_message_of_its_reply(kit, manner, start):
    """Of several system messages that of the model that answered is the purpose."""
    strategy = kit.Loans()
    handler = kit.handler(strategy=strategy)

    def answer(state):
        model = kit.FakeModel(ANSWER)
        return {"messages": [model.invoke([SystemMessage("Sell loans."), *state["messages"]])]}

    flow = graph(("classify", aside(kit.FakeModel("bank"))), ("answer", answer))
    manner.invoke(flow, start, {"callbacks": [handler]})
    assert set(strategy.purposes) == {"Sell loans."}


def test_parallel_branches_of_a_graph_are_one_turn(kit, manner, handler, config, start):
    """Of branches that both answer, the final message is the reply."""
    built = StateGraph(MessagesState)
    for name, text in (("one", "A card?"), ("two", "A house?")):
        built.add_node(name, answering(kit.FakeModel(text)))
        built.add_edge(START, name)
    built.add_node("join", answering(kit.FakeModel(ANSWER)))
    built.add_edge(["one", "two"], "join")
    manner.invoke(built.compile(), start, config)
    assert kit.said(handler) == TURN


def test_open_parallel_branches_are_one_turn(kit, manner, handler, config, start):
    """Branches that are never joined end in one turn with the last of their messages."""
    built = StateGraph(MessagesState)
    for name, text in (("one", "A card?"), ("two", ANSWER)):
        built.add_node(name, answering(kit.FakeModel(text)))
        built.add_edge(START, name)
    result = manner.invoke(built.compile(), start, config)
    assert kit.said(handler) == [(ASK, result["messages"][-1].text)]


@pytest.mark.parametrize("place", ["before the answer", "after the answer"])
def test_an_interrupt_and_its_resume_are_one_turn(kit, manner, handler, config, start, place):
    """A paused run is no turn; resumed, it is the turn of what the user first said."""

    def ask(state):
        interrupt("go on?")
        return {}

    nodes = [("ask", ask), ("answer", answering(kit.FakeModel(ANSWER)))]
    nodes = nodes if place == "before the answer" else nodes[::-1]
    flow = graph(*nodes, checkpointer=InMemorySaver())
    manner.invoke(flow, start, config)
    assert handler.turns == ()
    manner.invoke(flow, Command(resume={"ok": True}), config)
    assert kit.said(handler) == TURN


def test_a_paused_subgraph_pauses_the_turn(kit, manner, handler, config, start):
    """An interrupt inside a subgraph is no end of a turn either."""

    def ask(state):
        interrupt("go on?")
        return {}

    inner = graph(("ask", ask), ("answer", answering(kit.FakeModel(ANSWER))))
    flow = graph(("sub", inner), checkpointer=InMemorySaver())
    manner.invoke(flow, start, config)
    assert handler.turns == ()
    manner.invoke(flow, Command(resume="yes"), config)
    assert kit.said(handler) == TURN


def test_a_pause_before_a_node_is_no_turn(kit, manner, handler, config, start):
    """A static breakpoint pauses as an interrupt does, and is resumed with nothing."""
    node = ("answer", answering(kit.FakeModel(ANSWER)))
    flow = graph(node, checkpointer=InMemorySaver(), interrupt_before=["answer"])
    manner.invoke(flow, start, config)
    manner.invoke(flow, None, config)
    assert kit.said(handler) == TURN
    manner.invoke(flow, None, config)
    assert kit.said(handler) == TURN, "a finished graph that is run on says nothing new"


def test_a_resume_in_a_new_process_finds_the_users_words(kit, manner, config, start):
    """A handler that never saw the first half reads the user's words from the state."""

    def ask(state):
        interrupt("go on?")
        return {}

    nodes = [("ask", ask), ("answer", answering(kit.FakeModel(ANSWER)))]
    flow = graph(*nodes, checkpointer=InMemorySaver())
    manner.invoke(flow, start, config)
    later = kit.handler(kit.BANK)
    manner.invoke(flow, Command(resume="yes"), {**config, "callbacks": [later]})
    assert kit.said(later) == TURN


def test_a_new_message_in_a_pause_takes_its_place(kit, manner, handler, config, start):
    """Who writes anew instead of resuming has said something else."""

    def ask(state):
        if "loan" not in state["messages"][-1].text:
            interrupt("go on?")
        return {}

    nodes = [("ask", ask), ("answer", answering(kit.FakeModel(ANSWER)))]
    flow = graph(*nodes, checkpointer=InMemorySaver())
    manner.invoke(flow, {"messages": [HumanMessage("Hello?")]}, config)
    manner.invoke(flow, start, config)
    assert kit.said(handler) == TURN


def test_a_functional_workflow_is_a_turn(kit, handler, config):
    """A workflow of tasks, paused and resumed, is a turn as a graph of nodes is."""
    model = kit.FakeModel("bank", ANSWER)

    @task
    def classify(text):
        return model.invoke(f"Which department? {text}").text

    @task
    def answer(text):
        return model.invoke(text).text

    @entrypoint(checkpointer=InMemorySaver())
    def workflow(text):
        classify(text).result()
        interrupt("go on?")
        return answer(text).result()

    workflow.invoke(ASK, config)
    assert handler.turns == ()
    workflow.invoke(Command(resume="yes"), config)
    assert kit.said(handler) == TURN


def test_parts_sent_to_many_workers_are_one_turn(kit, manner, handler, config, start):
    """Human messages made for workers are not the user's."""

    def fan(state):
        return [Send("work", {"messages": [HumanMessage(f"part {n}")]}) for n in range(3)]

    built = StateGraph(MessagesState).add_node("plan", lambda state: {})
    built.add_node("work", lambda state: {"messages": [kit.FakeModel("Done.").invoke("x")]})
    built.add_node("join", answering(kit.FakeModel(ANSWER)))
    built.add_edge(START, "plan").add_conditional_edges("plan", fan, ["work"])
    manner.invoke(built.add_edge("work", "join").compile(), start, config)
    assert kit.said(handler) == TURN


def test_an_edited_message_is_one_turn_with_the_new_words(kit, manner, handler, config):
    """A message edited by its id is the turn, though an older or newer one stands elsewhere."""
    model = kit.FakeModel("one", "two", "three")
    flow = graph(("answer", answering(model)), checkpointer=InMemorySaver())
    for message_id, text in (("h1", "first"), ("h2", "second"), ("h1", "first, edited")):
        manner.invoke(flow, {"messages": [HumanMessage(text, id=message_id)]}, config)
    assert kit.said(handler) == [("first", "one"), ("second", "two"), ("first, edited", "three")]
    assert [turn.drift.turn_number for turn in handler.turns] == [1, 2, 3]


def test_an_edit_inside_a_resent_history_is_the_turn(kit, manner, handler, config):
    """In a history sent again, the message that changed is the turn."""
    flow = graph(("answer", answering(kit.FakeModel("one", "two", "three"))))
    history = [HumanMessage("first", id="h1")]
    manner.invoke(flow, {"messages": history}, config)
    history += [AIMessage("one", id="a1"), HumanMessage("second", id="h2")]
    manner.invoke(flow, {"messages": history}, config)
    history[0] = HumanMessage("first, edited", id="h1")
    manner.invoke(flow, {"messages": history}, config)
    assert handler.turns[-1].user_message == "first, edited"
    assert handler.turns[-1].assistant_response == "three"
    assert len(handler.turns) == 3


def test_the_last_message_edited_is_scored_from_before_it(kit, manner, handler, config, strategy):
    """The last turn said anew has the number of the last and does not inherit from it."""
    model = kit.FakeModel("one", "two", "three")
    flow = graph(("answer", answering(model)), checkpointer=InMemorySaver())
    for message_id, text in (("h1", "a loan"), ("h2", "a cake"), ("h2", "a loan again")):
        manner.invoke(flow, {"messages": [HumanMessage(text, id=message_id)]}, config)
    assert [turn.drift.turn_number for turn in handler.turns] == [1, 2, 2]
    assert [turn.is_redo for turn in handler.turns] == [False, False, True]
    state = handler._store.thread("42").state
    assert state["strategy"]["before"] == ["a loan", "a loan again"]


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ContextThreadPoolExecutor])
def test_a_thread_pool_inside_a_node_is_one_turn(kit, manner, handler, config, start, pool):
    """A model in a thread that the handler cannot see answers all the same."""
    model = kit.FakeModel(ANSWER)

    def answer(state):
        with pool() as threads:
            return {"messages": [threads.submit(model.invoke, state["messages"]).result()]}

    manner.invoke(graph(("answer", answer)), start, config)
    assert kit.said(handler) == TURN


def test_a_failed_graph_is_no_turn_and_run_on_it_is_one(kit, manner, handler, config, start):
    """A graph that fails and is taken up again is one turn, with what the user had said."""
    fails = iter([True, False])

    def flaky(state):
        if next(fails):
            message = "busy"
            raise ConnectionError(message)
        return {}

    nodes = [("flaky", flaky), ("answer", answering(kit.FakeModel(ANSWER)))]
    flow = graph(*nodes, checkpointer=InMemorySaver())
    with pytest.raises(ConnectionError):
        manner.invoke(flow, start, config)
    assert handler.turns == ()
    manner.invoke(flow, None, config)
    assert kit.said(handler) == TURN


@pytest.mark.parametrize("mode", ["values", "updates", "messages", "custom"])
def test_a_read_stream_of_a_graph_is_a_turn(kit, manner, handler, config, start, mode):
    """However a graph is streamed, read to its end it is one turn."""
    flow = graph(
        ("classify", aside(kit.FakeModel("bank"))), ("answer", answering(kit.FakeModel(ANSWER)))
    )
    manner.stream(flow, start, config, stream_mode=mode)
    assert kit.said(handler) == TURN


def test_a_graph_closed_before_it_answered_is_no_turn(kit, manner, handler, config, start):
    """A classification is no reply, also when nothing follows it."""
    flow = graph(
        ("classify", aside(kit.FakeModel("pasta"))), ("answer", answering(kit.FakeModel(ANSWER)))
    )
    manner.stream(flow, start, config, take=1, stream_mode="updates")
    assert all(turn == TURN[0] for turn in kit.said(handler))


def test_a_graph_closed_after_it_answered_is_a_turn(kit, manner, handler, config, start):
    """What a node had answered when the stream was closed is the reply."""
    flow = graph(
        ("answer", answering(kit.FakeModel(ANSWER))),
        ("log", lambda state: {}),
        ("more", lambda state: {}),
    )
    manner.stream(flow, start, config, take=1, stream_mode="updates")
    assert kit.said(handler) == TURN
    assert not handler.turns[0].complete


def test_nodes_can_be_left_out(kit, manner, start):
    """Replies of excluded nodes do not count, and included ones alone do."""
    flow = graph(
        ("answer", answering(kit.FakeModel(ANSWER, ANSWER, ANSWER))),
        ("joke", answering(kit.FakeModel("Ha!", "Ha!", "Ha!"))),
    )
    for options in ({"exclude_nodes": ["joke"]}, {"include_nodes": ["answer"]}):
        handler = kit.handler(kit.BANK, **options)
        manner.invoke(flow, start, {"callbacks": [handler]})
        assert kit.said(handler) == TURN
    handler = kit.handler(kit.BANK, include_nodes=["elsewhere"])
    manner.invoke(flow, start, {"callbacks": [handler]})
    assert handler.turns == ()


def test_tags_can_be_left_out(kit, manner, start):
    """Replies of runs with an excluded tag do not count, and of included ones alone do."""
    joke = kit.FakeModel("Ha!", "Ha!").with_config(tags=["fun"])
    answer = kit.FakeModel(ANSWER, ANSWER).with_config(tags=["main"])
    flow = graph(("answer", answering(answer)), ("joke", answering(joke)))
    for options in ({"exclude_tags": ["fun"]}, {"include_tags": ["main"]}):
        handler = kit.handler(kit.BANK, **options)
        manner.invoke(flow, start, {"callbacks": [handler]})
        assert kit.said(handler) == TURN


def test_a_node_of_a_subgraph_can_be_named(kit, manner, start):
    """Nodes are found by name in subgraphs too, and so is all that stands in a named subgraph."""
    inner = graph(("answer", answering(kit.FakeModel(ANSWER, ANSWER))))
    flow = graph(("sub", inner), ("joke", answering(kit.FakeModel("Ha!", "Ha!"))))
    for name in ("sub", "answer"):
        handler = kit.handler(kit.BANK, include_nodes=[name])
        manner.invoke(flow, start, {"callbacks": [handler]})
        assert kit.said(handler) == TURN
