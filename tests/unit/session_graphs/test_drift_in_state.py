from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Overwrite, RetryPolicy, interrupt

from langchain_drift import DriftScorer, DriftTracker, EmbeddingError, InvalidInputError
from langchain_drift.session_nodes.edges import route_drift, should_end_session
from langchain_drift.session_nodes.end import make_end_session_node
from langchain_drift.session_nodes.nodes import make_score_node
from langchain_drift.session_nodes.state import DriftState
from langchain_drift.tracking.turn_log import merge_turns


def say(graph, config, text, name):
    return graph.invoke({"messages": [HumanMessage(text, id=name)]}, config)


def test_every_turn_is_scored_once_and_survives_a_restart(savers, kit):
    """Turns of a thread are scored as a tracker scores them; reopened, the thread goes on."""
    config, texts = kit.thread(), ["a loan", "pasta", "a loan again", "pizza"]
    tracker = DriftTracker(kit.BANK, strategies=[kit.Loans()])
    for number, text in enumerate(texts):
        with savers.open() as saver:
            graph = kit.chat(make_score_node(kit.scorer), checkpointer=saver)
            values = say(graph, config, text, f"h{number}")
            expected = tracker.record_turn(text, f"About {text}")
            turn = graph.get_state(config).values["drift_turns"][-1]
        assert values["drift_turns"][-1] == turn
        assert turn["score"] == expected.drift.score
        assert (turn["verdict"], turn["explanation"]) == (
            expected.drift.verdict,
            expected.explanation,
        )
        assert (turn["number"], turn["departed"]) == (number + 1, expected.departed)
        assert {type(value) for value in turn.values()} <= {
            str, int, float, bool, list, dict, type(None)
        }  # fmt: skip
    assert kit.strategy.seen == texts


async def test_async_graphs_keep_the_same(savers, kit):
    """With an async saver the same turns are kept."""
    config = kit.thread()
    for number, text in enumerate(["a loan", "pasta"]):
        async with AsyncExitStack() as stack:
            saver = await savers.aopen(stack)
            graph = kit.chat(make_score_node(kit.scorer), checkpointer=saver)
            message = HumanMessage(text, id=f"h{number}")
            values = await graph.ainvoke({"messages": [message]}, config)
    assert kit.scores(values) == [("h0", 100.0), ("h1", 50.0)]


def test_a_fork_branches_the_history(savers, kit):
    """From an earlier checkpoint the thread goes on with the turns up to there, and the state."""
    config = kit.thread()
    with savers.open() as saver:
        graph = kit.chat(make_score_node(kit.scorer), checkpointer=saver)
        for number, text in enumerate(["a loan", "pasta", "pizza"]):
            say(graph, config, text, f"h{number}")
        past = [
            each
            for each in graph.get_state_history(config)
            if not each.next and len(each.values["drift_turns"]) == 1
        ]
        values = say(graph, past[0].config, "a car loan", "other")
        assert kit.scores(values) == [("h0", 100.0), ("other", 100.0)]
        assert kit.scores(graph.get_state(config).values) == kit.scores(values)


def test_a_replay_doubles_nothing(savers, kit):
    """Run again from a checkpoint before the scoring, a turn is scored to the same and once."""
    config = kit.thread()
    with savers.open() as saver:
        graph = kit.chat(make_score_node(kit.scorer), checkpointer=saver)
        say(graph, config, "a loan", "h0")
        before = say(graph, config, "pasta", "h1")["drift_turns"]
        past = [each for each in graph.get_state_history(config) if each.next == ("score",)]
        assert graph.invoke(None, past[0].config)["drift_turns"] == before


def test_a_subgraph_duplicates_nothing(savers, kit):
    """A subgraph that shares the state, and one that scores too, leave each turn once."""
    inner = kit.chat(make_score_node(kit.scorer))
    config = kit.thread()
    with savers.open() as saver:
        graph = kit.chat(make_score_node(kit.scorer), reply=inner, checkpointer=saver)
        for number in range(3):
            values = say(graph, config, "a loan", f"h{number}")
    assert [name for name, _ in kit.scores(values)] == ["h0", "h1", "h2"]
    assert len(kit.strategy.seen) == 3


def test_parallel_branches_merge(kit):
    """Two scoring nodes in one step are no conflict and leave each turn once."""
    builder = StateGraph(DriftState)
    builder.add_node("reply", kit.echo)
    for name in "ab":
        builder.add_node(name, make_score_node(kit.scorer))
        builder.add_edge("reply", name)
    builder.add_edge(START, "reply")
    values = builder.compile().invoke({"messages": [HumanMessage("a loan", id="h")]})
    assert kit.scores(values) == [("h", 100.0)]


