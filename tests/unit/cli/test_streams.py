"""Where output goes: files, pipes, terminals, and those that hang up or cannot show it."""

import json
import os
import subprocess
import sys
import threading

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

PROGRAM = [sys.executable, "-c", "from langchain_drift.cli import main; main()"]
PURPOSE = "Help customers of a bank with savings accounts, credit cards and loans."
TURNS = [{"user": "My card is lost.", "assistant": "I block the card."}]
MANY = "\n".join(json.dumps({"id": f"c{i}", "purpose": PURPOSE, "turns": TURNS}) for i in range(25))


def run(*arguments, stdin=b"", **more):
    return subprocess.run(
        [*PROGRAM, *arguments], input=stdin, capture_output=True, check=False, timeout=120, **more
    )


@pytest.fixture
def chats(tmp_path):
    path = tmp_path / "chats.jsonl"
    path.write_text(MANY, encoding="utf-8")
    return str(path)


def on_terminal(arguments, *, stdout=subprocess.PIPE, **environment):
    """Run with standard error, and standard output if it is None, on a terminal."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    shown = []

    def drain():
        while True:
            try:
                shown.append(os.read(ours, 4096))
            except OSError:
                return

    kept = {key: value for key, value in os.environ.items() if key not in {"NO_COLOR", "CI"}}
    program = subprocess.Popen(
        [*PROGRAM, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs if stdout is None else stdout,
        stderr=theirs,
        env={**kept, "TERM": "xterm", **environment},
    )
    os.close(theirs)
    reader = threading.Thread(target=drain)
    reader.start()
    out, _ = program.communicate(timeout=120)
    reader.join()
    os.close(ours)
    return program.returncode, out or b"", b"".join(shown)


@pytest.mark.parametrize(("output", "lines"), [("jsonl", 25), ("csv", 26)])
def test_the_bar_leaves_results_where_they_belong(chats, output, lines):
    """With the bar on a terminal, every result is in the pipe and none on the terminal."""
    code, out, shown = on_terminal(["score", chats, "--format", output])
    assert code == 0
    assert len(out.splitlines()) == lines
    assert b"\x1b" not in out
    assert b"scoring conversation" in shown
    assert b"card" not in shown


def test_the_bar_of_an_audit_counts_threads(tmp_path):
    """While a database is read a bar on the terminal counts threads; results are in the pipe."""
    path = str(tmp_path / "chats.sqlite")
    builder = StateGraph(MessagesState)
    builder.add_node("reply", lambda state: {})
    builder.add_edge(START, "reply")
    with SqliteSaver.from_conn_string(path) as saver:
        graph = builder.compile(checkpointer=saver)
        for name in "ab":
            said = [("human", "A card?"), ("ai", "The card costs 49 euros.")]
            graph.invoke({"messages": said}, {"configurable": {"thread_id": name}})
    code, out, shown = on_terminal(["audit", path, "--purpose", PURPOSE, "--format", "jsonl"])
    assert (code, len(out.splitlines())) == (0, 2)
    assert b"threads" in shown
    assert b"49 euros" not in shown


def test_few_turns_show_no_bar(tmp_path):
    """A short transcript is scored without a bar."""
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(TURNS), encoding="utf-8")
    code, _, shown = on_terminal(["score", str(path), "--purpose", PURPOSE])
    assert (code, shown) == (0, b"")


def test_colour_is_for_terminals_that_want_it(chats):
    """A terminal gets colour, one with NO_COLOR none, and every table reaches it."""
    code, _, coloured = on_terminal(["score", chats], stdout=None)
    assert code == 0
    assert b"\x1b[32mfresh" in coloured
    assert coloured.count(b"stayed on purpose") == 25
    _, _, plain = on_terminal(["demo"], stdout=None, NO_COLOR="1")
    assert b"\x1b[3" not in plain


@pytest.mark.parametrize("output", ["table", "jsonl", "json"])
def test_a_reader_that_hangs_up_is_met_quietly(chats, output):
    """When the reader of a pipe goes away the program ends with 1 and says nothing."""
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "wb") as gone:
        done = subprocess.run(
            [*PROGRAM, "score", chats, "--format", output],
            stdout=gone,
            stderr=subprocess.PIPE,
            check=False,
            timeout=120,
        )
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_poor_terminal_shows_question_marks():
    """What the output's encoding lacks is replaced instead of ending the program."""
    done = run("demo", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"left its purpose at turn 5 ?" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "stdin", "named"),
    [
        ([], b'[{"user": "caf\xe9", "assistant": "b"}]', "standard input, line 1 is not UTF-8"),
        ([], b"[]", "standard input holds no turn to score"),
        ([], b'{"messages": [{"role": "system", "content": "s"}]}', "no turn to score"),
        ([], b'[{"role": "\\u001b[31m"}]', "unknown role"),
        (["--purpose", " "], b"[]", "The purpose is empty"),
        (["--purpose-file", "-"], b"[]", "cannot be both"),
    ],
)
def test_standard_input_is_told_about_by_its_name(arguments, stdin, named):
    """Bad bytes and empty chats end with 2 and one harmless line."""
    arguments = arguments or ["--purpose", PURPOSE]
    done = run("score", "-", *arguments, stdin=stdin)
    told = done.stderr.decode()
    assert done.returncode == 2
    assert named in told
    assert told.count("\n") == 1
    assert "\x1b" not in told


def test_an_id_cannot_steer_the_terminal():
    """A conversation's own id is cleaned before it is shown, in errors too."""
    chat = json.dumps({"id": "\x1b[2Jx", "turns": TURNS}).encode()
    shown = run("score", "-", "--purpose", PURPOSE, stdin=chat)
    told = run("score", "-", stdin=chat)
    assert (shown.returncode, told.returncode) == (0, 2)
    assert b"\x1b" not in shown.stdout + told.stderr


def test_one_purpose_is_wanted(tmp_path):
    """Both ways to give a purpose at once are refused; one from a file is used, mark and all."""
    path = tmp_path / "purpose.txt"
    path.write_text(f"\ufeff{PURPOSE}", encoding="utf-8")
    chat = json.dumps(TURNS).encode()
    both = run("score", "-", "--purpose", PURPOSE, "--purpose-file", str(path), stdin=chat)
    assert both.returncode == 2
    from_file = run("score", "-", "--purpose-file", str(path), "--format", "json", stdin=chat)
    given = run("score", "-", "--purpose", PURPOSE, "--format", "json", stdin=chat)
    assert from_file.stdout == given.stdout


def test_every_help_has_an_example_and_score_tells_its_exit_codes():
    """A stranger finds a command to copy on every page of help."""
    for arguments in ([], ["score"], ["evaluate", "drift"]):
        done = run(*arguments, "--help")
        assert done.returncode == 0
        assert b"  langchain-drift " in done.stdout
    assert b"3 --fail-on" in run("score", "--help").stdout
