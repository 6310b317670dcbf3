import json
import logging
from contextlib import AsyncExitStack

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.store.memory import InMemoryStore

from langchain_drift.errors import BudgetError, InvalidInputError
from langchain_drift.session_nodes.edges import make_should_end_session, should_end_session
from langchain_drift.session_nodes.end import make_end_session_node
from langchain_drift.session_nodes.mirror import aread_summaries, mirror, read_summaries
from langchain_drift.session_nodes.nodes import make_inject_node, make_score_node
from langchain_drift.session_nodes.state import DriftState, merge_summaries


def ending(kit, *, route=should_end_session, score=None, **options):
    """Return a function that makes a chat graph whose sessions end."""
    end = make_end_session_node(**options)
    score = score or make_score_node(kit.scorer)

    def make(**compiled):
        return kit.chat(score, end=end, route=route, **compiled)

    return make


def say(graph, config, text, name, *, end=False):
    given = {"messages": [HumanMessage(text, id=name)], "drift_end_session": end}
    return graph.invoke(given, config)


def texts(values):
    return [message.text for message in values["messages"]]


def test_a_session_ends_with_its_summary_and_the_next_begins(savers, kit):
    """The summary stays, the messages go, turns are counted anew; restarted it is the same."""
    make, config = ending(kit), kit.thread()
    for number in range(1, 6):
        with savers.open() as saver:
            values = say(make(checkpointer=saver), config, f"loan {number}", f"h{number}",
                         end=number % 2 == 0)  # fmt: skip
    assert values["drift_session"] == 3
    assert [each["session"] for each in values["drift_summaries"]] == [1, 2]
    assert values["drift_summaries"][0] == {
        "schema": 1,
        "session": 1,
        "summary": "User: loan 1 loan 2",
        "turns": 2,
        "final_score": 100.0,
        "until": "h2",
    }
    assert texts(values) == ["loan 5", "About loan 5"]
    assert [(turn["session"], turn["number"]) for turn in values["drift_turns"]] == [
        (1, 1), (1, 2), (2, 1), (2, 2), (3, 1)
    ]  # fmt: skip
    assert json.loads(json.dumps(values["drift_summaries"])) == values["drift_summaries"]


async def test_async_graphs_end_the_same(savers, kit):
    """With an async saver and an async summarizer a session ends the same way."""

    async def summarizer(text):
        return f"{len(text.splitlines())} lines"

    make, config = ending(kit, summarizer=summarizer), kit.thread()
    for number in range(2):
        async with AsyncExitStack() as stack:
            graph = make(checkpointer=await savers.aopen(stack))
            given = {"messages": [HumanMessage("loan", id=f"h{number}")]}
            values = await graph.ainvoke({**given, "drift_end_session": number == 1}, config)
    assert [each["summary"] for each in values["drift_summaries"]] == ["4 lines"]
    assert values["messages"] == []


def test_a_fork_before_the_end_has_the_session_still(savers, kit):
    """From before its end a session is as it was: messages, turns, no summary."""
    make, config = ending(kit), kit.thread()
    with savers.open() as saver:
        graph = make(checkpointer=saver)
        say(graph, config, "loan 1", "h1")
        say(graph, config, "loan 2", "h2", end=True)
        past = [
            each
            for each in graph.get_state_history(config)
            if not each.next and not each.values.get("drift_summaries")
        ]
        values = say(graph, past[0].config, "a fork", "f", end=True)
    assert [each["summary"] for each in values["drift_summaries"]] == ["User: loan 1 a fork"]


