"""Runs a graph with sessions on a shared SQLite checkpoint file: `PATH THREAD TURNS`."""

import sys

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

from langchain_drift import (
    DriftScorer,
    DriftState,
    KeywordStrategy,
    make_end_session_node,
    make_score_node,
    make_should_end_session,
)


def main() -> None:
    """Say so many things in a thread; end a session at every fifth."""
    path, thread, turns = sys.argv[1:]
    scorer = DriftScorer("Help with loans.", strategy=KeywordStrategy())
    builder = StateGraph(DriftState)
    builder.add_node("reply", lambda state: {"messages": [AIMessage("About loans.")]})
    builder.add_node("score", make_score_node(scorer))
    builder.add_node("end", make_end_session_node())
    builder.add_edge(START, "reply")
    builder.add_edge("reply", "score")
    builder.add_conditional_edges(
        "score",
        make_should_end_session(max_turns=5),
        {"end_session": "end", "continue": "__end__"},
    )
    config = {"configurable": {"thread_id": thread}}
    with SqliteSaver.from_conn_string(path) as saver:
        graph = builder.compile(checkpointer=saver)
        for number in range(int(turns)):
            said = HumanMessage(f"loan {thread}{number}", id=f"{thread}{number}")
            graph.invoke({"messages": [said]}, config)


main()
