import csv
import io
import json
import sys
from typing import NamedTuple

import pytest

from langchain_drift.cli import program

GOOD = {"question": "What is the limit?", "contexts": ["It is 500 euros."], "answer": "500 euros"}
BAD = {"id": "b7", "question": "Limit?", "context": "It is 500 euros.", "answer": "5000 euros"}
EMPTY = {"question": "Who?", "contexts": [], "answer": "Ana Reis."}
UNKNOWN = {"question": "Who?", "contexts": ["It is 500 euros."], "answer": "I don't know."}


class Done(NamedTuple):
    """What a run of the command line left behind."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Return a function that runs the command line in this process."""

    def command(*arguments, stdin=""):
        monkeypatch.setattr(sys, "argv", ["langchain-drift", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = program.run()
        return Done(code, *capsys.readouterr())

    return command


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.jsonl"
    rows = [GOOD, BAD, EMPTY, UNKNOWN]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def test_a_table_ends_with_the_worst_rows(run, file):
    """Statuses are counted, and the worst rows named with their reason."""
    done = run("rag", file)
    assert done.returncode == 0
    assert "4 answers, 2 drifted, 1 no_context, 1 abstained" in done.stdout
    worst = done.stdout[done.stdout.index("Worst:") :]
    assert "b7" in worst
    assert "no chunk holds 5000" in worst


def test_json_has_rows_and_summary(run, file):
    """Everything of the report is in the JSON."""
    found = json.loads(run("rag", file, "--format", "json").stdout)
    assert found["summary"]["drifted"] == 2
    assert [row["id"] for row in found["rows"]] == ["1", "b7", "3", "4"]
    assert found["rows"][1]["unsupported"] == ["5000"]


def test_jsonl_and_csv_have_a_line_a_row(run, file):
    """The two formats for other programs hold the same rows."""
    lines = run("rag", file, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["drift"] for line in lines] == [False, True, True, False]
    rows = list(csv.DictReader(io.StringIO(run("rag", file, "--format", "csv").stdout)))
    assert [row["status"] for row in rows] == ["scored", "scored", "no_context", "abstained"]
    assert rows[1]["unsupported"] == "5000"


@pytest.mark.parametrize(
    ("rows", "fail_on", "code"),
    [
        ([GOOD], "drift", 0),
        ([BAD], "drift", 3),
        ([UNKNOWN], "drift", 0),
        ([UNKNOWN], "unscored", 3),
        ([GOOD], "unscored", 0),
    ],
)
def test_fail_on_exits_with_3(run, rows, fail_on, code):
    """`--fail-on drift` is for drift, `unscored` for what was not scored as well."""
    stdin = "\n".join(map(json.dumps, rows))
    assert run("rag", "-", "--fail-on", fail_on, stdin=stdin).returncode == code


def test_method_and_threshold_are_taken(run, file):
    """The published formula gives the published score; the threshold moves the verdict."""
    found = json.loads(run("rag", file, "--method", "jaccard", "--format", "json").stdout)
    assert found["rows"][0]["method"] == "jaccard"
    strict = json.loads(run("rag", file, "--threshold", "0", "--format", "json").stdout)
    assert strict["rows"][0]["drift"]


def test_a_null_answer_judges_the_chunks(run):
    """A row whose answer is null is judged by how well its chunks fit the question."""
    row = {"question": "What is the capital of Peru?", "contexts": ["Paint dries."], "answer": None}
    done = run("rag", "-", "--format", "json", stdin=json.dumps([row]))
    assert "do not fit the question" in json.loads(done.stdout)["rows"][0]["reason"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no row"),
        ("3", "write an object"),
        ('{"question": "q"}', "No answer was found"),
        ('{"answer": "a", "contexts": [3]}', "no document"),
        ('{"answer": "a", "passages": ["a"]}', "--documents-key"),
        ("{", "not JSON"),
    ],
)
def test_an_unusable_file_is_told_in_one_sentence(run, text, told):
    """The error names the place and the way out, and the exit code is 2."""
    done = run("rag", "-", stdin=text)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_grounding_is_measured_on_labelled_answers(run, tmp_path):
    """`evaluate grounding` writes the figures as a table and as JSON."""
    path = tmp_path / "labelled.jsonl"
    rows = [GOOD | {"label": 0}, BAD | {"label": 1}] * 3
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = json.loads(run("evaluate", "grounding", path, "--format", "json").stdout)["labelled"]
    assert found["auroc"] == 1
    assert found["decision"]["balanced_accuracy"] == 1
    table = run("evaluate", "grounding", path, "--method", "lexical", "--limit", 2).stdout
    assert "labelled" in table
    assert "1.000" in table


def test_the_names_of_ragas_are_read(run):
    """Rows of a ragas data set need no names of keys."""
    row = {
        "user_input": "The limit?",
        "retrieved_contexts": ["It is 500 euros."],
        "response": "500 euros",
    }
    (found,) = json.loads(run("rag", "-", "--format", "json", stdin=json.dumps(row)).stdout)["rows"]
    assert (found["question"], found["status"], found["drift"]) == ("The limit?", "scored", False)


def test_keys_can_be_named(run):
    """`--question-key`, `--answer-key` and `--documents-key` name what is under other keys."""
    row = {"q": "The limit?", "c": ["It is 500 euros."], "a": "500 euros"}
    keys = ("--question-key", "q", "--answer-key", "a", "--documents-key", "c")
    done = run("rag", "-", *keys, "--format", "jsonl", stdin=json.dumps(row))
    found = json.loads(done.stdout)
    assert (found["question"], found["answer"]) == ("The limit?", "500 euros")
    assert not found["drift"]