@pytest.mark.parametrize("kept", [1, 2, 5])
def test_kept_turns_are_summarised_once(kit, kept):
    """Turns kept in the messages are in one summary only, in that of their own session."""
    seen = []
    make = ending(kit, summarizer=lambda text: seen.append(text) or "s", keep_turns=kept)
    graph, config = make(checkpointer=InMemorySaver()), kit.thread()
    for number in range(1, 7):
        values = say(graph, config, f"loan {number}", f"h{number}", end=number % 2 == 0)
    assert [text.count("loan") // 2 for text in seen] == [2, 2, 2]
    assert len(values["messages"]) == 2 * kept
    assert [turn["session"] for turn in values["drift_turns"]] == [1, 1, 2, 2, 3, 3]


def test_kept_turns_are_summarised_once_without_scores(kit):
    """The same where nothing is scored: the summary says up to where it goes."""
    seen = []
    make = ending(
        kit,
        score=lambda state: {},
        summarizer=lambda text: seen.append(text) or "s",
        keep_turns=1,
    )
    graph, config = make(checkpointer=InMemorySaver()), kit.thread()
    for number in range(1, 5):
        say(graph, config, f"loan {number}", f"h{number}", end=number % 2 == 0)
    assert ["loan 2" in text for text in seen] == [True, False]


@pytest.mark.parametrize("limit", range(1, 4))
def test_only_so_many_summaries_are_kept(kit, limit):
    """The oldest summaries go, from the state itself."""
    graph = ending(kit, max_summaries=limit)(checkpointer=InMemorySaver())
    for number in range(1, 6):
        values = say(graph, kit.thread(), "loan", f"h{number}", end=True)
    numbers = [each["session"] for each in values["drift_summaries"]]
    assert numbers == list(range(6 - limit, 6))


@pytest.mark.parametrize("given", ["", None, "fails"])
async def test_a_failing_summary_changes_nothing_and_is_reported(kit, given):
    """Without a summary messages, session and summaries stay, and `drift_end` says why."""

    def summarizer(text):
        return given if given != "fails" else 1 / 0

    graph = ending(kit, summarizer=summarizer)(checkpointer=InMemorySaver())
    values = say(graph, kit.thread(), "loan", "h1", end=True)
    assert (values["drift_end"]["status"], values["drift_end"]["session"]) == ("failed", 1)
    assert values["drift_end"]["reason"]
    assert texts(values) == ["loan", "About loan"]
    assert not values.get("drift_summaries")
    asked = {"messages": [HumanMessage("again", id="h2")], "drift_end_session": True}
    values = await graph.ainvoke(asked, kit.thread())
    assert (values["drift_end"]["status"], len(values["messages"])) == ("failed", 4)


def test_a_frozen_context_is_not_ended(kit):
    """With `drift_frozen` nothing is summarised and nothing goes."""
    graph = ending(kit, summarizer=pytest.fail)(checkpointer=InMemorySaver())
    graph.update_state(kit.thread(), {"drift_frozen": True}, as_node="score")
    values = say(graph, kit.thread(), "loan", "h1", end=True)
    assert values["drift_end"]["status"] == "frozen"
    assert len(values["messages"]) == 2


async def test_the_summarizer_is_never_called_with_nothing(kit):
    """Field case ctx-05: a session in which nothing was said does not end."""
    node = make_end_session_node(pytest.fail)
    for messages in ([], [SystemMessage("Be brief.")], [HumanMessage(" ", id="h")]):
        for values in (
            node.invoke({"messages": messages}),
            await node.ainvoke({"messages": messages}),
        ):
            assert values["drift_end"]["status"] == "empty"
            assert "messages" not in values


def test_without_a_human_message_there_is_still_text_to_summarise():
    """Field case ctx-03: what the assistant and tools said is summarised, not replaced."""
    seen = []
    call = AIMessage("", id="a", tool_calls=[{"name": "look", "args": {}, "id": "1"}])
    messages = [call, ToolMessage("7 items", tool_call_id="1", name="look", id="t")]
    messages += [AIMessage("There are 7.", id="b")]
    node = make_end_session_node(lambda text: seen.append(text) or "s")
    values = node.invoke({"messages": messages})
    assert seen == ["A1: [look: 7 items]\nThere are 7."]
    assert [message.id for message in values["messages"]] == ["a", "t", "b"]


@pytest.mark.parametrize("kept", range(4))
def test_a_cut_leaves_no_result_without_its_call(kept):
    """Field case ctx-04: call and all its results go or stay together, an open call stays."""
    calls = [{"name": "look", "args": {}, "id": name} for name in ("1", "2")]
    history = []
    for number in range(3):
        ids = [f"{number}{name}" for name in ["1", "2"]]
        calls = [{"name": "look", "args": {}, "id": name} for name in ids]
        history += [
            HumanMessage("q", id=f"h{number}"),
            AIMessage("", id=f"c{number}", tool_calls=calls),
        ]
        history += [ToolMessage("r", tool_call_id=name, id=f"t{name}") for name in ids]
    del history[-1]
    values = make_end_session_node(keep_turns=kept).invoke({"messages": history})
    gone = {message.id for message in values["messages"]}
    left = [message for message in history if message.id not in gone]
    asked = [call["id"] for message in left for call in getattr(message, "tool_calls", ())]
    answered = [message.tool_call_id for message in left if isinstance(message, ToolMessage)]
    assert asked == [*answered, "22"]
    assert left[0].type == "human"
    assert sum(message.type == "human" for message in left) == max(kept, 1)


def test_system_messages_stay_and_are_not_summarised():
    """A system message in the history is neither removed nor told to the summarizer."""
    seen = []
    history = [
        SystemMessage("Be brief.", id="s"),
        HumanMessage("q", id="h"),
        AIMessage("a", id="a"),
    ]
    node = make_end_session_node(lambda text: seen.append(text) or "s")
    values = node.invoke({"messages": history})
    assert [message.id for message in values["messages"]] == ["h", "a"]
    assert seen == ["Q1: q\nA1: a"]


def test_a_summary_in_the_history_is_not_summarised_again():
    """What another summarizer left in the messages stays and is in no summary of ours."""
    seen = []
    note = HumanMessage("So far: cards.", id="n", additional_kwargs={"lc_source": "summarization"})
    history = [note, HumanMessage("q", id="h"), AIMessage("a", id="a")]
    node = make_end_session_node(lambda text: seen.append(text) or "s")
    update = node.invoke({"messages": history})
    assert "So far" not in seen[0]
    assert [message.id for message in update["messages"]] == ["h", "a"]


def test_an_oversize_message_leads_to_one_summary(kit):
    """One message of 12,000 tokens under a budget of 9,240 is summarised once in ten turns."""
    seen = []
    route = make_should_end_session(max_tokens=9240)
    inject = make_inject_node(kit.scorer, max_tokens=9240)
    make = ending(kit, summarizer=lambda text: seen.append(text) or "s", keep_turns=1, route=route)
    graph, config = make(checkpointer=InMemorySaver()), kit.thread()
    say(graph, config, "a loan", "h0")
    say(graph, config, "word " * 9600, "big")
    for number in range(8):
        values = say(graph, config, "a loan", f"h{number + 1}")
        context = inject.invoke(values)["drift_context"]
        assert context[0].text.startswith(kit.BANK)
    assert len(seen) == 1
    assert len(seen[0]) < 40_000


def test_limits_end_a_session(kit):
    """Many turns, many tokens, a low score or the flag in the state end a session."""
    turn = {"turn_id": "h", "session": 1, "number": 4, "score": 40.0}
    values = {"messages": [HumanMessage("word " * 100, id="h")], "drift_turns": [turn]}
    assert should_end_session(values) == "continue"
    assert should_end_session({**values, "drift_end_session": True}) == "end_session"
    for given, expected in [
        ({}, "continue"),
        ({"max_turns": 5}, "continue"),
        ({"max_turns": 4}, "end_session"),
        ({"below": 40}, "continue"),
        ({"below": 41}, "end_session"),
        ({"max_tokens": 5000}, "continue"),
        ({"max_tokens": 100}, "end_session"),
        ({"max_tokens": 5, "counter": len}, "continue"),
    ]:
        assert make_should_end_session(**given)(values) == expected
    # The score and the turns of a session that ended count no more.
    ended = {**values, "drift_session": 2}
    assert make_should_end_session(max_turns=1, below=99, max_tokens=1)(ended) == "continue"


@pytest.mark.parametrize("below", ["55", -1, 101, float("nan"), True])
def test_a_score_that_is_none_is_refused_as_the_edge_is_made(below):
    """A limit that no score can meet is told at once, not at the first turn."""
    with pytest.raises(InvalidInputError, match="below is"):
        make_should_end_session(below=below)


async def test_what_others_keep_in_the_namespace_hides_no_summary():
    """Memories of another kind under the same namespace are left out, and a list names it too."""
    store, place = InMemoryStore(), ("drift", "ann")
    mirror(store, place, "one", {"session": 1, "summary": "Ann likes tea.", "turns": 1})
    store.put(place, "theirs", {"text": "no summary"})
    store.put(place, "empty", {"summary": "", "at": "2026-01-01"})
    found = read_summaries(store, place)
    assert [each.summary for each in found] == ["Ann likes tea."]
    assert read_summaries(store, list(place)) == await aread_summaries(store, place) == found
    with pytest.raises(InvalidInputError, match="limit is -1"):
        read_summaries(store, place, -1)
    with pytest.raises(InvalidInputError, match="limit is -1"):
        await aread_summaries(store, place, -1)


def test_the_managed_context_reaches_the_model_and_no_checkpoint(savers, kit):
    """The model sees prompt, summaries and live turns; the checkpoint holds no copy of them."""
    seen = []

    def model(state):
        seen.append(state["drift_context"])
        return {"messages": [AIMessage("About loans.")]}

    builder = StateGraph(DriftState)
    builder.add_node("inject", make_inject_node(kit.scorer, remind=True))
    builder.add_node("model", model)
    builder.add_node("score", make_score_node(kit.scorer))
    builder.add_node("end", make_end_session_node(lambda text: "Noted."))
    builder.add_edge(START, "inject")
    builder.add_edge("inject", "model")
    builder.add_edge("model", "score")
    builder.add_conditional_edges(
        "score", should_end_session, {"end_session": "end", "continue": END}
    )
    with savers.open() as saver:
        graph = builder.compile(checkpointer=saver)
        say(graph, kit.thread(), "q1", "h1", end=True)
        values = say(graph, kit.thread(), "q2", "h2")
        assert "drift_context" not in graph.get_state(kit.thread()).values
    assert [message.text for message in seen[0]] == [kit.BANK, "q1"]
    system, *live = seen[1]
    assert system.text.startswith(f"{kit.BANK}\n\n---")
    assert system.text.endswith("[Session 1 | 1 exchange | drift: 100/100]: Noted.")
    assert [message.text for message in live] == ["q2"]
    assert len(values["messages"]) == 2


def test_the_model_is_reminded_while_it_drifts(kit):
    """With `remind` the context ends with a reminder while the score is below 55."""
    turn = {"turn_id": "h", "session": 1, "number": 1, "score": 54.0}
    values = {"messages": [HumanMessage("q", id="h")], "drift_turns": [turn]}
    inject = make_inject_node(kit.BANK, remind=True)
    system = inject.invoke(values)["drift_context"][0]
    assert system.text.startswith(kit.BANK)
    assert "drift score 54 of 100" in system.text
    turn["score"] = 55.0
    assert inject.invoke(values)["drift_context"][0].text == kit.BANK


def test_a_prompt_beyond_the_budget_is_an_error_of_the_graph(kit):
    """A context that cannot be made is told, not left out."""
    inject = make_inject_node("word " * 1000, max_tokens=100)
    with pytest.raises(BudgetError, match="never cut"):
        inject.invoke({"messages": [HumanMessage("q")]})


async def test_a_new_thread_finds_what_earlier_ones_noted(kit):
    """Mirrored to a store, summaries reach another thread of the same user, and no other user's."""
    store = InMemoryStore()

    def user(config):
        return ("drift", "sessions", config["configurable"]["user_id"])

    make = ending(kit, summarizer=lambda text: f"Noted: {text[4:10]}", namespace=user)
    graph = make(checkpointer=InMemorySaver(), store=store)
    builder = StateGraph(DriftState)
    builder.add_node("inject", make_inject_node(kit.scorer, namespace=user))
    builder.add_node("see", lambda state: {"messages": [AIMessage(state["drift_context"][0].text)]})
    builder.add_edge(START, "inject")
    builder.add_edge("inject", "see")
    reader = builder.compile(store=store)
    for number, who in enumerate(["ann", "bob", "ann"]):
        config = {"configurable": {"thread_id": f"t{number}", "user_id": who}}
        say(graph, config, f"loan {number}", f"h{number}", end=True)
    for run in ("sync", "async"):
        config = {"configurable": {"thread_id": "new", "user_id": "ann"}}
        given = {"messages": [HumanMessage("q")]}
        values = (
            await reader.ainvoke(given, config) if run == "async" else reader.invoke(given, config)
        )
        seen = values["messages"][-1].text
        assert seen.index("Noted: loan 0") < seen.index("Noted: loan 2")
        assert "loan 1" not in seen
    found = read_summaries(store, ("drift", "sessions", "ann"), limit=1)
    assert [each.summary for each in found] == ["Noted: loan 2"]
    assert await aread_summaries(store, ("drift", "sessions", "ann"), limit=1) == found


def test_without_a_store_or_with_a_wrong_namespace_sessions_still_end(kit, caplog):
    """A mirror that cannot be written is logged; the session ends all the same."""
    for namespace, store in [(("drift", "a.b"), InMemoryStore()), (("drift",), None)]:
        graph = ending(kit, namespace=namespace)(checkpointer=InMemorySaver(), store=store)
        values = say(graph, kit.thread(), "loan", "h", end=True)
        assert values["drift_end"]["status"] == "ended"
    assert "namespace is ('drift', 'a.b')" in caplog.text


def test_nothing_but_plain_data_is_in_the_state(kit, caplog):
    """Field cases state-01 to state-04: no type of ours needs to be allowed or could be lost."""
    serde = JsonPlusSerializer(allowed_msgpack_modules=[])
    graph = ending(kit)(checkpointer=InMemorySaver(serde=serde))
    with caplog.at_level(logging.WARNING):
        for number in range(4):
            values = say(graph, kit.thread(), "loan", f"h{number}", end=number == 1)
    assert caplog.text == ""
    kept = graph.get_state(kit.thread()).values
    for key in ("drift_turns", "drift_summaries", "drift_session", "drift_end"):
        assert json.loads(json.dumps(kept[key])) == kept[key] == values[key]


def test_a_chat_model_summarises_out_of_the_users_sight(kit):
    """The model that summarises is tagged, so its tokens are in no stream of messages."""
    make = ending(kit, summarizer=FakeListChatModel(responses=["A loan was asked for."]))
    graph = make(checkpointer=InMemorySaver())
    given = {"messages": [HumanMessage("loan", id="h")], "drift_end_session": True}
    pieces = list(graph.stream(given, kit.thread(), stream_mode="messages"))
    assert not any("asked for" in message.text for message, _ in pieces)
    summaries = graph.get_state(kit.thread()).values["drift_summaries"]
    assert summaries[0]["summary"] == "A loan was asked for."


def test_summaries_merge_by_session():
    """A later summary of a session replaces the one before; an empty one takes it back."""
    first, second = {"session": 1, "summary": "a"}, {"session": 2, "summary": "b"}
    assert merge_summaries([second], [first]) == [first, second]
    assert merge_summaries([first], [{**first, "summary": "c"}])[0]["summary"] == "c"
    assert merge_summaries([first, second], [{"session": 1, "summary": ""}]) == [second]
    assert merge_summaries(None, None) == []


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"max_summaries": 0}, "max_summaries is 0"),
        ({"keep_turns": -1}, "keep_turns is -1"),
        ({"summarizer": "gpt"}, "'gpt'"),
    ],
)
def test_a_wrong_option_of_the_node_is_named(given, named):
    """An option with a value it cannot take is an error as the node is made."""
    with pytest.raises(InvalidInputError, match=named):
        make_end_session_node(**given)
