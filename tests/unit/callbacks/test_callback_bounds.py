"""Memory of a handler is bounded: turns, conversations, and runs that never end."""

import threading
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from langchain_drift.callbacks.filters import RunFilter
from langchain_drift.callbacks.record import TurnRecord
from langchain_drift.callbacks.run import Kind, Start
from langchain_drift.callbacks.runs import RunBook
from langchain_drift.callbacks.store import Store

ASK, ANSWER = "A loan?", "Yes, a loan."


def talk(kit, handler, thread, text=ASK):
    config = {"callbacks": [handler], "metadata": {"thread_id": thread}}
    kit.FakeModel(ANSWER).invoke(text, config)


def test_the_oldest_turns_go_and_are_counted(kit):
    """Of more turns than are kept the newest stay; numbers and totals go on."""
    handler = kit.handler(kit.BANK, max_turns=3)
    for number in range(5):
        talk(kit, handler, "1", f"ask {number}")
    assert [turn.user_message for turn in handler.turns] == ["ask 2", "ask 3", "ask 4"]
    assert handler.dropped.turns == 2
    assert handler.turns[-1].drift.turn_number == handler.thread("1").total_turns == 5


def test_the_longest_silent_conversation_goes_and_is_counted(kit):
    """Of more conversations than are kept the one silent longest starts anew."""
    handler = kit.handler(kit.BANK, max_threads=2)
    for thread in ("a", "b", "a", "c", "a", "b"):
        talk(kit, handler, thread)
    assert handler.dropped.threads == 2
    assert [turn.drift.turn_number for turn in handler.turns] == [1, 1, 2, 1, 3, 1]
    assert handler.threads == ("c", "a", "b")


def test_runs_without_a_name_push_no_conversation_out(kit):
    """A run that nothing will continue takes no place among the conversations."""
    handler = kit.handler(kit.BANK, max_threads=1)
    talk(kit, handler, "a")
    for _ in range(5):
        kit.FakeModel(ANSWER).invoke(ASK, {"callbacks": [handler]})
    talk(kit, handler, "a")
    assert handler.turns[-1].drift.turn_number == 2
    assert handler.dropped.threads == 0


def test_a_report_outlives_the_state_of_its_conversation(kit):
    """The records of a conversation that was let go still tell where it stood."""
    handler = kit.handler(kit.BANK, max_threads=1)
    talk(kit, handler, "a")
    config = {"callbacks": [handler], "metadata": {"thread_id": "a"}}
    kit.FakeModel("Bake it.").invoke("A cake?", config)
    talk(kit, handler, "b")
    report = handler.thread("a")
    assert (report.total_turns, report.departures) == (2, (2,))
    assert report.drift.verdict == "critical"


def test_runs_that_never_end_are_let_go():
    """Roots that are started and never ended are bounded and counted; their ends do nothing."""
    book = RunBook(RunFilter(), max_trees=3)
    ids = [uuid4() for _ in range(5)]
    for run_id in ids:
        book.start(run_id, None, Start(Kind.CHAIN))
        book.start(uuid4(), run_id, Start(Kind.MODEL))
    assert (len(book), book.dropped) == (6, 2)
    assert book.end(ids[0]) is None
    assert book.end(ids[4]).is_root
    book.start(uuid4(), ids[0], Start(Kind.MODEL))
    assert len(book) == 4


def test_known_messages_of_a_conversation_are_bounded(kit):
    """A conversation remembers the newest messages only."""
    handler = kit.handler(kit.BANK)
    for number in range(100):
        config = {"callbacks": [handler], "metadata": {"thread_id": "1"}}
        kit.FakeModel(ANSWER).invoke([HumanMessage(ASK, id=str(number))], config)
    known = handler._store.thread("1").known
    assert list(known) == [str(number) for number in range(36, 100)]


@settings(max_examples=50)
@given(
    st.lists(st.sampled_from("abcde"), max_size=40),
    st.integers(1, 6),
    st.integers(1, 4),
)
def test_a_store_keeps_the_newest_and_counts_the_rest(names, max_turns, max_threads):
    """Whatever comes, kept and dropped add up, and what is kept is the newest."""
    store = Store(max_turns, max_threads)
    for name in names:
        store.thread(name)
        record = TurnRecord(
            user_message="", assistant_response="", thread_id=name, run_id=str(uuid4())
        )
        store.place(name).record = record
    kept = [turn.thread_id for turn in store.turns()]
    assert kept == names[-max_turns:]
    assert store.dropped_turns == max(0, len(names) - max_turns)
    newest = list(dict.fromkeys(reversed(names)))[:max_threads]
    assert {name for name in "abcde" if store.known(name)} == set(newest)


def test_a_store_is_read_while_it_is_written():
    """Reading turns and threads while others write never fails."""
    store, stop, errors = Store(50, 10), threading.Event(), []

    def read():
        while not stop.is_set():
            try:
                store.turns(), store.thread_ids(), store.report("1")
            except RuntimeError as error:
                errors.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(2_000):
        name = str(number % 20)
        store.thread(name)
        record = TurnRecord(user_message="", assistant_response="", thread_id=name, run_id="")
        store.place(name).record = record
    stop.set()
    reader.join()
    assert errors == []


@pytest.mark.parametrize("field", ["turns", "threads", "runs"])
def test_nothing_is_dropped_at_first(kit, field):
    """A new handler has let nothing go."""
    assert getattr(kit.handler(kit.BANK).dropped, field) == 0
