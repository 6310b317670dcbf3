"""Laws that every command keeps; a new command has to be in the table."""

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from types import SimpleNamespace
from typing import NamedTuple

import pytest
import typer.main
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

from langchain_drift import DriftGuard, DriftGuardSettings, DriftTracker
from langchain_drift.cli import program
from langchain_drift.cli.app import app

PURPOSE = "Help customers of a bank with savings accounts, credit cards and loans."
CARD = {"user": "What does the credit card cost?", "assistant": "It costs 49 euros a year."}
PASTA = {"user": "How do I cook pasta?", "assistant": "Boil the pasta for ten minutes."}
LABELLED = [CARD | {"label": "on"}, PASTA | {"label": "off"}]
ANSWER = {"question": "The limit?", "contexts": ["The limit is 500 euros."], "answer": "500 euros."}
STEP = {"trace": "a", "env": "e", "action": "git push", "feedback": "no", "failed": True}


class Command(NamedTuple):
    """A command as it works in the folder of `folder`.

    `reads` is what it reads, as it stands among the words; `takes_text` is whether that is a file
    of text, which may come from standard input.
    """

    words: str
    reads: str = ""
    takes_text: bool = False


TABLE = {
    "demo": Command(""),
    "score": Command("chat.json", "chat.json", takes_text=True),
    "report": Command("chat.json -o -", "chat.json", takes_text=True),
    "rag": Command("answers.jsonl", "answers.jsonl", takes_text=True),
    "audit": Command(f"chats.sqlite --purpose '{PURPOSE}'", "chats.sqlite"),
    "status": Command("--file kept", "kept"),
    "history": Command("--file kept", "kept"),
    "reset": Command("--file kept", "kept"),
    "freeze": Command("--file kept", "kept"),
    "unfreeze": Command("--file kept", "kept"),
    "mcp": Command("--path memory.sqlite3", "memory.sqlite3"),
    "evaluate drift": Command("chats.jsonl", "chats.jsonl", takes_text=True),
    "evaluate grounding": Command("labelled.jsonl", "labelled.jsonl", takes_text=True),
    "evaluate memory": Command("steps.jsonl", "steps.jsonl", takes_text=True),
    "memory list": Command("--path memory.sqlite3", "memory.sqlite3"),
    "memory show": Command("'git push' --path memory.sqlite3", "memory.sqlite3"),
    "memory stats": Command("--path memory.sqlite3", "memory.sqlite3"),
    "memory add": Command("'make all' --path memory.sqlite3", "memory.sqlite3"),
    "memory review": Command("'git push' --path memory.sqlite3", "memory.sqlite3"),
    "memory prune": Command("--path memory.sqlite3", "memory.sqlite3"),
    "memory hide": Command("event-1 --path memory.sqlite3", "memory.sqlite3"),
    "memory unhide": Command("hidden-1 --path memory.sqlite3", "memory.sqlite3"),
    "memory purge": Command("--path memory.sqlite3", "memory.sqlite3"),
    "memory reembed": Command("--path memory.sqlite3", "memory.sqlite3"),
    "memory demo": Command(""),
    "memory export": Command("--path memory.sqlite3", "memory.sqlite3"),
    "memory import": Command("events.jsonl --path new.sqlite3", "events.jsonl", takes_text=True),
    "memory migrate": Command("memory.sqlite3 new.sqlite3", "memory.sqlite3"),
    "memory sync": Command("memory.sqlite3 new.sqlite3", "memory.sqlite3"),
}
ONE_BY_ONE = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from langchain_drift.cli import program
ends = []
for sys.argv in json.load(sys.stdin):
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as error:
        code = program.run()
    ends.append({"code": code, "out": out.getvalue(), "error": error.getvalue()})
