"""The files of stores: private, absolute, told from others', and never overwritten if damaged."""

import json
import os
import sqlite3
import stat
import subprocess
import sys

import pytest

from langchain_drift.errors import StoreError
from langchain_drift.mistakes.settings import DriftGuardSettings
from langchain_drift.mistakes.stores import json_file, sqlite_file
from langchain_drift.mistakes.stores.json_file import JSONStore
from langchain_drift.mistakes.stores.memory import MemoryStore
from langchain_drift.mistakes.stores.opening import default_path, open_file, open_store
from langchain_drift.mistakes.stores.sqlite import SQLiteStore

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
VECTOR = b"\x00\x3c" * 4


def ids(store):
    return [record.event_id for record in store.read()]


def damage(path, content):
    """Damage a file; return a function that tells whether it is still as it was then."""
    path.write_bytes(content)
    return lambda: path.read_bytes() == content


def test_another_store_sees_it_at_once(file_store, tmp_path, make_record):
    """What one open store appends, hides or purges, another sees at its next call."""
    writer, reader = file_store(tmp_path / "memory"), file_store(tmp_path / "memory")
    writer.append([make_record("a"), make_record("b")], "minilm")
    first = reader.changes("")
    assert [record.event_id for record in first.added] == ["a", "b"]
    writer.append([make_record("c", vector=VECTOR)], "minilm")
    assert [r.event_id for r in reader.changes("", first.cursor).added] == ["c"]
    assert reader.fingerprint() == "minilm"
    writer.hide("", ["a"])
    assert reader.changes("", first.cursor).reset
    writer.purge("", ["b"])
    assert ids(reader) == ["c"]
    assert reader.append([make_record("d"), make_record("a")], "minilm") == [True, False]
    assert ids(writer) == ["c", "d"]
    writer.close()
    reader.close()


def test_it_is_all_there_when_opened_again(file_store, tmp_path, make_record):
    """A file holds everything: order, hidden events, vectors and their embedder."""
    store = file_store(tmp_path / "memory")
    records = [make_record(name, vector=VECTOR) for name in "abc"]
    store.append(records, "minilm")
    store.hide("", ["b"])
    store.close()
    store = file_store(tmp_path / "memory")
    assert list(store.read()) == [records[0], records[2]]
    assert store.fingerprint() == "minilm"
    store.hide("", ["b"], hidden=False)
    assert list(store.read()) == records
    store.close()


def test_a_closed_store_is_one_file(file_store, tmp_path, make_record):
    """Beside the file lies nothing but an empty lock."""
    store = file_store(tmp_path / "memory")
    store.append([make_record()], "")
    store.close()
    others = [file for file in tmp_path.iterdir() if file.name != "memory"]
    assert [file.name for file in others if file.stat().st_size] == []
    assert [file.name for file in others] in ([], ["memory.lock"])


