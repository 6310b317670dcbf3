"""The command line: what it prints, where, and with which exit code."""

import csv
import io
import json
import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import pytest

from langchain_drift.cli import main

PURPOSE = "Help customers of a bank with savings accounts, credit cards and loans."
CHAT = [
    {"user": "What do I need for a home loan?", "assistant": "Proof of income and tax returns."},
    {"user": "=HYPERLINK(1) [red]pasta[/red]?\x1b[31m", "assistant": "Try carbonara with eggs."},
    {"user": "A good dessert?", "assistant": "Tiramisu: mascarpone, espresso and cocoa."},
]


@pytest.fixture
def run(monkeypatch, capsys):
    """Return a function that runs the command line in this process."""

    def run(*arguments, stdin=""):
        monkeypatch.setattr(sys, "argv", ["langchain-drift", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as ended:
            main()
        out, error = capsys.readouterr()
        return SimpleNamespace(returncode=ended.value.code, stdout=out, stderr=error)

    return run


@pytest.fixture
def score(run):
    """Return a function that scores the chat."""
    return partial(run, "score", "-", "--purpose", PURPOSE, stdin=json.dumps(CHAT))


def test_the_demo_leaves_and_comes_back(run):
    """The demo runs offline and marks the departure and the return."""
    done = run("demo")
    assert done.returncode == 0
    assert "left its purpose at turn 5 ▼, came back at turn 8 ▲" in done.stdout
    assert "\x1b" not in done.stdout


def test_the_table_shows_text_as_text(score):
    """Markup and control sequences in a transcript are shown, not obeyed."""
    done = score()
    assert done.returncode == 0
    assert "[red]pasta[/red]" in done.stdout
    assert "\x1b" not in done.stdout


def test_json_lines_and_csv_agree(score):
    """The formats give the same scores, and a spreadsheet sees no formula."""
    whole = json.loads(score("--format", "json").stdout)[0]["turns"]
    lines = [json.loads(line) for line in score("--format", "jsonl").stdout.splitlines()]
    rows = list(csv.DictReader(io.StringIO(score("--format", "csv").stdout)))
    scores = [turn["drift"]["score"] for turn in whole]
    assert [line["drift"]["score"] for line in lines] == scores
    assert [float(row["score"]) for row in rows] == pytest.approx(scores, abs=0.01)
    assert rows[1]["user"].startswith("'=")


def test_fail_on_tells_by_its_exit_code(run, score):
    """`--fail-on` exits with 3 where a turn is as bad, and with 0 where none is."""
    assert score("--fail-on", "severe").returncode == 3
    calm = json.dumps(CHAT[:1])
    done = run("score", "-", "--purpose", PURPOSE, "--fail-on", "severe", stdin=calm)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "stdin", "named"),
    [
        (["score", "-"], json.dumps(CHAT), "--purpose"),
        (["score", "-", "--purpose", PURPOSE], "{broken", "not JSON"),
        (["score", "nowhere.json", "--purpose", PURPOSE], "", "nowhere.json"),
        (["evaluate", "drift", "nowhere.jsonl"], "", "nowhere.jsonl"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(run, arguments, stdin, named):
    """What cannot be used is said in one line on standard error, without a traceback."""
    done = run(*arguments, stdin=stdin)
    assert done.returncode == 2
    assert named in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_an_unknown_option_is_code_2(run):
    """A wrong option is told on standard error, with code 2."""
    done = run("score", "--nonsense")
    assert done.returncode == 2
    assert "nonsense" in done.stderr


def test_help_and_version_load_no_model(run):
    """Help and version answer without the model runtime."""
    check = "import sys; import langchain_drift.cli.app; sys.exit('onnxruntime' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
    assert "Example:" in run("score", "--help").stdout
    assert run("--version").stdout.startswith("langchain-drift ")
