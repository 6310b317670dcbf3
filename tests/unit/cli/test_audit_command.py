"""`langchain-drift audit`, and the session commands on a checkpoint database."""

import csv
import io
import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from langchain_drift import DriftState, make_end_session_node, make_score_node
from langchain_drift.cli.program import run as main
from langchain_drift.cli.sessions.audit import parse_since
from langchain_drift.errors import InvalidInputError

PURPOSE = "You are a banking assistant. Help with savings accounts, credit cards and loans."
CARD = ("What does the credit card cost?", "The credit card costs 49 euros a year.")
PASTA = (
    "How do I cook pasta?",
    "Boil the pasta for ten minutes in salted water, then stir in tomatoes and basil.",
)
THREADS = {
    "good": [CARD, CARD],
    "bad\x1b[31m": [CARD, PASTA, ("=1+1 more pasta recipes?", PASTA[1])],
}


def write(path, *, keep):
    """Write threads with a graph that keeps its drift or does not."""
    builder = StateGraph(DriftState)
    builder.add_node("score", make_score_node(PURPOSE) if keep else lambda state: {})
    builder.add_node("end", make_end_session_node())
    builder.add_edge(START, "score")
    builder.add_conditional_edges(
        "score", lambda state: "end" if state.get("drift_end_session") else END, ["end", END]
    )
    with SqliteSaver.from_conn_string(str(path)) as saver:
        graph = builder.compile(checkpointer=saver)
        for name, turns in THREADS.items():
            config = {"configurable": {"thread_id": name}}
            for user, assistant in turns:
                said = [HumanMessage(user), AIMessage(assistant)]
                graph.invoke({"messages": said}, config)
        if keep:
            graph.invoke({"drift_end_session": True}, {"configurable": {"thread_id": "good"}})
    return str(path)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return write(tmp_path_factory.mktemp("plain") / "chats.sqlite", keep=False)


@pytest.fixture
def keeping(tmp_path):
    return write(tmp_path / "chats.sqlite", keep=True)


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["langchain-drift", *map(str, arguments)])
        code = main()
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_a_table_ends_with_the_turns_to_look_at(plain, run):
    """Threads are listed worst first; then it says which turns to read, and how to see more."""
    code, out, err = run("audit", plain, "--purpose", PURPOSE)
    assert (code, err) == (0, "")
    assert out.index("bad") < out.index("good")
    assert "2 ▼" in out
    assert "turn 2" in out.split("Turns to look at:")[1]
    assert "How do I cook pasta?" in out
    assert "\x1b" not in out


def test_results_can_be_read_by_programs(plain, run):
    """JSON, JSONL and CSV hold the same threads."""
    whole = json.loads(run("audit", plain, "--purpose", PURPOSE, "--format", "json")[1])
    lines = run("audit", plain, "--purpose", PURPOSE, "--format", "jsonl")[1].splitlines()
    rows = list(
        csv.DictReader(io.StringIO(run("audit", plain, "--purpose", PURPOSE, "--format", "csv")[1]))
    )
    assert whole["threads"] == [json.loads(line) for line in lines]
    assert [row["off"] for row in rows] == [str(one["off"]) for one in whole["threads"]]
    assert whole["threads"][0]["departures"] == [2]
    assert whole["threads"][0]["look_at"][0]["turn"] == 2


@pytest.mark.parametrize("output", ["table", "json", "jsonl", "csv"])
def test_one_thread_is_shown_turn_by_turn(plain, run, output):
    """With --thread every turn of it is written, harmlessly."""
    name = "bad\x1b[31m"
    code, out, _ = run("audit", plain, "--purpose", PURPOSE, "--thread", name, "--format", output)
    assert code == 0
    assert out.count("pasta") >= 2
    if output in ("table", "csv"):
        assert "\x1b" not in out
    if output == "csv":
        assert "'=1+1 more pasta" in out


def test_fewer_threads_on_demand(plain, run):
    """--limit cuts the list and says so; --since passes older threads over."""
    _, out, _ = run("audit", plain, "--purpose", PURPOSE, "--limit", "1")
    assert "and 1 more" in out
    code, _, err = run("audit", plain, "--purpose", PURPOSE, "--since", "2999-01-01")
    assert code == 2
    assert "No turn was found" in err