def test_a_retried_node_scores_once(savers, kit):
    """A reply that fails and is retried, and a thread that failed and goes on, double nothing."""
    attempts = []

    def flaky(state):
        attempts.append(1)
        if len(attempts) in (1, 3):
            raise ConnectionError
        return kit.echo(state)

    builder = StateGraph(DriftState)
    builder.add_node("reply", flaky, retry_policy=RetryPolicy(0, jitter=False, max_attempts=2))
    builder.add_node("score", make_score_node(kit.scorer))
    builder.add_edge(START, "reply")
    builder.add_edge("reply", "score")
    config = kit.thread()
    with savers.open() as saver:
        graph = builder.compile(checkpointer=saver)
        say(graph, config, "a loan", "h0")
        values = say(graph, config, "pasta", "h1")
    assert len(attempts) == 4
    assert kit.scores(values) == [("h0", 100.0), ("h1", 50.0)]


def test_a_paused_turn_is_scored_when_it_ends(savers, kit):
    """An interrupted turn is not scored until it is resumed, and then once, however often."""

    def ask(state):
        first, second = interrupt("sure?"), interrupt("really?")
        return {"messages": [AIMessage(f"{first} {second} loan")]}

    config = kit.thread()
    with savers.open() as saver:
        graph = kit.chat(make_score_node(kit.scorer), reply=ask, checkpointer=saver)
        assert not say(graph, config, "q", "h0").get("drift_turns")
        assert not graph.invoke(Command(resume="yes"), config).get("drift_turns")
        values = graph.invoke(Command(resume="really"), config)
    assert kit.scores(values) == [("h0", 100.0)]
    assert values["drift_turns"][0]["assistant"] == "yes really loan"


def test_supplied_history_is_scored_once_each(savers, kit):
    """Field case mw-02: five turns given at once with a new one are all scored, once each."""
    history = []
    for number in range(5):
        history += [HumanMessage(f"loan {number}", id=f"h{number}"), AIMessage("fine")]
    config = kit.thread()
    with savers.open() as saver:
        graph = kit.chat(make_score_node(kit.scorer), checkpointer=saver)
        graph.invoke({"messages": [*history, HumanMessage("pasta", id="new")]}, config)
        values = say(graph, config, "pizza", "newer")
    assert [name for name, _ in kit.scores(values)] == [
        *[f"h{n}" for n in range(5)],
        "new",
        "newer",
    ]
    assert kit.strategy.seen == [*[f"loan {n}" for n in range(5)], "pasta", "pizza"]


def test_history_sent_again_is_not_scored_again(savers, kit):
    """A client that sends all messages again without ids, at every turn, adds one turn each."""
    config, history = kit.thread(), []
    with savers.open() as saver:
        graph = kit.chat(make_score_node(kit.scorer), checkpointer=saver)
        for text in ["a loan", "a loan", "pasta", "a loan"]:
            history.append(HumanMessage(text))
            copies = [message.model_copy(update={"id": None}) for message in history]
            values = graph.invoke({"messages": copies}, config)
            history.append(AIMessage(values["messages"][-1].text))
    assert [turn["user"] for turn in values["drift_turns"]] == [
        "a loan",
        "a loan",
        "pasta",
        "a loan",
    ]
    assert [turn["number"] for turn in values["drift_turns"]] == [1, 2, 3, 4]
    assert len(kit.strategy.seen) == 4


def test_a_repeated_question_is_a_turn_of_its_own(savers, kit):
    """Who asks the same again and gets the same reply has two turns."""
    config = kit.thread()
    with savers.open() as saver:
        graph = kit.chat(make_score_node(kit.scorer), checkpointer=saver)
        say(graph, config, "pasta", "h0")
        values = say(graph, config, "pasta", "h1")
    assert [turn["number"] for turn in values["drift_turns"]] == [1, 2]


def test_an_edited_message_is_scored_anew_with_those_after_it(savers, kit):
    """The changed turn keeps its place; it and the later ones are scored from before it."""
    config = kit.thread()
    with savers.open() as saver:
        graph = kit.chat(make_score_node(kit.scorer), checkpointer=saver)
        for number, text in enumerate(["a loan", "pasta", "a loan"]):
            say(graph, config, text, f"h{number}")
        graph.update_state(
            config, {"messages": [HumanMessage("a car loan", id="h1")]}, as_node="reply"
        )
        values = graph.invoke(None, config)
    assert kit.scores(values) == [("h0", 100.0), ("h1", 100.0), ("h2", 100.0)]
    assert values["drift_turns"][1]["user"] == "a car loan"
    assert kit.strategy.seen[3:] == ["a car loan", "a loan"]


