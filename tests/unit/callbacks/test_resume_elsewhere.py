"""A graph that is paused in one process and resumed in another."""

import subprocess
import sys
from contextlib import closing
from sqlite3 import connect

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from langchain_drift import DriftCallbackHandler

ASK = "What do I need for a home loan?"
ANSWER = "A home loan takes proof of income."
PURPOSE = "Help customers with loans."
THREAD = {"thread_id": "42"}


def flow(saver):
    """Return a graph that waits for a person and then answers."""

    def approve(state):
        interrupt("May I?")

    def answer(state):
        model = GenericFakeChatModel(messages=iter([AIMessage(ANSWER)]))
        return {"messages": [model.invoke(state["messages"])]}

    built = StateGraph(MessagesState).add_node(approve).add_node(answer)
    return built.add_edge(START, "approve").add_edge("approve", "answer").compile(saver)


def pause(path):
    """Run the first half, as the other process does, and say how many turns it was."""
    from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: PLC0415 - optional

    handler = DriftCallbackHandler(PURPOSE)
    with SqliteSaver.from_conn_string(path) as saver:
        start = {"messages": [("user", ASK)]}
        flow(saver).invoke(start, {"callbacks": [handler], "configurable": THREAD})
    print(len(handler.turns))  # noqa: T201 - the answer of the process


def test_a_turn_paused_elsewhere_is_one_turn_here(tmp_path, optional_package):
    """Who pauses has no turn; who resumes has one, whether it knows the thread or not."""
    sqlite = optional_package("langgraph.checkpoint.sqlite")
    path = str(tmp_path / "threads.db")
    knows, new = DriftCallbackHandler(PURPOSE), DriftCallbackHandler(PURPOSE)
    config = {"callbacks": [knows], "configurable": THREAD}
    with closing(connect(path, check_same_thread=False)) as connection:
        graph = flow(sqlite.SqliteSaver(connection))
        graph.invoke({"messages": [("user", "Another loan?")]}, config)
        graph.invoke(Command(resume="yes"), config)
        program = [sys.executable, __file__, path]
        elsewhere = subprocess.run(program, capture_output=True, text=True, check=True)
        assert elsewhere.stdout.strip() == "0"
        graph.invoke(Command(resume="yes"), {**config, "callbacks": [knows, new]})
    assert said(knows) == [(1, "Another loan?", ANSWER), (2, ASK, ANSWER)]
    assert said(new) == [(1, ASK, ANSWER)]


def said(handler):
    """Return number and words of each turn; a turn that takes the place of another is none."""
    turns = [turn for turn in handler.turns if not turn.is_redo]
    return [(turn.drift.turn_number, turn.user_message, turn.assistant_response) for turn in turns]


if __name__ == "__main__":
    pause(sys.argv[1])
