"""The door for LangGraph graphs that keep a conversation's drift and sessions in their state."""

from langchain_drift.session_nodes.edges import (
    make_should_end_session,
    route_drift,
    should_end_session,
)
from langchain_drift.session_nodes.end import make_end_session_node
from langchain_drift.session_nodes.mirror import aread_summaries, read_summaries
from langchain_drift.session_nodes.nodes import make_inject_node, make_score_node
from langchain_drift.session_nodes.state import DriftState

__all__ = [
    "DriftState",
    "aread_summaries",
    "make_end_session_node",
    "make_inject_node",
    "make_score_node",
    "make_should_end_session",
    "read_summaries",
    "route_drift",
    "should_end_session",
]
