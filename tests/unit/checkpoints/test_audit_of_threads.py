"""Threads of checkpoint databases, read and scored."""

import sqlite3
import stat
from datetime import UTC, datetime, timedelta

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage

from langchain_drift import (
    DriftScorer,
    DriftState,
    InvalidInputError,
    StoreError,
    make_score_node,
)
from langchain_drift.checkpoints.audit import audit
from langchain_drift.checkpoints.database import open_checkpoints
from langchain_drift.checkpoints.thread import ThreadPlace
from langchain_drift.conversation.many import Chat, ManyScorer


class Deep(FakeListChatModel):
    """Says its replies and calls no tool."""

    def bind_tools(self, tools, **kwargs):
        return self


def test_threads_come_worst_first_as_they_would_be_scored_live(place, kit):
    """Each turn has the score that the scorer gives it turn by turn; most turns off come first."""
    threads = {
        "good": [kit.CARD, kit.CARD],
        "bad": [kit.CARD, kit.PASTA, kit.PASTA],
        "stray": [kit.CARD, kit.PASTA, kit.CARD],
    }
    kit.write(place, threads)
    with open_checkpoints(place) as database:
        found = audit(database, kit.PROMPT).threads
    assert [each.thread_id for each in found] == ["bad", "stray", "good"]
    for each in found:
        scorer, scores = DriftScorer(kit.PROMPT), []
        state = scorer.start()
        for turn in threads[each.thread_id]:
            state, result = scorer.step(state, *turn)
            scores.append(result.drift.score)
        assert each.lowest == pytest.approx(min(scores), abs=1e-3)
        assert each.final == pytest.approx(scores[-1], abs=1e-3)
        assert each.off == sum(score < 55 for score in scores)
        assert (each.departures, each.returns) == (state["departures"], state["returns"])
    assert found[0].look_at[0].turn == 2
    assert found[0].look_at[0].user == kit.PASTA[0]


def test_the_newest_state_of_a_thread_counts(place, kit):
    """What was edited or removed is not scored; a subgraph's checkpoints are no thread."""
    with kit.saver_on(place) as saver:
        graph = kit.chat(saver)
        outer = kit.chat(saver)
        config = {"configurable": {"thread_id": "1"}}
        said = [HumanMessage(kit.PASTA[0], id="h"), AIMessage(kit.PASTA[1], id="a")]
        graph.invoke({"messages": said}, config)
        outer.invoke({"messages": [RemoveMessage(id="h"), RemoveMessage(id="a")]}, config)
        graph.invoke({"messages": [("human", kit.CARD[0]), ("ai", kit.CARD[1])]}, config)
    with open_checkpoints(place) as database:
        thread = database.find("1")
        assert database.count() == 1
    assert thread.turns() == [kit.CARD]


def test_the_system_message_is_the_purpose_without_another(place, kit):
    """A thread that begins with a system message is scored by it; others are left out."""
    kit.write(place, {"with": [kit.CARD, kit.PASTA]}, prompt=kit.PROMPT)
    kit.write(place, {"without": [kit.CARD], "empty": []})
    with open_checkpoints(place) as database:
        found = audit(database)
    assert [(each.thread_id, each.off) for each in found.threads] == [("with", 1)]
    assert found.left_out["no purpose"] == 1


def test_drift_that_a_thread_keeps_is_told_as_it_was(place, kit):
    """With a score node the kept scores count, unless a purpose is given."""
    with kit.saver_on(place) as saver:
        builder_graph = kit.chat(saver, DriftState)
        builder = builder_graph.builder
        builder.add_node("score", make_score_node(kit.PROMPT))
        builder.add_edge("reply", "score")
        graph = builder.compile(checkpointer=saver)
        config = {"configurable": {"thread_id": "1"}}
        for user, assistant in (kit.CARD, kit.PASTA):
            graph.invoke({"messages": [("human", user), ("ai", assistant)]}, config)
        kept = graph.get_state(config).values["drift_turns"]
    with open_checkpoints(place) as database:
        (found,) = audit(database).threads
        (anew,) = audit(database, "You help with recipes and cooking.").threads
    assert found.is_recorded
    assert (found.final, found.departures) == (kept[-1]["score"], [2])
    assert not anew.is_recorded
    assert anew.final > 55


def test_threads_of_deep_agents_are_read(place, kit, optional_package):
    """Messages that are stored as a list of changes are put together again."""
    deepagents = optional_package("deepagents")
    config = {"configurable": {"thread_id": "deep"}}
    replies = [kit.CARD[1], kit.PASTA[1]]
    with kit.saver_on(place) as saver:
        agent = deepagents.create_deep_agent(Deep(responses=replies), checkpointer=saver)
        for user in (kit.CARD[0], kit.PASTA[0]):
            agent.invoke({"messages": [("human", user)]}, config)
    with open_checkpoints(place) as database:
        assert database.find("deep").turns() == [kit.CARD, kit.PASTA]


