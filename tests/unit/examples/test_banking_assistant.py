"""The banking assistant: every part of it does its work."""

import sys
from pathlib import Path

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState
from langgraph.types import Command

from langchain_drift import DriftState, GuardState, RetrieverDriftState

FOLDER = Path(__file__).parents[3] / "examples" / "banking_assistant"
CONFIG = {"configurable": {"thread_id": "ann"}}


@pytest.fixture
def chat(monkeypatch):
    """Return a function that asks the assistant in one thread and returns the state."""
    monkeypatch.syspath_prepend(str(FOLDER))
    import assistant  # noqa: PLC0415 - a script

    graph = assistant.builder.compile(checkpointer=InMemorySaver())
    yield lambda given: graph.invoke(given, CONFIG)
    for name in ("assistant", "bank"):
        del sys.modules[name]


def ask(question):
    return {"messages": [("human", question)]}


def test_what_no_page_holds_is_taken_back(chat):
    """An invented fee is judged, answered again, and stays in no message."""
    state = chat(ask("What does the Acme Rewards card cost?"))
    assert state["retriever_drift"]["attempts"] == 2
    assert not state["retriever_drift"]["drift"]
    assert "49 euros" in state["messages"][-1].text
    assert not any("19 euros" in message.text for message in state["messages"])


@pytest.mark.parametrize(
    ("decision", "told"),
    [("approve", "The daily limit is 5000 euros."), ("reject", "I may not change")],
)
def test_a_call_that_failed_before_is_for_a_person_to_decide(chat, decision, told):
    """The run waits for a person; what was approved runs, what was rejected does not."""
    (waiting,) = chat(ask("Raise my limit to 5000 euros."))["__interrupt__"]
    assert "the customer is unverified" in waiting.value["calls"][0]["description"]
    state = chat(Command(resume={"decisions": [{"type": decision}]}))
    assert state["messages"][-1].text.startswith(told)


def test_a_call_without_a_past_runs(chat):
    """Another limit was never refused, so nobody is asked."""
    assert chat(ask("Set my limit to 300 euros."))["messages"][-1].text.endswith("300 euros.")


def test_leaving_the_purpose_is_scored(chat):
    """A recipe from a bank is told by the score and its reason."""
    chat(ask("What do I need for a home loan?"))
    first, second = chat(ask("How do I cook pasta?"))["drift_turns"]
    assert first["score"] > 55 > second["score"]
    assert second["departed"]


def test_one_schema_holds_the_keys_of_all_parts():
    """The states of the parts go together, with each other and with LangGraph's own."""

    class All(DriftState, GuardState, RetrieverDriftState):
        question: str

    class Plain(MessagesState, RetrieverDriftState):
        question: str

    assert All.__annotations__.keys() > {"drift_turns", "guard_review", "retriever_drift"}
    assert Plain.__annotations__.keys() == {"messages", "retriever_drift", "question"}
