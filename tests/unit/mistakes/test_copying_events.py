"""Events are copied between any two stores: all of them, once, as they are."""

import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import DriftGuard, EmbedderChangedError, InvalidInputError, MemoryStore, Scope
from langchain_drift.mistakes.copying import Copied, copy_events, count_events
from langchain_drift.mistakes.exchange import import_events
from langchain_drift.mistakes.parquet import write_parquet
from langchain_drift.mistakes.stores.json_file import JSONStore
from langchain_drift.mistakes.stores.places import harmless, is_same_place, open_place
from langchain_drift.mistakes.stores.sqlite import SQLiteStore

VECTOR = b"\x00\x3c\x00\x00"
HOSTILE = [Scope(tenant=name).key for name in ("a", "a/b", "../a", "%", "'\"", "a\x00")]
KILLED = """
import os, signal, sys
from langchain_drift.mistakes import copying
from langchain_drift.mistakes.stores.places import open_place

source, target, call, steps = sys.argv[1:]
copying._STEP = 50
target = open_place(target, may_begin=True)
real, left = getattr(target, call), [int(steps)]

def dying(*given, **more):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*given, **more)

setattr(target, call, dying)
copying.copy_events(open_place(source), target, None)
"""


def everything(store, scope=None):
    return list(store.read(scope)), list(store.read(scope, hidden=True))


def filled(store, make_record, number=40):
    """Fill a store with events of several scopes, with vectors and without, some of them hidden."""
    records = [
        make_record(
            f"event-{n}", scope=HOSTILE[n % len(HOSTILE)], vector=VECTOR if n % 3 else None, at=n
        )
        for n in range(number)
    ]
    store.append(records, "hash-8")
    for record in records[::7]:
        store.hide(record.scope, [record.event_id])
    return store


def test_a_copy_holds_the_same_events_in_the_same_order(store, make_record, hash_embeddings):
    """Every kind of store gives all it holds: scopes, vectors, and what is hidden."""
    source = filled(MemoryStore(), make_record)
    steps, embeddings = [], hash_embeddings()
    done = copy_events(source, store, embeddings, on_step=steps.append)
    assert done == Copied(read=40, new=40, hidden=6)
    assert sum(steps) == 40 == count_events(source)
    back = MemoryStore()
    copy_events(store, back, embeddings)
    for scope in HOSTILE:
        assert everything(back, scope) == everything(store, scope) == everything(source, scope)
    assert back.fingerprint() == "hash-8"
    assert not embeddings.calls


def test_copying_again_changes_nothing(store, make_record, hash_embeddings):
    """A second copy reads all and adds none; what is hidden stays so."""
    source, embeddings = filled(MemoryStore(), make_record), hash_embeddings()
    copy_events(source, store, embeddings)
    before = everything(store)
    assert copy_events(source, store, embeddings) == Copied(read=40, new=0, hidden=0)
    assert everything(store) == before


def test_one_scope_alone_can_be_copied(make_record, hash_embeddings):
    """Of a named scope everything is copied, of others nothing."""
    source, target = filled(MemoryStore(), make_record), MemoryStore()
    copy_events(source, target, hash_embeddings(), scope=HOSTILE[1])
    assert target.scopes().keys() == {HOSTILE[1]}
    assert count_events(target) == count_events(source, HOSTILE[1])


ids = st.lists(st.integers(0, 12), unique=True, max_size=8)


@given(ids, ids, st.sets(st.integers(0, 12)), st.sets(st.integers(0, 12)))
def test_two_ways_lead_to_one_memory(first, second, hidden_in_first, hidden_in_second):
    """After copying there and back both stores hold the union, and hide the same."""
    template = next(iter(_some_records()))
    one, other = MemoryStore(), MemoryStore()
    for store, names, hidden in ((one, first, hidden_in_first), (other, second, hidden_in_second)):
        store.append([replace(template, event_id=str(name)) for name in names], "")
        store.hide("", [str(name) for name in hidden])
    copy_events(one, other, None)
    copy_events(other, one, None)
    names = [{r.event_id for r in part} for store in (one, other) for part in everything(store)]
    assert names[0] == names[2]
    assert names[1] == names[3]
    assert names[0] | names[1] == {str(name) for name in {*first, *second}}


def _some_records():
    guard = DriftGuard(store=MemoryStore())
    guard.record("DROP TABLE users", "denied")
    return guard.runtime.store.read()


