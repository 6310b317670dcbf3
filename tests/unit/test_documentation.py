"""README and the guides tell the truth: what they show runs, and prints what they show."""

import json
import os
import re
import shlex
import sys
import tomllib
from pathlib import Path
from shutil import copy

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

from langchain_drift import cli

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```(python|sh)\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
GOES_ON = {"tutorial.md"}
"""Pages whose blocks of code go on from those before; elsewhere each stands alone."""


def before(page, text, start):
    """Return the code that a block goes on from."""
    if page.name not in GOES_ON:
        return ""
    return "\n".join(found[2] for found in BLOCK.finditer(text, 0, start) if found[1] == "python")


BLOCKS = [
    pytest.param(
        before(page, text, found.start()),
        *found.groups(),
        id=f"{page.name}-{text.count(chr(10), 0, found.start()) + 1}",
    )
    for page in PAGES
    for text in [page.read_text(encoding="utf-8")]
    for found in BLOCK.finditer(text)
]
PROGRAM = "langchain-drift"
EXTRAS = ["langchain.agents"]  # what pages import that comes with an extra
FOUND = 3  # what `--fail-on` exits with

CHAT = [
    {"role": "user", "content": "What does a savings account yield?"},
    {"role": "assistant", "content": "2 % a year."},
]
ANSWER = {
    "question": "What is the limit?",
    "contexts": ["It is 500 euros."],
    "answer": "500 euros.",
}
STEPS = [
    {"trace": "1", "env": "shop", "action": "SELECT agee FROM people", "feedback": "no such column",
     "failed": True, "should_warn": None},
    {"trace": "2", "env": "shop", "action": "SELECT agee FROM people", "feedback": "no such column",
     "failed": True, "should_warn": 1},
]  # fmt: skip
FILES = {
    "chat.json": [CHAT],
    "answers.jsonl": [ANSWER],
    "labelled_answers.jsonl": [ANSWER | {"label": 0}, ANSWER | {"answer": "900 €.", "label": 1}],
    "steps.jsonl": STEPS,
}


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """Put the reader into a folder that holds the files that the pages speak of."""
    for name, rows in FILES.items():
        text = "\n".join(json.dumps(row) for row in rows)
        (tmp_path / name).write_text(text, encoding="utf-8")
    chats = (ROOT / "tests/data/conversations_c.jsonl").read_text(encoding="utf-8")
    (tmp_path / "labelled.jsonl").write_text("\n".join(chats.splitlines()[:6]), encoding="utf-8")
    write_checkpoints(str(tmp_path / "chats.sqlite"))
    for name in ("driftguard_graph.json", "driftguard_success_graph.json"):
        copy(ROOT / "tests/data/driftguard_graph.json", tmp_path / name)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    return tmp_path


def write_checkpoints(path):
    """Write a thread as a graph with a checkpointer does."""
    builder = StateGraph(MessagesState)
    builder.add_node("reply", lambda state: {})
    builder.add_edge(START, "reply")
    with SqliteSaver.from_conn_string(path) as saver:
        graph = builder.compile(checkpointer=saver)
        graph.invoke({"messages": CHAT}, {"configurable": {"thread_id": "42"}})


@pytest.mark.parametrize(("earlier", "kind", "shown", "output"), BLOCKS)
def test_what_is_shown_is_true(
    earlier, kind, shown, output, reader, capsys, monkeypatch, optional_package
):
    """Each block of code or commands runs, and prints what stands under it."""
    names = {}
    execute(earlier, names)
    capsys.readouterr()
    if kind == "python":
        for name in EXTRAS:
            if f"from {name}" in shown:
                optional_package(name)
        execute(shown, names)
    else:
        for line in shown.replace(" && ", "\n").splitlines():
            command(line, monkeypatch)
    if output is not None:
        assert tidy(capsys.readouterr().out) == tidy(output)


def table_of_extras(page):
    """Return the rows of the table of extras on a page."""
    text = page.read_text(encoding="utf-8")
    return re.findall(
        r"^\| `([\w-]+)` \| (.+) \|$", text[text.index("| extra | brings |") :], re.MULTILINE
    )


def test_every_extra_of_users_is_told():
    """The table names what `all` brings, and is the same where a reader begins."""
    table = table_of_extras(ROOT / "README.md")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (everything,) = project["optional-dependencies"]["all"]
    wanted = {*re.search(r"\[(.*)\]", everything)[1].split(","), "all", "test"}
    assert wanted <= {name for name, _ in table} & set(project["optional-dependencies"])
    assert table_of_extras(ROOT / "docs/index.md") == [row for row in table if row[0] in wanted]


def tidy(text):
    """Return a text without blanks at the ends of lines, which no reader sees."""
    return [line.rstrip() for line in text.splitlines()]


def execute(code, names):
    """Run a block of code; one that needs an extra is skipped for users without it."""
    try:
        exec(compile(code, "page", "exec"), names)  # noqa: S102 - our own pages
    except ImportError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


def command(line, monkeypatch):
    """Run a line for the shell, if it calls us."""
    words = shlex.split(line)
    while "=" in words[0]:
        monkeypatch.setenv(*words.pop(0).split("=", 1))
    if words[0] != PROGRAM:
        return  # what installs, and runs these tests
    if words[1] == "mcp":
        return  # serves until it is stopped; the tests of the server start it
    if words[1] == "evaluate" and "tests/data/" in line and not os.environ.get("CI"):
        return  # takes minutes
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code in (0, FOUND if "--fail-on" in words else 0), line