@posix_only
def test_files_are_for_their_owner_only(file_store, tmp_path, make_record):
    """Nobody else may read any of the files, or list the folder made for them."""
    path = tmp_path / "new" / "memory"
    store = file_store(path)
    store.append([make_record("a")], "")
    store.purge("", ["a"])
    store.append([make_record()], "")
    modes = {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    store.close()


@posix_only
def test_wider_permissions_are_kept(file_store, tmp_path, make_record):
    """Who lets a group read the file is not overruled when it is written anew."""
    store = file_store(tmp_path / "memory")
    (tmp_path / "memory").chmod(0o640)
    store.append([make_record("a")], "")
    store.purge("", ["a"])
    store.close()
    assert stat.S_IMODE((tmp_path / "memory").stat().st_mode) == 0o640


def test_purged_words_are_gone_from_the_disk(file_store, tmp_path, make_record):
    """After a purge no file holds what was purged, not even unlinked."""
    store = file_store(tmp_path / "memory")
    store.append([make_record("a", action="hunter2 " * 2_000), make_record("b")], "")
    store.append([make_record("c", feedback="hunter2")], "")
    assert store.purge("", ["a", "c"]) == 2
    assert not [file for file in tmp_path.iterdir() if b"hunter2" in file.read_bytes()]
    assert ids(store) == ["b"]
    store.close()


def test_a_deleted_file_is_begun_anew(file_store, tmp_path, make_record):
    """Nothing is written into a file that nobody can find any more."""
    store = file_store(tmp_path / "memory")
    store.append([make_record("a")], "")
    cursor = store.changes("").cursor
    (tmp_path / "memory").unlink()
    changes = store.changes("", cursor)
    assert (list(changes.added), changes.reset) == ([], True)
    store.append([make_record("b")], "")
    assert ids(file_store(tmp_path / "memory")) == ids(store) == ["b"]
    store.close()


def test_a_relative_path_stays_where_it_was(file_store, tmp_path, make_record, monkeypatch):
    """A change of the working directory does not move a memory."""
    monkeypatch.chdir(tmp_path)
    store = file_store("memory")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    store.append([make_record("a")], "")
    store.close()
    assert ids(store) == ["a"]
    assert not list((tmp_path / "elsewhere").iterdir())
    store.close()


@posix_only
def test_a_link_stays_a_link(file_store, tmp_path, make_record):
    """A memory may lie elsewhere; writing it anew does not put a file in the link's place."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "memory")
    store = file_store(tmp_path / "link")
    store.append([make_record("a"), make_record("b")], "")
    store.purge("", ["a"])
    store.close()
    assert (tmp_path / "link").is_symlink()
    assert ids(file_store(tmp_path / "real" / "memory")) == ["b"]
    store.close()


def test_a_file_that_stays_busy_is_told(file_store, tmp_path, make_record, monkeypatch):
    """Whoever waits too long for another process is told so, and can go on later."""
    monkeypatch.setattr(json_file, "_LOCK_SECONDS", 0.05)
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.05)
    store = file_store(tmp_path / "memory")
    other = file_store(tmp_path / "memory")
    with (
        other._writing(),
        pytest.raises(StoreError, match=r"memory was kept busy by other processes .*try again"),
    ):
        store.append([make_record("a")], "")
    assert store.append([make_record("a")], "") == [True]
    store.close()
    other.close()


def test_an_empty_file_is_a_new_memory(file_store, tmp_path, make_record):
    """A file without any content holds nothing to lose."""
    (tmp_path / "memory").touch()
    store = file_store(tmp_path / "memory")
    store.append([make_record("a")], "")
    assert ids(file_store(tmp_path / "memory")) == ["a"]
    store.close()


@pytest.mark.parametrize(
    "content",
    [
        b"\x00" * 5_000,
        b"SQLite format 3\x00" + b"\xff" * 5_000,
        b"These are my notes.\n",
        b'{"format": "driftguard_graph", "format_version": 2, "graph": {}}',
        b"[]\n",
        b'{"format": "langchain-drift memory"',
        b"[" * 100_000 + b"\n",
    ],
    ids=["zeros", "broken database", "text", "published", "list", "cut off", "nested"],
)
def test_what_is_no_memory_is_left_alone(file_store, tmp_path, content):
    """A file of anything else is a clear error that names it, and stays as it was."""
    is_untouched = damage(tmp_path / "memory", content)
    with pytest.raises(StoreError, match=r"memory .*left as it is"):
        file_store(tmp_path / "memory")
    assert is_untouched()


def test_a_damaged_file_is_never_overwritten(file_store, tmp_path, make_record):
    """Damage found at any later call is an error as well, at every call, and stays as it is."""
    path = tmp_path / "memory"
    store = file_store(path)
    store.append([make_record("x" * 100 + str(n)) for n in range(300)], "")
    store.close()
    content = path.read_bytes()
    half = len(content) // 2
    is_untouched = damage(path, content[:half] + b"\x00" * 8_192 + content[half + 8_192 :])
    calls = [
        lambda store: list(store.read()),
        lambda store: store.replace_vectors({}, "minilm"),
        lambda store: list(store.changes("").added),
    ]
    for call in calls * 2:
        with pytest.raises(StoreError, match=r"memory .*left as it is"):
            call(file_store(path))
    assert is_untouched()


@pytest.mark.parametrize("path", ["folder", "file/memory"])
def test_a_place_that_cannot_be_written_is_an_error(file_store, tmp_path, path):
    """The error names the path and the way out."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"file that can be written.* \"memory\""):
        file_store(tmp_path / path)


def test_the_store_of_an_interrupted_program_can_be_let_go(file_store, tmp_path, make_record):
    """A store that nobody closes leaves one file, and no warning, when its program ends."""
    script = (
        "import sys\n"
        f"from {file_store.__module__} import {file_store.__name__} as Store\n"
        "kept = Store(sys.argv[1])\n"
        "Store(sys.argv[1]).hide('', ['a'])\n"
    )
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", script, str(tmp_path / "memory")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {file.name for file in tmp_path.iterdir()} <= {"memory", "memory.lock"}


# One file of SQLite


