"""Sessions in a graph on an SQLite checkpointer: drift and summaries survive restarts and forks.

Needs the extra `sqlite`: `pip install 'langchain-drift[sqlite]'`.
"""

import tempfile
from pathlib import Path
from typing import Any

from fake_model import FakeModel
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from langchain_drift import (
    DriftState,
    make_end_session_node,
    make_inject_node,
    make_score_node,
    make_should_end_session,
)

PROMPT = "You are a banking assistant. Help with savings accounts, credit cards and loans."
model = FakeModel(
    "The Acme Rewards card costs 49 euros a year.",
    "Boil it for nine minutes, and salt the water well.",
    "A home loan needs proof of income and a down payment.",
    "The year after, the card costs 59 euros.",
)
# A hosted one by one line: model = ChatOpenAI(model="gpt-5-mini"), from langchain_openai.


def reply(state: DriftState) -> dict[str, list[object]]:
    """Answer on the managed context: the prompt, summaries, the live messages."""
    return {"messages": [model.invoke(state["drift_context"])]}


builder = StateGraph(DriftState)
builder.add_node("inject", make_inject_node(PROMPT, max_tokens=4000, remind=True))
builder.add_node("reply", reply)
builder.add_node("score", make_score_node(PROMPT))
builder.add_node("end_session", make_end_session_node(max_summaries=3))
builder.add_edge(START, "inject")
builder.add_edge("inject", "reply")
builder.add_edge("reply", "score")
builder.add_conditional_edges(
    "score", make_should_end_session(max_turns=3), {"end_session": "end_session", "continue": END}
)
config: Any = {"configurable": {"thread_id": "ann"}}


def show(path: Path, question: str, at: Any = config) -> Any:  # noqa: ANN401 - a config
    """Open the database anew, as after a restart, ask, and tell what is kept."""
    with SqliteSaver.from_conn_string(str(path)) as saver:
        graph = builder.compile(checkpointer=saver)
        state = graph.invoke({"messages": [("human", question)]}, at)
        kept = [f"{turn['score']:.0f}" for turn in state["drift_turns"]]
        print(f"{question}\n  scores {', '.join(kept)}; session {state.get('drift_session') or 1}")
        for each in state["drift_summaries"]:
            print(f"  summary of session {each['session']}: {each['summary']}")
        return graph.get_state(config).config


with tempfile.TemporaryDirectory() as folder:
    database = Path(folder) / "chats.sqlite"
    first = show(database, "What does the Acme Rewards card cost?")
    show(database, "How long do I boil spaghetti?")
    show(database, "And what do I need for a home loan?")
    # Back to the first turn: the fork has its history, and none of what came later.
    show(database, "And the year after?", first)
