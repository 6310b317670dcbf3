"""What is special about a memory in a store that has no transactions and no order."""

import time
from datetime import timedelta

import pytest
from langgraph.store.memory import InMemoryStore

from langchain_drift.langgraph_store import LangGraphStore, mirror, store
from langchain_drift.langgraph_store.items import Head, in_digits
from langchain_drift.langgraph_store.labels import key_of, label_of


class Failing(InMemoryStore):
    """Fails at some of the calls that write."""

    def __init__(self):
        super().__init__()
        self.left = None

    def batch(self, ops):
        ops = list(ops)
        if self.left is not None and any(hasattr(op, "value") for op in ops):
            if not self.left:
                message = "the network is away"
                raise ConnectionError(message)
            self.left -= 1
        return super().batch(ops)


def ids(found):
    return [record.event_id for record in found.read()]


@pytest.mark.parametrize("done", [0, 1])
def test_what_was_not_acknowledged_is_not_there(make_record, done):
    """A writer that fails on the way leaves nothing in view, and may try again."""
    platform = Failing()
    one, other = LangGraphStore(platform), LangGraphStore(platform)
    one.append([make_record("a")], "")
    platform.left = done
    with pytest.raises(store.StoreError, match=r"Failing cannot be used: ConnectionError"):
        one.append([make_record("b")], "")
    platform.left = None
    assert ids(one) == ids(other) == ["a"]
    assert one.append([make_record("b")], "") == [True]
    assert other.append([make_record("b"), make_record("c")], "") == [False, True]
    assert ids(one) == ids(other) == ["a", "b", "c"]


def test_heads_of_idle_writers_are_removed_and_their_events_stay(make_record, monkeypatch):
    """Who reads a scope anew folds them; a writer whose head is gone goes on by a new name."""
    platform = InMemoryStore()
    monkeypatch.setattr(store, "_MOST_IDLE", 3)
    writers = [LangGraphStore(platform) for _ in range(6)]
    for place, writer in enumerate(writers):
        writer.append([make_record(f"{place}")], "")
    monkeypatch.setattr(store, "_IDLE", timedelta(0))
    monkeypatch.setattr(mirror, "_DAY", -1)
    place = ("langchain-drift", "memory", "~", "~", "~", "writers")
    assert len(platform.search(place)) == 6
    time.sleep(0.001)
    late = LangGraphStore(platform)
    assert ids(late) == [f"{place}" for place in range(6)]
    assert platform.search(place) == []
    assert writers[0].append([make_record("0"), make_record("6")], "") == [False, True]
    assert writers[1].hide("", ["3"]) == 1
    assert writers[0].hide("", ["4"]) == 1
    expected = ["0", "1", "2", "5", "6"]
    for each in (late, *writers):
        assert ids(each) == expected
    assert len(platform.search(place)) == 2


def test_items_are_plain_and_readable(make_record):
    """A person finds events under tenant, user and environment, and the store need not be ours."""
    platform = InMemoryStore()
    LangGraphStore(platform, namespace=("agents",)).append([make_record("a", vector=b"ab")], "x")
    (item,) = platform.search(("agents", "memory"), filter={"event_id": "a"})
    assert item.namespace == ("agents", "memory", "~", "~", "~", "events")
    assert item.value["vector"] == "YWI="
    assert item.value["number"] == in_digits(1)
    assert Head.from_json({"number": "0012", "altered": "3"}) == Head(12, 3)


def test_labels_are_safe_and_different():
    """No dots, no wildcards, nothing empty or long; and no two names have one label."""
    names = [
        "",
        "a",
        "a.b",
        "a~2eb",
        "a%",
        "a_",
        "~",
        "~7e",
        "x" * 96,
        "x" * 97,
        "x" * 98,
        "ü",
        "A",
    ]
    labels = [label_of(name) for name in names]
    assert len(set(labels)) == len(names)
    assert all(label and len(label) <= 200 and not set(label) & set("._%\\*") for label in labels)
    assert [key_of(name) for name in ("a.b", "~~x")] != ["a.b", "~~x"]
    assert key_of("a.b") == "a.b"
    assert len(key_of("ü" * 500)) < 100