def test_another_programs_database_is_left_alone(tmp_path):
    """A database that is not ours, such as one of driftguard-ai, gets no tables of ours."""
    path = tmp_path / "driftguard_graph.sqlite3"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE nodes (text TEXT PRIMARY KEY)")
    database.close()
    content = path.read_bytes()
    with pytest.raises(StoreError, match=r"another program.*driftguard-ai can be imported"):
        SQLiteStore(path)
    assert path.read_bytes() == content


def test_a_later_format_is_refused(tmp_path):
    """A file of a later version is not touched."""
    SQLiteStore(tmp_path / "memory").close()
    with sqlite3.connect(tmp_path / "memory") as database:
        database.execute("PRAGMA user_version = 7")
    database.close()
    with pytest.raises(StoreError, match=r"format 7.*update langchain-drift"):
        SQLiteStore(tmp_path / "memory")


def test_a_write_that_fails_leaves_nothing(tmp_path, make_record):
    """A full disk is told, nothing of the call is kept, and the next one works."""
    store = SQLiteStore(tmp_path / "memory")
    store.append([make_record("a")], "")
    with store._open() as file:
        pages = file.connection.execute("PRAGMA page_count").fetchone()[0]
        file.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match=r"full.*has room"):
        store.append([make_record("b"), make_record("c", action="x" * 100_000)], "")
    assert ids(store) == ["a"]
    assert store.append([make_record("d")], "") == [True]
    store.close()


# One file of JSON lines


def lines(path):
    return path.read_bytes().split(b"\n")


def test_the_json_file_is_readable(tmp_path, make_record):
    """Every line is JSON; words of any script stand in it as they are."""
    store = JSONStore(tmp_path / "memory")
    store.append([make_record("a", action="löschen 日本", vector=VECTOR)], "minilm")
    store.hide("", ["a"])
    head, append, hide, end = lines(tmp_path / "memory")
    assert json.loads(head)["format"] == "langchain-drift memory"
    assert "löschen 日本".encode() in append
    assert json.loads(append)["append"][0]["feedback"] == "no such column: total"
    assert json.loads(append)["fingerprint"] == "minilm"
    assert json.loads(hide) == {"scope": "", "hide": ["a"]}
    assert not end


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense",
        b"{}",
        b"[1]",
        b'{"append": 3}',
        b'{"append": [{"action": "x"}]}',
        b'{"hide": ["a"]}',
        b'{"scope": [], "hide": ["a"]}',
        b"\xff",
    ],
)
def test_a_damaged_line_is_named(tmp_path, make_record, line):
    """The error tells the number of the line, and nothing is written behind it."""
    path = tmp_path / "memory"
    store = JSONStore(path)
    store.append([make_record("a")], "")
    is_untouched = damage(path, path.read_bytes() + line + b"\n")
    for call in (lambda: store.changes(""), lambda: store.append([make_record()], "")):
        with pytest.raises(StoreError, match=r"memory cannot be read, line 3: .*left as it is"):
            call()
    assert is_untouched()


@pytest.mark.parametrize(
    ("name", "value"),
    [("at", "yesterday"), ("at", float("nan")), ("action", 3), ("kind", "guess"), ("terms", [1])],
)
def test_an_edited_value_of_the_wrong_kind_is_named(tmp_path, make_record, name, value):
    """Whoever edits the file by hand is told what is wrong with a value."""
    record = {**make_record("a").to_json(), name: value}
    path = tmp_path / "memory"
    JSONStore(path)
    path.write_bytes(path.read_bytes() + json.dumps({"append": [record]}).encode() + b"\n")
    with pytest.raises(StoreError, match="line 2: "):
        JSONStore(path)


def test_vectors_of_nobody_are_refused(tmp_path, make_record):
    """Vectors count only if the file says which embedder they come from."""
    path = tmp_path / "memory"
    JSONStore(path)
    step = {"append": [make_record("a", vector=VECTOR).to_json()]}
    path.write_bytes(path.read_bytes() + json.dumps(step).encode() + b"\n")
    with pytest.raises(StoreError, match=r"line 2: .*embedder"):
        JSONStore(path)


def test_a_line_cut_off_is_dropped_by_the_next_writer(tmp_path, make_record, caplog):
    """Half a line was acknowledged to nobody: readers pass it over, the next writer drops it."""
    path = tmp_path / "memory"
    store = JSONStore(path)
    store.append([make_record("a")], "")
    content = path.read_bytes()
    for cut in (1, 20, 200):
        store.append([make_record(f"cut-{cut}")], "")
        path.write_bytes(path.read_bytes()[: len(content) + cut])
        assert ids(store) == ids(JSONStore(path)) == ["a"]
        assert path.read_bytes() == content
    assert "ended with 200 bytes of a line" in caplog.text


