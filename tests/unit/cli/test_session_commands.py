import json
import sys

import pytest

from langchain_drift import DriftTracker, KeywordStrategy
from langchain_drift.cli.program import run as main


@pytest.fixture
def path(tmp_path):
    return tmp_path / ".session_memory"


@pytest.fixture
def tracker(path):
    """Return a tracker with a session that ended and one that runs."""
    made = DriftTracker(
        "Help with cards.", strategies=[KeywordStrategy()], persist=True, persist_path=path
    )
    for number in range(3):
        made.record_turn(f"My card {number}?", "Cards help.")
    made.end_session()
    made.record_turn("=1+1 \x1b[31mred", "Cards.")
    return made


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["langchain-drift", *map(str, arguments)])
        code = main()
        return code, *capsys.readouterr()

    return call


def test_status_says_where_the_conversation_stands(run, path, tracker):
    """Session, turns, score, verdict, frozen and summaries are told."""
    code, out, _ = run("status", "--file", path, "--format", "json")
    status = json.loads(out)
    assert (code, status["session"], status["turns"], status["all_turns"]) == (0, 2, 1, 4)
    assert (status["summaries"], status["frozen"]) == (1, False)
    assert status["score"] == round(tracker.check().drift.score, 2)
    assert "Help with cards." in run("status", "--file", path)[1]


def test_status_tells_of_a_file_that_git_would_take(run, path, tracker):
    """In a git folder that does not ignore the file there is a hint, and none once it does."""
    (path.parent / ".git").mkdir()
    assert "add /.session_memory* to .gitignore" in run("status", "--file", path)[1]
    tracker._keeper._store.ensure_gitignore()
    assert "gitignore" not in run("status", "--file", path)[1]


@pytest.mark.parametrize(("last", "count"), [("2", 2), ("0", 4), ("99", 4)])
def test_history_shows_the_last_exchanges(run, path, tracker, last, count):
    """`--last` says how many; 0 is all of all sessions."""
    code, out, _ = run("history", "--file", path, "--last", last, "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    assert (code, len(rows)) == (0, count)
    assert rows[-1]["user"] == "=1+1 \x1b[31mred"


def test_history_is_harmless(run, path, tracker):
    """A table holds nothing that steers a terminal, a CSV no formula."""
    out = run("history", "--file", path)[1]
    assert "\x1b" not in out
    assert "=1+1 [31mred" in out
    assert ",'=1+1" in run("history", "--file", path, "--format", "csv")[1].splitlines()[-1]


def test_a_running_program_takes_note_of_freezing(run, path, tracker):
    """Frozen from outside, a tracker that runs is frozen and stays so; unfrozen it is not."""
    assert run("freeze", "--file", path)[:2] == (0, f"{path} is frozen.\n")
    tracker.record_turn("a", "b")
    assert tracker.is_frozen
    code, _, err = run("reset", "--file", path)
    assert (code, path.exists()) == (2, True)
    assert "unfreeze" in err
    assert run("unfreeze", "--file", path)[0] == 0
    assert not tracker.is_frozen


def test_reset_removes_the_file(run, path, tracker):
    """The file is gone, and a tracker that runs begins anew."""
    assert run("reset", "--file", path)[0] == 0
    assert not path.exists()
    assert tracker.turn_count == 0


@pytest.mark.parametrize("verb", ["status", "history", "reset", "freeze", "unfreeze"])
def test_no_file_or_a_damaged_one_is_an_error(run, path, verb):
    """What is not there, or cannot be read, is told in a sentence with exit code 2, and kept."""
    code, out, err = run(verb, "--file", path)
    assert (code, out) == (2, "")
    assert "There is no session memory" in err
    assert not path.exists()
    path.write_text("{")
    code, out, err = run(verb, "--file", path)
    assert (code, out, path.read_text()) == (2, "", "{")
    assert "left as it is" in err
