"""What every store must do; the store in memory is the model of the others."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from langchain_drift.errors import EmbedderChangedError
from langchain_drift.mistakes.scope import Scope
from langchain_drift.mistakes.stores.memory import MemoryStore
from langchain_drift.mistakes.stores.protocol import EventLog
from langchain_drift.mistakes.stores.record import Record

VECTOR = b"\x00\x3c" * 4
OTHER = Scope(tenant="acme", environment="staging").key


def ids(records):
    return [record.event_id for record in records]


def test_it_fulfils_the_protocol(store):
    """A store has all the methods of the protocol."""
    assert isinstance(store, EventLog)


def test_a_new_store_is_empty(store):
    """Nothing is visible, hidden or known before the first record."""
    changes = store.changes("")
    assert (list(changes.added), changes.reset) == ([], False)
    assert store.changes("", changes.cursor).cursor == changes.cursor
    assert list(store.read()) == list(store.read(hidden=True)) == []
    assert store.scopes() == {}
    assert store.fingerprint() is None


def test_records_come_back_as_they_were(store, make_record):
    """Every field survives: any script, control characters, empty texts, vectors, fractions."""
    records = [
        make_record(at=-0.5),
        make_record(feedback="", outcome="", source="", terms=(), culprits=()),
        make_record(
            action="línea 1\nline 2\r\n\t\x01\x7f\u2028 日本語 🙂 \"'\\; DROP TABLE events;--"
        ),
        make_record(action="x" * 1_000_000, hypothesis=True, vector=VECTOR),
        make_record(scope=OTHER, terms=('a"b', "ü,[]", "ligne\nneuve"), key="k" * 64),
        make_record(scope=Scope(user="ü").key, kind="success", action=""),
    ]
    assert store.append(records, "minilm") == [True] * 6
    assert list(store.changes("").added) == list(store.read("")) == records[:4]
    assert list(store.changes(OTHER).added) == list(store.read(OTHER)) == records[4:5]
    assert list(store.read(records[5].scope)) == records[5:]


def test_types_come_back_as_they_were(store, make_record):
    """Booleans, floats and tuples are themselves again, not what a file made of them."""
    store.append([make_record(hypothesis=True, at=1_700_000_000.0, vector=VECTOR)], "minilm")
    (found,) = store.read()
    types = [type(getattr(found, name)) for name in ("hypothesis", "at", "terms", "vector")]
    assert types == [bool, float, tuple, bytes]


def test_appending_nothing_does_nothing(store):
    """No records are no change."""
    cursor = store.changes("").cursor
    assert store.append([], "minilm") == []
    assert store.changes("", cursor).cursor == cursor
    assert store.fingerprint() is None


def test_an_event_counts_once(store, make_record):
    """A record seen before, visible, hidden or in the same call, is left out."""
    first, second = make_record("a"), make_record("b")
    assert store.append([first, second, make_record("a")], "") == [True, True, False]
    store.hide("", ["b"])
    assert store.append([make_record("b"), make_record("a"), make_record("c")], "") == [
        False,
        False,
        True,
    ]
    assert list(store.read(hidden=True)) == [second]
    assert ids(store.read()) == ["a", "c"]


def test_the_same_id_in_two_scopes_is_two_events(store, make_record):
    """Scopes share nothing, not even ids."""
    records = [make_record("a"), make_record("a", scope=OTHER)]
    assert store.append(records, "") == [True, True]
    assert store.hide(OTHER, ["a"]) == 1
    assert store.scopes() == {"": 1, OTHER: 0}
    assert list(store.read("")) == records[:1]
    assert store.purge("", ["a"]) == 1
    assert list(store.read(OTHER, hidden=True)) == records[1:]


def test_changes_go_on_from_a_cursor(store, make_record):
    """Only what was appended since comes, in order, and other scopes do not matter."""
    store.append([make_record("a"), make_record("b")], "")
    first = store.changes("")
    store.append([make_record("x", scope=OTHER), make_record("c")], "")
    store.append([make_record("d")], "")
    second = store.changes("", first.cursor)
    assert (ids(first.added), ids(second.added), second.reset) == (["a", "b"], ["c", "d"], False)
    store.hide(OTHER, ["x"])
    third = store.changes("", second.cursor)
    assert (list(third.added), third.reset, third.cursor) == ([], False, second.cursor)


def test_changes_from_an_empty_scope_are_no_reset(store, make_record):
    """A cursor from before a scope's first event goes on with it."""
    cursor = store.changes("").cursor
    store.append([make_record("a")], "")
    changes = store.changes("", cursor)
    assert (ids(changes.added), changes.reset) == (["a"], False)


