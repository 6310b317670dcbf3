"""`memory migrate`, `sync` and `export`: what they move and what they say."""

import json
import sys

import pytest


@pytest.fixture
def full(run, tmp_path):
    """Return the path of a memory with three events, one of them hidden."""
    path = tmp_path / "from.sqlite3"
    for action, scope in (("drop the table", "a"), ("delete it all", "b"), ("SELECT 1", "b")):
        run("memory", "add", action, "--feedback", "no", "--scope", scope, "--path", path)
    run("memory", "hide", "SELECT 1", "--scope", "b", "--path", path)
    return path


def events(run, path):
    """Return how many events a memory shows and hides in scope b."""
    found = run("memory", "stats", "--path", path, "--scope", "b", "--format", "json").json
    return found["mistakes"]["events"], found["hidden_events"]


@pytest.mark.parametrize("name", ["to.sqlite3", "to.jsonl"])
def test_migrating_moves_all_and_may_be_repeated(run, full, tmp_path, name):
    """All events arrive, hidden ones hidden; both ends stay usable; again is no harm."""
    target = tmp_path / name
    done = run("memory", "migrate", full, target)
    assert done.returncode == 0
    assert done.stdout == f"3 events read: 3 new to {target}, 0 known, 1 hidden.\n"
    again = run("memory", "migrate", full, target)
    assert again.stdout == f"3 events read: 0 new to {target}, 3 known, 0 hidden.\n"
    assert events(run, target) == events(run, full) == (1, 1)
    for path in (full, target):
        assert run("memory", "add", "later", "--path", path).returncode == 0


def test_syncing_gives_each_what_it_lacks(run, full, tmp_path):
    """After a sync both memories hold and hide the same events."""
    other = tmp_path / "other.jsonl"
    run("memory", "add", "rename it", "--feedback", "no", "--scope", "b", "--path", other)
    done = run("memory", "sync", full, other)
    assert f"3 events read: 3 new to {other}" in done.stdout
    assert f"4 events read: 1 new to {full}" in done.stdout
    assert events(run, full) == events(run, other) == (2, 1)


def test_one_scope_can_be_moved(run, full, tmp_path):
    """With --scope only that scope is moved."""
    target = tmp_path / "to.sqlite3"
    run("memory", "migrate", full, target, "--scope", "a")
    stats = run("memory", "stats", "--path", target, "--format", "json").json
    assert stats["scopes"] == {"a": 1}


def test_what_cannot_be_moved_is_told(run, full, tmp_path):
    """A memory into itself, from nowhere, or to another kind of server, ends with a sentence."""
    same = run("memory", "sync", full, full)
    gone = run("memory", "migrate", tmp_path / "nothing", tmp_path / "to")
    other = run("memory", "migrate", full, "mysql://user:secret@host/db")
    assert {same.returncode, gone.returncode, other.returncode} == {2}
    assert "is both ends" in same.stderr
    assert "no memory at" in gone.stderr
    assert "mysql:// is no URL" in other.stderr
    assert "secret" not in other.stderr
    assert not (tmp_path / "to").exists()


def test_export_writes_parquet(run, full, tmp_path, optional_package):
    """A name in .parquet gives a table of events that can be imported again."""
    parquet = optional_package("pyarrow.parquet")
    file = tmp_path / "events.parquet"
    assert run("memory", "export", "--path", full, "-o", file).returncode == 0
    rows = parquet.read_table(file).to_pylist()
    assert [row["action"] for row in rows] == ["drop the table", "delete it all"]
    assert [row["environment"] for row in rows] == ["a", "b"]
    done = run("memory", "import", file, "--path", tmp_path / "again.jsonl")
    assert done.stdout == "2 events read: 2 new, 0 known.\n"


def test_parquet_needs_an_extra(run, full, tmp_path, monkeypatch):
    """Without pyarrow the error names the extra, and no file is begun."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    file = tmp_path / "events.parquet"
    done = run("memory", "export", "--path", full, "-o", file)
    assert done.returncode == 2
    assert "langchain-drift[tables]" in done.stderr
    assert not file.exists()


def test_the_format_can_be_named(run, full, tmp_path, optional_package):
    """--format wins over the name; Parquet needs a file."""
    optional_package("pyarrow")
    file = tmp_path / "events.parquet"
    run("memory", "export", "--path", full, "-o", file, "--format", "jsonl")
    assert len([json.loads(line) for line in file.read_text().splitlines()]) == 2
    refused = run("memory", "export", "--path", full, "--format", "parquet")
    assert refused.returncode == 2
    assert "--output" in refused.stderr