def test_a_reply_given_again_is_scored_anew(savers, kit):
    """The last reply removed and made again is scored from before the turn."""
    replies = iter(["about loans", "pasta", "about loans again"])
    config = kit.thread()

    def reply(state):
        return {"messages": [AIMessage(next(replies), id=f"a{len(state['messages'])}")]}

    with savers.open() as saver:
        graph = kit.chat(make_score_node(kit.scorer), reply=reply, checkpointer=saver)
        say(graph, config, "q", "h0")
        assert say(graph, config, "q", "h1")["drift_turns"][-1]["score"] == 50
        graph.update_state(config, {"messages": [RemoveMessage(id="a3")]}, as_node="__start__")
        values = graph.invoke(None, config)
    assert kit.scores(values) == [("h0", 100.0), ("h1", 100.0)]


def test_a_tool_loop_is_one_turn(kit):
    """Calls and results are inside a turn; a turn that waits for a tool is none yet."""
    call = AIMessage("let me look", tool_calls=[{"name": "look", "args": {}, "id": "1"}])
    graph = kit.chat(make_score_node(kit.scorer), reply=lambda state: {"messages": [call]})
    values = graph.invoke({"messages": [HumanMessage("a loan", id="h")]})
    assert values["drift_turns"] == []
    done = [call, ToolMessage("7", tool_call_id="1"), AIMessage("It is 7.")]
    graph = kit.chat(make_score_node(kit.scorer), reply=lambda state: {"messages": done})
    values = graph.invoke({"messages": [HumanMessage("a loan", id="h")]})
    assert [turn["assistant"] for turn in values["drift_turns"]] == ["It is 7."]


def test_long_threads_stay_bounded(savers, kit):
    """At most 200 turns are kept, states only with the newest, and scores are not touched by it."""
    messages = []
    for number in range(230):
        text = "a loan" if number % 2 else "pasta"
        messages += [HumanMessage(text * 100, id=f"h{number}"), AIMessage("x" * 1000)]
    config = kit.thread()
    with savers.open() as saver:
        graph = kit.chat(make_score_node(kit.scorer), checkpointer=saver)
        graph.invoke({"messages": [*messages, HumanMessage("a loan", id="h230")]}, config)
        values = say(graph, config, "a loan", "h231")
    turns = values["drift_turns"]
    assert [turn["number"] for turn in turns] == list(range(33, 233))
    assert turns[-1]["score"] == pytest.approx(100 * 117 / 232)
    assert sum(turn["state"] is not None for turn in turns) == 8
    assert max(len(turn["user"]) for turn in turns) == 200


def test_an_older_version_loads(savers, kit):
    """Turns written with fewer fields, or a state this version does not read, are gone on from."""
    old = {"turn_id": "h0", "session": 1, "number": 1, "user": "a loan", "assistant": "fine"}
    old |= {"score": 100.0, "verdict": "fresh", "state": {"schema": 0, "strategy_name": "gone"}}
    config = kit.thread()
    with savers.open() as saver:
        graph = kit.chat(make_score_node(kit.scorer), checkpointer=saver)
        graph.update_state(config, {"drift_turns": [old]}, as_node="score")
        values = say(graph, config, "pasta", "h1")
    assert kit.scores(values) == [("h0", 100.0), ("h1", 50.0)]
    assert values["drift_turns"][1]["number"] == 2


@pytest.mark.parametrize("damage", [{"turns": "x"}, {"departures": None}, {"strategy": {}}])
def test_a_damaged_state_stops_no_scoring(kit, damage):
    """Where the state of a turn is not whole, the turns before it are scored again."""
    node = make_score_node(kit.scorer)
    messages = [HumanMessage("a loan", id="h0"), AIMessage("fine")]
    (turn,) = node.invoke({"messages": messages})["drift_turns"]
    turn["state"] |= damage
    messages += [HumanMessage("pasta", id="h1"), AIMessage("fine")]
    found = node.invoke({"messages": messages, "drift_turns": [turn]})["drift_turns"]
    assert [(each["turn_id"], each["number"], each["score"]) for each in found] == [("h1", 2, 50.0)]


@dataclass
class Fields:
    """The state of a graph as a dataclass."""

    messages: Annotated[list[Any], add_messages] = field(default_factory=list)
    drift_turns: Annotated[list[Any], merge_turns] = field(default_factory=list)
    drift_end_session: bool = False


def test_the_state_may_be_a_dataclass(kit):
    """Nodes and edges read a dataclass, as LangGraph does."""
    graph = kit.chat(
        make_score_node(kit.scorer),
        reply=lambda state: kit.echo(vars(state)),
        end=make_end_session_node(),
        route=should_end_session,
        schema=Fields,
    )
    values = graph.invoke({"messages": [HumanMessage("a loan", id="h0")]})
    assert kit.scores(values) == [("h0", 100.0)]
    assert route_drift(Fields(**values)) == "on_purpose"