print(json.dumps(ends))
"""
"""Runs many command lines in one process, which is quicker."""

SERVES = {"mcp"}
"""Commands that run until they are stopped; what they do has tests of its own."""
READING = [name for name, command in TABLE.items() if command.reads and name not in SERVES]
READING_TEXT = [name for name, command in TABLE.items() if command.takes_text]
RUNNING = [name for name in TABLE if name not in SERVES]


def walk(command, words=()):
    """Yield every command and group, by its words."""
    yield " ".join(words), command
    for name, each in getattr(command, "commands", {}).items():
        yield from walk(each, (*words, name))


ALL = dict(walk(typer.main.get_command(app)))
COMMANDS = {name: each for name, each in ALL.items() if not hasattr(each, "commands")}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder with a file for every command."""
    folder = tmp_path_factory.mktemp("made")
    files = {
        "chat.json": {"purpose": PURPOSE, "turns": [CARD, PASTA]},
        "answers.jsonl": ANSWER,
        "chats.jsonl": {"purpose": PURPOSE, "turns": LABELLED},
        "labelled.jsonl": ANSWER | {"label": 0},
        "steps.jsonl": STEP | {"should_warn": None},
        "events.jsonl": {"action": "git push", "feedback": "no"},
    }
    for name, row in files.items():
        (folder / name).write_text(f"{json.dumps(row)}\n", encoding="utf-8")
    tracker = DriftTracker(PURPOSE, persist=True, persist_path=str(folder / "kept"))
    tracker.record_turn(*CARD.values())
    settings = DriftGuardSettings(
        storage_backend="sqlite", sqlite_filepath=folder / "memory.sqlite3"
    )
    guard = DriftGuard(settings=settings)
    guard.record("git push", "protected branch", event_id="event-1")
    guard.record("make", "no such target", event_id="hidden-1")
    guard.hide(["hidden-1"])
    guard.close()
    builder = StateGraph(MessagesState)
    builder.add_node("reply", lambda state: {})
    builder.add_edge(START, "reply")
    with SqliteSaver.from_conn_string(str(folder / "chats.sqlite")) as saver:
        said = [HumanMessage(CARD["user"]), AIMessage(CARD["assistant"])]
        graph = builder.compile(checkpointer=saver)
        graph.invoke({"messages": said}, {"configurable": {"thread_id": "ann"}})
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """Return a copy of the folder to work in, and to find no memory of the user's from."""
    place = tmp_path / "work"
    shutil.copytree(made, place)
    monkeypatch.chdir(place)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return place


@pytest.fixture
def run(folder, monkeypatch, capfdbinary):
    """Return a function that runs a command line in the folder."""

    def run(words, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["langchain-drift", *shlex.split(words)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = program.run()
        out, error = capfdbinary.readouterr()
        return SimpleNamespace(code=code, out=out.decode(), error=error.decode())

    return run


def is_told(done):
    """Return whether a run ended with one sentence on standard error and the code for it."""
    lines = done.error.splitlines()
    is_sentence = len(lines) == 1 and re.fullmatch(r"langchain-drift: \S.*[.]", lines[0])
    return (done.code, done.out, bool(is_sentence)) == (2, "", True)


def test_the_table_has_every_command():
    """No command goes without these laws."""
    assert TABLE.keys() == COMMANDS.keys()


@pytest.mark.parametrize("name", ALL)
def test_help_has_lines_to_copy_and_the_exit_codes(run, name):
    """Every page of help ends with lines that name commands and options that are there."""
    done = run(f"{name} --help")
    assert (done.code, done.error) == (0, "")
    assert "Exit codes: 0 done" in done.out
    lines = re.findall(r"^  .*?(?:^|[| ])langchain-drift (.+)$", done.out, re.MULTILINE)
    shown = [line for line in lines if not line.startswith("[OPTIONS]")]
    assert shown
    for line in shown:
        words = shlex.split(re.split(r" [|>] ?", line)[0])
        called = next(" ".join(words[:n]) for n in (2, 1) if " ".join(words[:n]) in COMMANDS)
        assert called.startswith(name) or "|" in line
        known = {option for each in COMMANDS[called].params for option in each.opts}
        assert {word for word in words if word.startswith("-") and word != "-"} <= known


def test_a_name_means_the_same_everywhere():
    """Options that share a name share their other names, and the file of a memory has one pair."""
    found = {}
    for command in COMMANDS.values():
        for option in command.params:
            for name in option.opts:
                if name.startswith("--"):
                    found.setdefault(name, set()).add(frozenset(option.opts))
    assert {name: names for name, names in found.items() if len(names) > 1} == {}
    assert found["--file"] == found["--path"] == {frozenset({"--file", "--path"})}


@pytest.mark.parametrize("name", TABLE)
def test_a_wrong_option_is_told_in_one_sentence(run, name):
    """An unknown option ends with 2 and says where to look."""
    done = run(f"{name} --nonsense {TABLE[name].words}")
    assert is_told(done)
    assert "--nonsense" in done.error
    assert f"`langchain-drift {name} --help`" in done.error


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("nonsense", "nonsense"),
        ("memory nonsense", "nonsense"),
        ("score", "Missing argument"),
        ("memory review ' ' --path memory.sqlite3", "empty"),
        ("score chat.json --format nope", "'nope' is not one of 'table'"),
        ("score chat.json --fail-on nope", "'nope'"),
        ("rag answers.jsonl --threshold 2", "--threshold"),
        ("memory list --limit x", "--limit"),
        ("audit chats.sqlite --since soon", "--since"),
        ("memory list --path memory.sqlite3 --scope tenant=a,tenant=b", "twice"),
    ],
)
def test_a_wrong_value_is_told_in_one_sentence(run, words, named):
    """What an option or an argument cannot be is named with what is wrong."""
    done = run(words)
    assert is_told(done)
    assert named in done.error