@pytest.mark.parametrize(
    "act",
    [
        lambda store: store.hide("", ["a"]),
        lambda store: store.hide("", ["h"], hidden=False),
        lambda store: store.purge("", ["a"]),
        lambda store: store.purge("", ["h"]),
        lambda store: store.replace_vectors({("", name): VECTOR for name in "ahb"}, "other"),
    ],
    ids=["hide", "show", "purge", "purge hidden", "replace vectors"],
)
def test_anything_but_appending_starts_over(store, make_record, act):
    """After hiding, showing, purging or new vectors everything visible comes again."""
    store.append([make_record("a"), make_record("h"), make_record("b")], "")
    store.hide("", ["h"])
    cursor = store.changes("").cursor
    act(store)
    changes = store.changes("", cursor)
    assert changes.reset
    assert list(changes.added) == list(store.read(""))
    assert not store.changes("", changes.cursor).reset


@pytest.mark.parametrize("cursor", ["", "x", "0", "1:2:3", ":", "a:0:0", "ü"])
def test_an_unknown_cursor_starts_over(store, make_record, cursor):
    """A cursor that the store never gave brings everything, as a reset."""
    store.append([make_record("a")], "")
    changes = store.changes("", cursor)
    assert (ids(changes.added), changes.reset) == (["a"], True)


def test_hidden_events_are_shown_again_at_their_old_place(store, make_record):
    """Hiding and showing changes no order; each event is counted when it is turned."""
    store.append([make_record(name) for name in "abc"], "")
    assert store.hide("", ["b", "b", "unknown"]) == 1
    assert store.hide("", ["b"]) == 0
    assert (ids(store.read()), ids(store.read(hidden=True))) == (["a", "c"], ["b"])
    store.append([make_record("d")], "")
    assert store.hide("", ["a", "b", "c"], hidden=False) == 1
    assert ids(store.read()) == ["a", "b", "c", "d"]


def test_turning_nothing_is_no_change(store, make_record):
    """Unknown ids, unknown scopes and empty lists leave every cursor as it is."""
    store.append([make_record("a")], "")
    before = store.changes("")
    assert store.hide("", []) == store.hide("", ["x"]) == store.hide(OTHER, ["a"]) == 0
    assert store.purge("", []) == store.purge("", ["x"]) == store.purge(OTHER, ["a"]) == 0
    assert store.changes("", before.cursor).cursor == before.cursor
    assert store.scopes() == {"": 1}


def test_a_purged_event_is_forgotten(store, make_record):
    """It is gone, visible or hidden, and may come again."""
    store.append([make_record("a"), make_record("b"), make_record("c")], "")
    store.hide("", ["b"])
    assert store.purge("", ["a", "b", "x"]) == 2
    assert (ids(store.read()), ids(store.read(hidden=True))) == (["c"], [])
    assert store.append([make_record("a"), make_record("c")], "") == [True, False]
    assert ids(store.read()) == ["c", "a"]


def test_a_scope_without_events_is_none(store, make_record):
    """A scope is gone with its last event; while one is hidden it counts zero."""
    store.append([make_record("a"), make_record("b", scope=OTHER)], "")
    store.hide("", ["a"])
    assert store.scopes() == {"": 0, OTHER: 1}
    store.purge("", ["a"])
    assert store.scopes() == {OTHER: 1}


def test_the_first_embedder_stays(store, make_record):
    """Vectors of another embedder are refused with all that came along; its words are welcome."""
    store.append([make_record("a")], "first")
    assert store.fingerprint() is None
    store.append([make_record("b", vector=VECTOR)], "second")
    assert store.fingerprint() == "second"
    with pytest.raises(EmbedderChangedError, match=r"second.*third.*reembed"):
        store.append([make_record("c"), make_record("d", vector=VECTOR)], "third")
    assert ids(store.read()) == ["a", "b"]
    assert store.append([make_record("c")], "third") == [True]
    assert store.fingerprint() == "second"


def test_vectors_are_replaced_together(store, make_record):
    """All vectors change with the embedder, also of hidden events and in every scope."""
    store.append([make_record("a", vector=VECTOR), make_record("b")], "first")
    store.append([make_record("c", scope=OTHER, vector=VECTOR)], "first")
    store.hide("", ["b"])
    new = {("", "a"): None, ("", "b"): b"bbbb", (OTHER, "c"): b"cccc", ("", "unknown"): b"xxxx"}
    assert store.replace_vectors(new, "second") == []
    assert store.fingerprint() == "second"
    found = [*store.read(), *store.read(hidden=True)]
    assert {(r.scope, r.event_id): r.vector for r in found} == {
        key: vector for key, vector in new.items() if key[1] != "unknown"
    }
    with pytest.raises(EmbedderChangedError):
        store.append([make_record(vector=VECTOR)], "first")


def test_no_vector_is_left_behind(store, make_record):
    """If one record has no new vector, it is told and nothing is replaced."""
    records = [make_record("a", vector=VECTOR), make_record("b"), make_record("c", vector=VECTOR)]
    store.append(records, "first")
    store.hide("", ["c"])
    cursor = store.changes("").cursor
    missing = store.replace_vectors({("", "a"): b"aaaa"}, "second")
    assert sorted(missing, key=lambda record: record.event_id) == records[1:]
    assert store.fingerprint() == "first"
    assert list(store.read()) == records[:2]
    assert store.changes("", cursor).cursor == cursor


