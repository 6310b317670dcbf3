"""The command line: what it prints, where, and with which exit code."""

import csv
import io
import json
import subprocess
import sys

import pytest

PROGRAM = [sys.executable, "-c", "from langchain_drift.cli import main; main()"]
PURPOSE = "Help customers of a bank with savings accounts, credit cards and loans."
CHAT = [
    {"user": "What do I need for a home loan?", "assistant": "Proof of income and tax returns."},
    {"user": "=HYPERLINK(1) [red]pasta[/red]?\x1b[31m", "assistant": "Try carbonara with eggs."},
    {"user": "A good dessert?", "assistant": "Tiramisu: mascarpone, espresso and cocoa."},
]


def run(*arguments, stdin=""):
    return subprocess.run(
        [*PROGRAM, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def score(*arguments):
    return run("score", "-", "--purpose", PURPOSE, *arguments, stdin=json.dumps(CHAT))


def test_the_demo_leaves_and_comes_back():
    """The demo runs offline and marks the departure and the return."""
    done = run("demo")
    assert done.returncode == 0
    assert "left its purpose at turn 5 ▼, came back at turn 8 ▲" in done.stdout
    assert "\x1b" not in done.stdout


def test_the_table_shows_text_as_text():
    """Markup and control sequences in a transcript are shown, not obeyed."""
    done = score()
    assert done.returncode == 0
    assert "[red]pasta[/red]" in done.stdout
    assert "\x1b" not in done.stdout


def test_json_lines_and_csv_agree():
    """The formats give the same scores, and a spreadsheet sees no formula."""
    whole = json.loads(score("--format", "json").stdout)[0]["turns"]
    lines = [json.loads(line) for line in score("--format", "jsonl").stdout.splitlines()]
    rows = list(csv.DictReader(io.StringIO(score("--format", "csv").stdout)))
    scores = [turn["drift"]["score"] for turn in whole]
    assert [line["drift"]["score"] for line in lines] == scores
    assert [float(row["score"]) for row in rows] == pytest.approx(scores, abs=0.01)
    assert rows[1]["user"].startswith("'=")


def test_fail_on_tells_by_its_exit_code():
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
def test_bad_input_is_one_sentence_and_code_2(arguments, stdin, named):
    """What cannot be used is said in one line on standard error, without a traceback."""
    done = run(*arguments, stdin=stdin)
    assert done.returncode == 2
    assert named in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_an_unknown_option_is_code_2():
    """A wrong option is told on standard error, with code 2."""
    done = run("score", "--nonsense")
    assert done.returncode == 2
    assert "nonsense" in done.stderr


def test_help_and_version_load_no_model():
    """Help and version answer without the model runtime."""
    check = "import sys; import langchain_drift.cli.app; sys.exit('onnxruntime' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
    assert "Example:" in run("score", "--help").stdout
    assert run("--version").stdout.startswith("langchain-drift ")