def test_a_last_line_without_its_end_is_kept(tmp_path, make_record):
    """An editor that leaves out the last line feed costs nothing."""
    path = tmp_path / "memory"
    store = JSONStore(path)
    store.append([make_record("a")], "")
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    store.append([make_record("b")], "")
    assert ids(store) == ids(JSONStore(path)) == ["a", "b"]


def test_hiding_does_not_make_the_file_grow_for_ever(tmp_path, make_record):
    """Lines that only hide and show are left out when they are half of a file."""
    path = tmp_path / "memory"
    store, other = JSONStore(path), JSONStore(path)
    names = [f"{n}-{'x' * 90}" for n in range(50)]
    store.append([make_record(name) for name in names], "")
    for _ in range(60):
        store.hide("", names[10:])
        store.hide("", names, hidden=False)
    store.hide("", names[:10])
    assert path.stat().st_size < 64 * 1024 * 2
    assert ids(store) == ids(other) == ids(JSONStore(path)) == names[10:]
    assert store.hide("", names, hidden=False) == 10
    assert ids(other) == names


def test_a_write_that_fails_is_undone(tmp_path, make_record):
    """If the file cannot be written, memory and file still agree."""
    store = JSONStore(tmp_path / "memory")
    store.append([make_record("a")], "")
    cursor = store.changes("").cursor
    half = make_record("b", action="\ud800")
    with pytest.raises(UnicodeEncodeError):
        store.append([make_record("c"), half], "")
    assert ids(store) == ["a"]
    assert [record.event_id for record in store.changes("", cursor).added] == ["a"]
    assert store.append([make_record("c")], "") == [True]


def test_a_replaced_json_file_is_read_anew(tmp_path, make_record):
    """A restored copy counts at the next call."""
    other = JSONStore(tmp_path / "other")
    other.append([make_record("x"), make_record("y")], "")
    other.close()
    store = JSONStore(tmp_path / "memory")
    store.append([make_record("a")], "")
    cursor = store.changes("").cursor
    (tmp_path / "other").replace(tmp_path / "memory")
    changes = store.changes("", cursor)
    assert [record.event_id for record in changes.added] == ["x", "y"]
    assert changes.reset
    store.close()


# Opening by name


@pytest.mark.parametrize(
    ("name", "kind"), [("memory", MemoryStore), ("json", JSONStore), ("sqlite", SQLiteStore)]
)
def test_stores_are_opened_by_name(name, kind, tmp_path):
    """The setting names the kind of store, and each kind has a path of its own."""
    settings = DriftGuardSettings(
        storage_backend=name,
        sqlite_filepath=tmp_path / "of-sqlite",
        graph_filepath=tmp_path / "of-json",
    )
    store = open_store(settings)
    assert isinstance(store, kind)
    store.close()
    assert {file.name for file in tmp_path.iterdir()} - {"of-json.lock"} == {f"of-{name}"} - {
        "of-memory"
    }


@pytest.mark.parametrize("name", ["json", "sqlite"])
def test_successes_can_have_a_file_of_their_own(name, tmp_path, make_record):
    """With the two published file settings mistakes and successes are apart on the disk."""
    paths = {
        "sqlite_filepath": tmp_path / "mistakes",
        "success_sqlite_filepath": tmp_path / "successes",
        "graph_filepath": tmp_path / "mistakes",
        "success_graph_filepath": tmp_path / "successes",
    }
    store = open_store(DriftGuardSettings(storage_backend=name, **paths))
    store.append([make_record("a"), make_record("b", kind="success")], "")
    store.close()
    assert [ids(open_file(name, tmp_path / file)) for file in ("mistakes", "successes")] == [
        ["a"],
        ["b"],
    ]


def test_one_file_for_both_is_one_store(tmp_path, monkeypatch):
    """Two settings that lead to the same file, however they are written, are no two stores."""
    monkeypatch.chdir(tmp_path)
    settings = DriftGuardSettings(
        sqlite_filepath=tmp_path / "memory", success_sqlite_filepath="memory"
    )
    store = open_store(settings)
    assert isinstance(store, SQLiteStore)
    store.close()


def test_the_default_place_is_absolute(monkeypatch, tmp_path):
    """Without a path the memory lies among the user's data, wherever a program is started."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path("json").is_absolute()
    if sys.platform == "linux":
        assert default_path("sqlite") == tmp_path / "langchain-drift" / "memory.sqlite3"
        store = open_store(DriftGuardSettings())
        assert store.path == default_path("sqlite")
        store.close()
