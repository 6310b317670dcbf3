import pytest

from langchain_drift import EmbedderChangedError, MemoryStore
from langchain_drift.mistakes.stores.protocol import EventLog
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.stores.split import SplitStore


def record(kind, name, at=0.0, vector=None):
    """Return a record of a scope."""
    return Record("s", name, kind, name, "f", "o", at, False, "", name, ("t",), (), vector)  # noqa: FBT003


@pytest.fixture
def stores():
    """Return a store of two, and the two."""
    one, other = MemoryStore(), MemoryStore()
    return SplitStore(one, other), one, other


def test_each_kind_has_its_store(stores):
    """Mistakes and successes go to their own store and come back together, by time."""
    both, one, other = stores
    assert isinstance(both, EventLog)
    told = [record("success", "b", 2), record("mistake", "a", 1), record("success", "b", 2)]
    assert both.append(told, "x") == [True, True, False]
    assert [r.event_id for r in one.read()] == ["a"]
    assert [r.event_id for r in other.read()] == ["b"]
    assert [r.event_id for r in both.changes("s").added] == ["a", "b"]
    assert both.scopes() == {"s": 2}


def test_changes_go_on_from_the_cursor(stores):
    """Only what is new is told; a reset of one store resets both."""
    both, *_ = stores
    both.append([record("mistake", "a"), record("success", "b")], "x")
    cursor = both.changes("s").cursor
    assert not both.changes("s", cursor).added
    both.append([record("success", "c")], "x")
    assert [r.event_id for r in both.changes("s", cursor).added] == ["c"]
    assert both.hide("s", ["a"]) == 1
    found = both.changes("s", cursor)
    assert found.reset
    assert [r.event_id for r in found.added] == ["b", "c"]
    assert both.purge("s", ["a", "b"]) == 2


def test_vectors_are_replaced_in_both(stores):
    """A new embedder takes over in both stores at once."""
    both, one, other = stores
    both.append([record("mistake", "a", vector=b"12"), record("success", "b", vector=b"12")], "x")
    assert both.fingerprint() == "x"
    with pytest.raises(EmbedderChangedError):
        both.append([record("mistake", "c", vector=b"12")], "y")
    assert {r.event_id for r in both.replace_vectors({}, "y")} == {"a", "b"}
    assert both.replace_vectors({("s", "a"): b"34", ("s", "b"): b"34"}, "y") == []
    assert one.fingerprint() == other.fingerprint() == "y"
    both.close()