def test_a_verdict_can_fail_the_run(plain, run):
    """--fail-on exits with 3 if a turn has that verdict or a worse one."""
    arguments = ("audit", plain, "--purpose", PURPOSE, "--format", "jsonl", "--fail-on", "severe")
    assert run(*arguments)[0] == 3
    assert run(*arguments, "--thread", "good")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "--purpose"),
        (["--purpose", " "], "empty"),
        (["--purpose", "x", "--thread", "none"], "no thread 'none'"),
        (["--purpose", "x", "--since", "soon"], "7d"),
        (["--purpose", "x", "--messages", "chat"], "--messages"),
        (["--thread", "good"], "give --purpose"),
    ],
)
def test_what_cannot_be_audited_is_told(plain, run, arguments, told):
    """A wrong option or an empty database is told in a sentence, with 2."""
    code, _, err = run("audit", plain, *arguments)
    assert code == 2
    assert told in err


def test_kept_drift_is_told_without_a_purpose(keeping, run):
    """Threads that keep their drift are told as they were scored, past sessions too."""
    found = json.loads(run("audit", keeping, "--format", "json")[1])["threads"]
    assert [(each["thread"], each["turns"], each["recorded"]) for each in found] == [
        ("bad\x1b[31m", 3, True),
        ("good", 2, True),
    ]


def test_status_and_history_of_a_thread(keeping, run):
    """What the state of a thread tells is told as of a session memory."""
    _, out, _ = run("status", "--file", keeping, "--thread", "good", "--format", "json")
    assert json.loads(out) == {
        "session": 2,
        "turns": 0,
        "score": None,
        "verdict": None,
        "frozen": False,
        "summaries": 1,
        "all_turns": 2,
    }
    _, out, _ = run(
        "history", "--file", keeping, "--thread", "good", "--format", "json", "--last", 1
    )
    (row,) = json.loads(out)
    assert (row["session"], row["turn"], row["user"]) == (1, 2, CARD[0])


def test_a_thread_can_be_removed(keeping, run, monkeypatch):
    """Removing a thread asks first; a frozen one and one that is not there stay."""
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    run("reset", "--file", keeping, "--thread", "good")
    assert run("status", "--file", keeping, "--thread", "good")[0] == 0
    code, out, _ = run("reset", "--file", keeping, "--thread", "good", "--yes")
    assert (code, out) == (0, "Thread good was removed.\n")
    assert run("status", "--file", keeping, "--thread", "good")[0] == 2
    with SqliteSaver.from_conn_string(keeping) as saver:
        builder = StateGraph(DriftState)
        builder.add_node("score", lambda state: {})
        builder.add_edge(START, "score")
        config = {"configurable": {"thread_id": "cold"}}
        builder.compile(checkpointer=saver).invoke({"drift_frozen": True}, config)
    code, _, err = run("reset", "--file", keeping, "--thread", "cold", "--yes")
    assert code == 2
    assert "frozen" in err


def test_only_its_graph_freezes_a_thread(keeping, run):
    """A program that does not know the graph does not write its state; it says who can."""
    for verb, value in (("freeze", "True"), ("unfreeze", "False")):
        code, _, err = run(verb, "--file", keeping)
        assert code == 2
        assert f'update_state(config, {{"drift_frozen": {value}}})' in err
    assert "give --thread" in run("status", "--file", keeping)[2]


def test_a_thread_that_keeps_no_drift_says_how_to_score_it(plain, run):
    """The way out is in the message."""
    code, _, err = run("history", "--file", plain, "--thread", "good")
    assert code == 2
    assert "langchain-drift audit" in err


def test_times_are_dates_or_ages():
    """A date, a date with a time, and ages are read; anything else is told."""
    assert parse_since("2026-11-30T10:00:00+00:00").isoformat() == "2026-11-30T10:00:00+00:00"
    assert parse_since("2026-11-30").tzinfo is not None
    assert parse_since("1d") < parse_since("2h") < parse_since("5m")
    with pytest.raises(InvalidInputError):
        parse_since("7 days ago")