def test_eight_threads_lose_nothing(store, make_record):
    """What threads append together is all there, each thread's in its own order."""
    batches = [[make_record(f"{thread}-{n}") for n in range(25)] for thread in range(8)]

    def work(batch):
        known, cursor = set(), None
        for record in batch:
            assert store.append([record], "") == [True]
            changes = store.changes("", cursor)
            cursor = changes.cursor
            known.update(ids(changes.added))
            assert record.event_id in known
        return cursor

    with ThreadPoolExecutor(8) as pool:
        cursors = list(pool.map(work, batches))
    found = list(store.read())
    assert len(found) == store.scopes()[""] == 200
    for batch in batches:
        assert [record for record in found if record in batch] == batch
    assert len(store.changes("", cursors[0]).added) < 200


def test_closing_twice_does_no_harm(store, make_record):
    """A closed store opens again when it is asked."""
    store.append([make_record("a")], "")
    store.close()
    store.close()
    assert ids(store.read()) == ["a"]


SCOPES = st.sampled_from(["", OTHER])
NAMES = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=4)


class Follower:
    """Follows one scope of a store by its changes, as an index does."""

    def __init__(self, scope):
        self.scope, self.cursor, self.seen = scope, None, []

    def follow(self, store):
        changes = store.changes(self.scope, self.cursor)
        self.seen = [*([] if changes.reset else self.seen), *changes.added]
        self.cursor = changes.cursor
        return self.seen


class StoreComparison(RuleBasedStateMachine):
    """Does the same to a store in memory and, through two open stores by turns, to another kind."""

    def __init__(self, storage):
        super().__init__()
        self.storage = storage
        self.model = MemoryStore()
        self.stores = [storage.open() for _ in range(2)]
        self.followers = [
            (store, Follower(scope)) for store in self.stores for scope in ("", OTHER)
        ]
        self.count = 0

    def both(self, act):
        """Do something to either and return what they agree upon, an error's type if one."""
        results = []
        self.stores.reverse()
        for store in (self.model, self.stores[0]):
            try:
                results.append(act(store))
            except EmbedderChangedError as error:
                results.append(str(error))
        assert results[0] == results[1]

    @rule(
        scope=SCOPES,
        names=NAMES,
        vector=st.sampled_from([None, VECTOR]),
        fingerprint=st.sampled_from(["first", "first", "second"]),
    )
    def append(self, scope, names, vector, fingerprint):
        self.count += 1
        records = [
            Record(
                scope=scope,
                event_id=name,
                kind="mistake",
                action=f"do {self.count}",
                feedback="",
                outcome="",
                at=0.0,
                hypothesis=False,
                source="",
                key=name,
                terms=(),
                culprits=(),
                vector=vector,
            )
            for name in names
        ]
        self.both(lambda store: store.append(records, fingerprint))

    @rule(scope=SCOPES, names=NAMES, hidden=st.booleans())
    def hide(self, scope, names, hidden):
        self.both(lambda store: store.hide(scope, names, hidden=hidden))

    @rule(scope=SCOPES, names=NAMES)
    def purge(self, scope, names):
        self.both(lambda store: store.purge(scope, names))

    @rule(left_out=st.sampled_from(["", "", "a"]), fingerprint=st.sampled_from(["first", "second"]))
    def replace_vectors(self, left_out, fingerprint):
        vectors = {
            (scope, name): f"{fingerprint}{name}!".encode()
            for scope in ("", OTHER)
            for name in "abcdefgh"
            if name != left_out
        }
        self.both(lambda store: by_name(store.replace_vectors(vectors, fingerprint)))

    @precondition(lambda self: self.count)
    @rule()
    def open_again(self):
        self.stores[0].close()

    @invariant()
    def nobody_can_tell_them_apart(self):
        for store in self.stores:
            assert store.fingerprint() == self.model.fingerprint()
            assert store.scopes() == self.model.scopes()
            for hidden in (False, True):
                for scope in ("", OTHER):
                    expected = list(self.model.read(scope, hidden=hidden))
                    assert list(store.read(scope, hidden=hidden)) == expected
                assert by_name(store.read(hidden=hidden)) == by_name(self.model.read(hidden=hidden))
        for store, follower in self.followers:
            assert follower.follow(store) == list(self.model.read(follower.scope))

    def teardown(self):
        for store in self.stores:
            store.close()
        self.storage.clear()


def by_name(records):
    return sorted(records, key=lambda record: (record.scope, record.event_id))


HISTORIES = {"json": 20, "sqlite": 20, "langgraph_memory": 10, "langgraph_sqlite": 2}


@pytest.mark.parametrize("kind", [*HISTORIES, "postgres", "postgres_exact", "langgraph_postgres"])
def test_no_history_tells_the_stores_apart(kind, make_storage):
    """After any sequence of calls, by two open stores, all hold what a memory would."""
    run_state_machine_as_test(
        lambda: StoreComparison(make_storage(kind)),
        settings=settings(
            max_examples=HISTORIES.get(kind, 2), stateful_step_count=20, deadline=None
        ),
    )
