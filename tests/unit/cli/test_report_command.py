"""`langchain-drift report`: a transcript or a memory in, one HTML page out."""

import io
import json
import sqlite3
import sys
from contextlib import closing
from types import SimpleNamespace

import pytest

from langchain_drift import DriftGuard, DriftGuardSettings
from langchain_drift.cli import main

PURPOSE = "Help customers of a bank with savings accounts, credit cards and loans."
CHAT = [
    {"user": "What do I need for a home loan?", "assistant": "Proof of income and tax returns."},
    {"user": "A good pasta recipe? <script>x</script>", "assistant": "Try carbonara with eggs."},
]


@pytest.fixture
def run(monkeypatch, capsysbinary, tmp_path):
    """Return a function that runs the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=""):
        monkeypatch.setattr(sys, "argv", ["langchain-drift", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as ended:
            main()
        out, error = (each.decode() for each in capsysbinary.readouterr())
        return SimpleNamespace(returncode=ended.value.code, stdout=out, stderr=error)

    return run


@pytest.fixture
def chat(tmp_path):
    """Return the name of a file with two conversations."""
    rows = [{"id": name, "purpose": PURPOSE, "turns": CHAT} for name in ("<b>one</b>", "two")]
    (tmp_path / "chats.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return "chats.jsonl"


def test_a_transcript_becomes_a_page(run, chat, tmp_path):
    """The page is written where the command says, with every turn as text."""
    done = run("report", chat)
    assert done.returncode == 0
    assert done.stdout.startswith("Wrote report.html (0.0")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<h1>chats.jsonl</h1>" in page
    assert page.count("&lt;script&gt;x&lt;/script&gt;") == 2
    assert "&lt;b&gt;one&lt;/b&gt;" in page
    assert page.count(f"<b>Purpose</b> {PURPOSE}") == 1
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_page_can_go_through_a_pipe(run):
    """From standard input to standard output the page is all that is written."""
    done = run("report", "-", "-o", "-", "--purpose", PURPOSE, stdin=json.dumps(CHAT))
    assert done.stdout.startswith("<!doctype html>")
    assert done.stdout.endswith("</html>")
    assert "<h1>Conversation drift</h1>" in done.stdout


@pytest.mark.parametrize("backend", ["sqlite", "json"])
def test_a_memory_becomes_a_page(run, tmp_path, backend):
    """A file of a mistake memory is told by its content, whatever it is called."""
    given = {"sqlite_filepath" if backend == "sqlite" else "graph_filepath": tmp_path / "memory"}
    guard = DriftGuard(settings=DriftGuardSettings(storage_backend=backend, **given))
    guard.record("git push --force origin main", "protected branch", scope="repo")
    guard.close()
    done = run("report", "memory", "-o", "memory.html", "--title", "Our mistakes")
    assert done.returncode == 0
    page = (tmp_path / "memory.html").read_text(encoding="utf-8")
    assert "<h1>Our mistakes</h1>" in page
    assert "git push --force origin main" in page


def test_a_page_keeps_its_size(run, chat, tmp_path):
    """`--max-mb` is kept."""
    assert run("report", chat, "--max-mb", "0.05").returncode == 0
    assert (tmp_path / "report.html").stat().st_size <= 50_000


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["nothing.json"], "nothing.json cannot be read"),
        (["chats.jsonl", "-o", "chats.jsonl"], "chats.jsonl is what is read"),
        (["chats.jsonl", "-o", "no/such/report.html"], "cannot be written: No such file"),
        (["empty.jsonl"], "is empty"),
        (["system.json"], "system.json holds no turn"),
        (["plain.json"], "give --purpose"),
        (["memory.jsonl", "--purpose", "x"], "a mistake memory, which has no purpose"),
        (["other.db"], "other.db has no checkpoints of LangGraph"),
        (["damaged.db"], "damaged.db"),
        (["chats.jsonl", "--since", "7d"], "chats.jsonl is no checkpoint database"),
    ],
)
def test_what_cannot_be_used_is_told(run, chat, tmp_path, arguments, named):
    """An error is one sentence on standard error, the exit code 2, and nothing is written."""
    before = (tmp_path / chat).read_bytes()
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "system.json").write_text('[{"role": "system", "content": "Help."}]')
    (tmp_path / "plain.json").write_text(json.dumps(CHAT))
    (tmp_path / "memory.jsonl").write_text('{"format": "langchain-drift memory"}')
    with closing(sqlite3.connect(tmp_path / "other.db")) as database:
        database.execute("CREATE TABLE customers (name TEXT)")
    (tmp_path / "damaged.db").write_bytes(b"SQLite format 3\x00 but damaged")
    done = run("report", *arguments)
    assert done.returncode == 2
    assert named in done.stderr
    assert done.stderr.startswith("langchain-drift: ")
    assert not (tmp_path / "report.html").exists()
    assert (tmp_path / chat).read_bytes() == before
