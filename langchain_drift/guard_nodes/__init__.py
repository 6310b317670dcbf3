"""The door for LangGraph graphs: nodes and routes around a step that may fail again."""

from langchain_drift.guard_nodes.acknowledge import make_acknowledge_node
from langchain_drift.guard_nodes.adding import add_guard
from langchain_drift.guard_nodes.guard import make_guard_node
from langchain_drift.guard_nodes.record import make_record_node
from langchain_drift.guard_nodes.route import make_guard_route, route_guard
from langchain_drift.guard_nodes.state import (
    ActionOutcome,
    GuardDecision,
    GuardRecord,
    GuardState,
    ReviewedAction,
)

__all__ = [
    "ActionOutcome",
    "GuardDecision",
    "GuardRecord",
    "GuardState",
    "ReviewedAction",
    "add_guard",
    "make_acknowledge_node",
    "make_guard_node",
    "make_guard_route",
    "make_record_node",
    "route_guard",
]