@pytest.mark.parametrize("manner", ["invoke", "ainvoke"])
async def test_another_embedder_stops_no_scoring(kit, manner):
    """A thread scored with an embedder that was exchanged since is gone on with."""

    class Embedded(kit.Loans):
        embedder = "one"

        def start(self):
            return {"said": [], "embedder": self.embedder}

        def step(self, purpose, state, turn):
            if state["embedder"] != self.embedder:
                message = "another embedder"
                raise InvalidInputError(message)
            inner, judgement = super().step(purpose, state, turn)
            return {**inner, "embedder": self.embedder}, judgement

    strategy = Embedded()
    node = make_score_node(DriftScorer(kit.BANK, strategy=strategy))

    async def score(values):
        found = getattr(node, manner)(values)
        return (await found if manner == "ainvoke" else found)["drift_turns"]

    messages = [HumanMessage("a loan", id="h0"), AIMessage("fine")]
    turns = await score({"messages": messages})
    strategy.embedder = "two"
    messages += [HumanMessage("pasta", id="h1"), AIMessage("fine")]
    (turn,) = await score({"messages": messages, "drift_turns": turns})
    assert (turn["turn_id"], turn["number"], turn["score"]) == ("h1", 2, 50.0)
    assert turn["state"]["strategy"]["embedder"] == "two"


def test_history_can_be_reset(savers, kit):
    """`Overwrite` empties the turns; the next one is the first."""
    config = kit.thread()
    with savers.open() as saver:
        graph = kit.chat(make_score_node(kit.scorer), checkpointer=saver)
        say(graph, config, "pasta", "h0")
        graph.update_state(
            config,
            {"drift_turns": Overwrite([]), "messages": [RemoveMessage(id="__remove_all__")]},
            as_node="score",
        )
        values = say(graph, config, "a loan", "h1")
    assert kit.scores(values) == [("h1", 100.0)]


async def test_a_scorer_that_fails_costs_no_answer(kit, caplog):
    """Where scoring fails the answer is there, and the turn is scored the next time."""

    class Fails(kit.Loans):
        fails = True

        def step(self, purpose, state, turn):
            if self.fails:
                message = "the embedder failed"
                raise EmbeddingError(message)
            return super().step(purpose, state, turn)

    strategy = Fails()
    graph = kit.chat(make_score_node(DriftScorer(kit.BANK, strategy=strategy)))
    first = [HumanMessage("a loan", id="h0")]
    values = graph.invoke({"messages": first})
    assert (values["messages"][-1].text, values["drift_turns"]) == ("About a loan", [])
    assert (await graph.ainvoke({"messages": first}))["drift_turns"] == []
    assert "the embedder failed" in caplog.text
    strategy.fails = False
    values = graph.invoke({"messages": [*values["messages"], HumanMessage("pasta", id="h1")]})
    assert kit.scores(values) == [("h0", 100.0), ("h1", 50.0)]


def test_drift_is_routed_on(kit):
    """The edge goes by the running score of the session: on purpose, remind, reset."""
    turn = {"turn_id": "h", "session": 1, "number": 1}
    for score, expected in [(90.0, "on_purpose"), (55.0, "on_purpose"), (54.9, "remind")]:
        assert route_drift({"drift_turns": [{**turn, "score": score}]}) == expected
    assert route_drift({"drift_turns": [{**turn, "score": 34.9}]}) == "reset"
    assert route_drift({}) == "on_purpose"
    assert (
        route_drift({"drift_session": 2, "drift_turns": [{**turn, "score": 0.0}]}) == "on_purpose"
    )


def test_a_prompt_is_enough(kit):
    """A node can be made of a system prompt; anything else is refused."""
    graph = kit.chat(make_score_node(kit.BANK))
    values = graph.invoke({"messages": [HumanMessage("Which credit cards are there?", id="h")]})
    assert values["drift_turns"][0]["score"] > 55
    with pytest.raises(ValueError, match="scorer is 7"):
        make_score_node(7)


def test_the_graph_draws(kit):
    """Nodes and edges have the names a drawing shows."""
    assert "drift_score" in make_score_node(kit.scorer).get_name()
    assert END in kit.chat(make_score_node(kit.scorer)).get_graph().draw_mermaid()


def test_messages_without_ids_are_turns_all_the_same(kit):
    """Where a channel gives messages no ids each turn is scored once, one asked twice as two."""
    node, turns, messages = make_score_node(kit.scorer), [], []
    for text in ["a loan", "pasta", "a loan"]:
        messages += [HumanMessage(text), AIMessage(f"About {text}")]
        for _ in range(2):
            found = node.invoke({"messages": messages, "drift_turns": turns})["drift_turns"]
            turns = merge_turns(turns, found)
    assert [turn["user"] for turn in turns] == ["a loan", "pasta", "a loan"]
    assert kit.strategy.seen == ["a loan", "pasta", "a loan"]