def test_what_is_hidden_in_the_source_is_hidden_in_the_target(make_record, hash_embeddings):
    """Hiding goes along even for events that the target had before."""
    source, target = MemoryStore(), MemoryStore()
    for store in (source, target):
        store.append([make_record("x", vector=None)], "")
    source.hide("", ["x"])
    assert copy_events(source, target, hash_embeddings()) == Copied(read=1, new=0, hidden=1)


def test_another_embedders_vectors_are_computed_anew(make_record, hash_embeddings):
    """Prose gets the vectors of the target's embedder; code has none there either."""
    source, target = filled(MemoryStore(), make_record), MemoryStore("hash-8")
    source.replace_vectors(
        {(r.scope, r.event_id): r.vector for part in everything(source) for r in part}, "other"
    )
    embeddings = hash_embeddings()
    copy_events(source, target, embeddings)
    assert embeddings.calls
    assert target.fingerprint() == "hash-8"
    assert [r.vector is None for r in target.read()] == [r.vector is None for r in source.read()]


def test_vectors_that_nobody_can_compute_are_refused(make_record, hash_embeddings):
    """A target of a third embedder stays as it is, and the error names both."""
    source, target = filled(MemoryStore(), make_record), MemoryStore("third")
    with pytest.raises(EmbedderChangedError, match=r"third.*hash-8"):
        copy_events(source, target, hash_embeddings("fourth"))
    assert not count_events(target)


@pytest.mark.parametrize(("call", "steps"), [("append", 1), ("append", 4), ("hide", 1)])
@pytest.mark.parametrize("name", ["to.sqlite3", "to.jsonl"])
def test_a_copy_that_was_killed_ends_the_same(
    tmp_path, make_record, hash_embeddings, name, call, steps
):
    """Killed before any step and begun again, the target holds what it would have held."""
    source = filled(SQLiteStore(tmp_path / "from.sqlite3"), make_record, 200)
    arguments = [tmp_path / "from.sqlite3", tmp_path / name, call, steps]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *map(str, arguments)], check=False, env=os.environ
    )
    assert done.returncode == -signal.SIGKILL
    target, whole = open_place(str(tmp_path / name), may_begin=True), MemoryStore()
    assert count_events(target) < 200
    copy_events(source, target, hash_embeddings())
    copy_events(source, whole, hash_embeddings())
    for scope in HOSTILE:
        assert everything(target, scope) == everything(whole, scope) == everything(source, scope)
    target.close()
    source.close()


def test_places_are_paths_or_urls(tmp_path):
    """A place tells its kind by content, else by name; what is none is refused."""
    SQLiteStore(tmp_path / "odd.jsonl").close()
    opened = open_place(str(tmp_path / "odd.jsonl"))
    assert isinstance(opened, SQLiteStore)
    opened.close()
    assert isinstance(open_place(str(tmp_path / "new.jsonl"), may_begin=True), JSONStore)
    with pytest.raises(InvalidInputError, match="no memory at"):
        open_place(str(tmp_path / "nothing.sqlite3"))
    with pytest.raises(InvalidInputError, match="redis:// is no URL"):
        open_place("redis://host/0")
    assert is_same_place(str(tmp_path / "a"), str(tmp_path / "b" / ".." / "a"))
    assert not is_same_place("postgresql://a", "postgresql://b")
    assert is_same_place("postgresql://a/b", "postgresql+psycopg://a/b")


def test_a_shown_place_tells_no_secret():
    """A URL is shown without user, password and parameters; a path as it is."""
    assert harmless("postgresql://me:secret@host:5432/db?password=x") == "postgresql://host/db"
    assert harmless("some/file.sqlite3") == "some/file.sqlite3"


def test_parquet_holds_whole_events(tmp_path, make_record, optional_package):
    """Events survive going out to Parquet and in again: scopes, ids, times, any text."""
    optional_package("pyarrow")
    records = [
        make_record(scope=scope, action="löschen\n日本 \u2028", hypothesis=True, at=1.5)
        for scope in HOSTILE
    ]
    records.append(make_record(kind="success", feedback="", vector=b"\x00\x3c"))
    path = tmp_path / "events.bin"
    with path.open("wb") as file:
        write_parquet(iter(records), file)
    assert list(import_events(path)) == [record.to_event() for record in records]


def test_a_damaged_parquet_file_is_refused(tmp_path, optional_package):
    """A file that only begins like Parquet is named in the error."""
    optional_package("pyarrow")
    path = tmp_path / "events.parquet"
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(InvalidInputError, match=r"events\.parquet cannot be read"):
        list(import_events(path))