@pytest.mark.parametrize("name", READING)
@pytest.mark.parametrize("kind", ["missing", "directory", "binary", "broken"])
def test_what_cannot_be_read_is_told_in_one_sentence(run, folder, name, kind):
    """A file that is not there, is a folder, holds bytes or half a JSON text ends with 2."""
    command = TABLE[name]
    (folder / "directory").mkdir()
    (folder / "binary").write_bytes(b"\x00\xff\xfe\x80" * 100)
    (folder / "broken").write_text('{"user": "a",\n"assis')
    words = command.words.replace(command.reads, kind)
    done = run(f"{name} {words}")
    begins_one = name == "memory add" and kind == "missing"
    assert done.code == 0 if begins_one else is_told(done)


def test_a_forbidden_file_is_told_in_one_sentence(folder):
    """A file that may not be read ends with 2; tried by a user with no right to pass by that."""
    for name in READING:
        (folder / TABLE[name].reads).chmod(0)
    drop = []
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("root reads every file, and there is no setpriv to give that up")
        drop = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
    lines = [shlex.split(f"langchain-drift {name} {TABLE[name].words}") for name in READING]
    done = subprocess.run(
        [*drop, sys.executable, "-c", ONE_BY_ONE],
        input=json.dumps(lines),
        capture_output=True,
        check=True,
        timeout=60,
        text=True,
    )
    ends = [SimpleNamespace(**each) for each in json.loads(done.stdout)]
    told = {name: is_told(end) for name, end in zip(READING, ends, strict=True)}
    assert told == dict.fromkeys(READING, True)


@pytest.mark.parametrize("name", RUNNING)
def test_what_is_done_ends_with_0_and_without_colour(run, name):
    """In a pipe there is no control sequence, and nothing on standard error."""
    done = run(f"{name} {TABLE[name].words}")
    assert (done.code, done.error) == (0, "")
    assert "\x1b" not in done.out


@pytest.mark.parametrize("name", RUNNING)
def test_a_reader_that_leaves_is_met_quietly(folder, monkeypatch, capfdbinary, name):
    """When the reader of a pipe has gone, a command ends with 1 and says nothing."""
    ours, theirs = os.pipe()
    os.close(ours)
    words = shlex.split(f"{name} {TABLE[name].words}")
    monkeypatch.setattr(sys, "argv", ["langchain-drift", *words])
    with os.fdopen(theirs, "w", encoding="utf-8") as gone:
        monkeypatch.setattr(sys, "stdout", gone)
        code = program.run()
    assert code == 1
    assert capfdbinary.readouterr().err == b""


@pytest.mark.parametrize("name", READING_TEXT)
def test_text_may_come_from_standard_input(run, folder, name):
    """`-` is standard input wherever a file of text is read, and gives the same result."""
    command = TABLE[name]
    text = (folder / command.reads).read_bytes()
    piped = run(f"{name} {command.words.replace(command.reads, '-')}", stdin=text)
    assert (piped.code, piped.error) == (0, "")
    broken = run(f"{name} {command.words.replace(command.reads, '-')}", stdin=b'{"user": "a')
    assert is_told(broken)
    assert "standard input" in broken.error


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands(run, monkeypatch, shell):
    """Completion can be shown, and tells commands, whatever program the tests run below."""
    monkeypatch.setattr("shellingham.detect_shell", lambda: (shell, f"/bin/{shell}"))
    monkeypatch.setenv("_LANGCHAIN_DRIFT_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("COMP_WORDS", "langchain-drift sc")
    monkeypatch.setenv("COMP_CWORD", "1")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "langchain-drift sc")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    assert "score" in run("").out
    monkeypatch.delenv("_LANGCHAIN_DRIFT_COMPLETE")
    shown = run("--show-completion")
    assert (shown.code, "langchain-drift" in shown.out) == (0, True)


def test_what_cannot_be_written_is_told():
    """A full disk under the output is one sentence and no traceback."""
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        call = [sys.executable, "-c", "from langchain_drift.cli import main; main()", "--version"]
        done = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, check=False, text=True)
    assert is_told(SimpleNamespace(code=done.returncode, out="", error=done.stderr))


def test_a_bad_file_begins_no_memory(run, folder):
    """What cannot be imported leaves no empty memory behind; a dash exports to the pipe."""
    assert is_told(run("memory import missing --path new.sqlite3"))
    assert not (folder / "new.sqlite3").exists()
    exported = run("memory export --path memory.sqlite3 --output -")
    assert json.loads(exported.out)["action"] == "git push"
    assert not (folder / "-").exists()


def test_an_interrupt_ends_with_130(run, monkeypatch):
    """Control-C ends a command without a traceback."""

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("langchain_drift.cli.demo.show_demo", interrupted)
    done = run("demo")
    assert (done.code, done.out, done.error) == (130, "", "")


def test_a_thread_is_not_removed_where_nobody_answers(run):
    """Without a person to ask, and without `--yes`, nothing is removed."""
    done = run("reset --file chats.sqlite --thread ann")
    assert done.code == 2
    assert "Nobody answered" in done.error
    assert run("reset --file chats.sqlite --thread ann --yes").code == 0