def test_only_threads_since_a_time_are_scored(place, kit):
    """Threads that were not written to since then are passed over."""
    kit.write(place, {"1": [kit.CARD]})
    now = datetime.now(UTC)
    with open_checkpoints(place) as database:
        (each,) = audit(database, kit.PROMPT, since=now - timedelta(hours=1)).threads
        assert abs(each.at - now) < timedelta(minutes=5)
        assert not audit(database, kit.PROMPT, since=now + timedelta(hours=1)).threads


def test_nothing_is_changed(place, kit):
    """The connection refuses to write, and the content is the same after an audit."""
    kit.write(place, {"1": [kit.CARD]})
    before = dump(place)
    with open_checkpoints(place) as database:
        audit(database, kit.PROMPT)
        with pytest.raises(StoreError, match=r"read-?only"), open_checkpoints(place) as other:
            list(other.query("DELETE FROM checkpoints"))
    assert dump(place) == before


def dump(place):
    with open_checkpoints(place) as database:
        rows = database.query("SELECT thread_id, checkpoint_id, metadata FROM checkpoints")
        return sorted(map(str, rows))


def test_a_file_in_use_and_one_that_cannot_be_written_are_read(tmp_path, kit):
    """While a program writes, its threads are read; so are those on a read-only medium."""
    path = tmp_path / "inner" / "chats.sqlite"
    path.parent.mkdir()
    kit.write(str(path), {"1": [kit.CARD]})
    with kit.saver_on(str(path)) as saver:
        config = {"configurable": {"thread_id": "2"}}
        said = [("human", kit.CARD[0]), ("ai", kit.CARD[1])]
        kit.chat(saver).invoke({"messages": said}, config)
        with open_checkpoints(str(path)) as database:
            assert database.count() == 2
    path.chmod(stat.S_IRUSR)
    path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with open_checkpoints(str(path)) as database:
        assert database.count() == 2
    path.parent.chmod(stat.S_IRWXU)


def test_what_is_no_checkpoint_database_is_told(tmp_path):
    """A file of another kind, another database, and nothing at all are told in a sentence."""
    (tmp_path / "text").write_text("hello")
    connection = sqlite3.connect(tmp_path / "other.sqlite")
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    for name, told in {
        "text": "no SQLite database",
        "none": "none does not exist",
        "other.sqlite": "no checkpoints of LangGraph",
    }.items():
        with pytest.raises(InvalidInputError, match=told), open_checkpoints(str(tmp_path / name)):
            pass


def test_a_password_is_not_told(optional_package):
    """An address in a message has neither user nor password."""
    optional_package("psycopg")
    address = "postgresql://me:secret@/chats?host=/nowhere&password=secret"
    with pytest.raises(StoreError) as told, open_checkpoints(address):
        pass
    assert "secret" not in str(told.value)
    assert "postgresql:///chats" in str(told.value)


def test_a_thread_that_cannot_be_read_is_left_out(place, kit):
    """A thread in a format of its own, as an encrypted one, costs the others nothing."""
    kit.write(place, {"1": [kit.CARD]})
    if place.startswith("postgresql"):
        import psycopg  # noqa: PLC0415 - an extra

        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute("UPDATE checkpoint_blobs SET type = 'msgpack+aes'")
    else:
        connection = sqlite3.connect(place)
        connection.execute("UPDATE checkpoints SET type = 'msgpack+aes'")
        connection.commit()
        connection.close()
    kit.write(place, {"2": [kit.CARD]})
    with open_checkpoints(place) as database:
        found = audit(database, kit.PROMPT)
    assert [each.thread_id for each in found.threads] == ["2"]
    assert found.left_out == {"unreadable": 1}


def test_objects_of_other_classes_are_not_made(place, kit):
    """What a thread holds beside messages is never turned into objects of its classes."""

    class State(DriftState, total=False):
        made: object

    with kit.saver_on(place) as saver:
        graph = kit.chat(saver, State)
        said = [("human", kit.CARD[0]), ("ai", kit.CARD[1])]
        config = {"configurable": {"thread_id": "1"}}
        graph.invoke({"messages": said, "made": ThreadPlace("a", "b")}, config)
    with open_checkpoints(place) as database:
        thread = database.find("1")
    assert thread.turns() == [kit.CARD]
    assert not isinstance(thread.values["made"], ThreadPlace)


def test_no_more_than_some_hundred_turns_are_held(kit):
    """Chats are read on demand; what is ahead of what was scored is bounded."""
    read = []

    def chats():
        for number in range(300):
            read.append(number)
            yield Chat(number, kit.PROMPT, [(f"Card {number}?", "The card costs 49 euros.")] * 10)

    found = ManyScorer().score(chats())
    next(found)
    assert len(read) * 10 <= 600
    found.close()


def test_one_long_chat_is_scored_across_batches(kit):
    """A chat of more turns than a batch keeps its state from one batch to the next."""
    turns = [kit.CARD, kit.PASTA] * 300
    results = [result for _, result in ManyScorer().score([Chat("a", kit.PROMPT, turns)])]
    assert [result.drift.turn_number for result in results] == list(range(1, 601))
