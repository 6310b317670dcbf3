"""Runs a graph with sessions in processes on one SQLite checkpoint file: `PATH THREADS TURNS`."""

import os
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
    """Fork a process for each letter of THREADS, so that none spends its life importing."""
    path, threads, turns = sys.argv[1:]
    children = []
    for thread in threads:
        child = os.fork()
        if not child:
            converse(path, thread, int(turns))
            os._exit(0)
        children.append(child)
    sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))


def converse(path: str, thread: str, turns: int) -> None:
    """Say so many things in a thread; end a session at every fifth."""
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
        for number in range(turns):
            said = HumanMessage(f"loan {thread}{number}", id=f"{thread}{number}")
            graph.invoke({"messages": [said]}, config)


main()
