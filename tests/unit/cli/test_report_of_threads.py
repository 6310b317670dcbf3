"""`langchain-drift report` on a real checkpoint database of LangGraph."""

import sys

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

from langchain_drift import DriftState, make_score_node
from langchain_drift.cli import program

PURPOSE = "You are a banking assistant. Help with savings accounts, credit cards and loans."
CARD = ("What does the credit card cost?", "The credit card costs 49 euros a year.")
PASTA = ("How do I cook <b>pasta</b>?", "Boil the pasta for ten minutes in salted water.")
THREADS = {"ann": [CARD, PASTA], "bob": [CARD]}


@pytest.fixture(params=["plain", "keeping"])
def database(request, tmp_path, monkeypatch):
    """Return a database of a graph that does not keep its drift, or does."""
    monkeypatch.chdir(tmp_path)
    builder = StateGraph(DriftState)
    node = make_score_node(PURPOSE) if request.param == "keeping" else lambda state: {}
    builder.add_node("score", node)
    builder.add_edge(START, "score")
    with SqliteSaver.from_conn_string("chats.sqlite") as saver:
        graph = builder.compile(checkpointer=saver)
        for name, turns in THREADS.items():
            for user, assistant in turns:
                said = {"messages": [HumanMessage(user), AIMessage(assistant)]}
                graph.invoke(said, {"configurable": {"thread_id": name}})
    return request.param


@pytest.fixture
def report(monkeypatch, capsys, tmp_path):
    """Return a function that reports on the database: the exit code, the page, the error."""

    def command(*arguments):
        given = ["langchain-drift", "report", "chats.sqlite", *arguments]
        monkeypatch.setattr(sys, "argv", given)
        code, page = program.run(), tmp_path / "report.html"
        return code, page.read_text("utf-8") if page.exists() else "", capsys.readouterr().err

    return command


def test_every_thread_has_its_section(database, report):
    """All turns of all threads are on the page, scored by the purpose that is given."""
    code, page, _ = report("--purpose", PURPOSE)
    assert code == 0
    assert "<h1>chats.sqlite</h1>" in page
    assert all(f">{name}<" in page for name in THREADS)
    assert page.count(CARD[1]) == 2
    assert "How do I cook &lt;b&gt;pasta&lt;/b&gt;?" in page
    assert "Clearly off purpose" in page


def test_without_a_purpose_a_thread_is_told_as_it_was_scored(database, report):
    """Threads that keep their drift need no purpose; others without a system message do."""
    code, page, error = report()
    if database == "keeping":
        assert code == 0
        assert "Clearly off purpose" in page
    else:
        assert (code, page) == (2, "")
        assert "give --purpose" in error


def test_one_thread_can_be_chosen(database, report):
    """`--thread` shows that thread alone, and one that is not there is told."""
    _, page, _ = report("--purpose", PURPOSE, "--thread", "bob")
    assert "pasta" not in page
    code, _, error = report("--purpose", PURPOSE, "--thread", "eve")
    assert code == 2
    assert "There is no thread 'eve'" in error


def test_threads_can_be_chosen_by_their_time(database, report):
    """`--since` leaves out what was not written to since."""
    assert report("--purpose", PURPOSE, "--since", "1h")[0] == 0
    code, _, error = report("--purpose", PURPOSE, "--since", "2100-01-01")
    assert code == 2
    assert "No thread asked for" in error
