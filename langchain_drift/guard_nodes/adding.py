"""A guard put before a node of a graph, with its edges."""

from typing import Any, TypedDict, Unpack

from langgraph.graph import END, StateGraph

from langchain_drift.errors import InvalidInputError
from langchain_drift.guard_nodes.acknowledge import make_acknowledge_node
from langchain_drift.guard_nodes.guard import make_guard_node
from langchain_drift.guard_nodes.keys import ActionOf
from langchain_drift.guard_nodes.record import make_record_node
from langchain_drift.guard_nodes.route import make_guard_route
from langchain_drift.mistakes.settings import Policy
from langchain_drift.tool_guard.place import GuardOf, ScopeOf


class GuardNodeOptions(TypedDict, total=False):
    """What `add_guard` passes on; see `make_guard_node`."""

    action_key: str
    action_of: ActionOf
    acknowledged_key: str
    policy: Policy
    min_confidence: float
    scope: ScopeOf
    revisions: int


def add_guard(  # noqa: PLR0913 - where the guard stands is keyword only
    builder: StateGraph[Any, Any, Any, Any],
    guard: GuardOf = None,
    *,
    before: str,
    revise: str | None = None,
    blocked: str = END,
    record: bool = True,
    **options: Unpack[GuardNodeOptions],
) -> None:
    """Put a guard before a node of a graph, and a record behind it.

    Adds the nodes `guard`, `acknowledge` and `record`. Edges that lead to the node so far, plain
    or conditional ones with a `path_map`, lead to the guard from now on, and those that leave it
    leave the record; so call this after they are there. A `Command` or `Send` that goes to the
    node itself is not guarded: guard the calls there, with `guard_tool_call`.

    Args:
        builder: The graph. Let its schema inherit from `GuardState`.
        guard: The guard; see `make_guard_node`.
        before: The node that executes.
        revise: The node that plans; None to send nothing back.
        blocked: Where what may not run goes; by default the run ends.
        record: Whether to add the record.
        **options: See `make_guard_node`.

    Raises:
        InvalidInputError: If a node is not there, or edges cannot be led through the guard.

    Example:
        ```python
        add_guard(builder, guard, before="execute", revise="planner", policy="block")
        ```
    """
    for name in filter(None, (before, revise, blocked)):
        if name != END and name not in builder.nodes:
            message = f"The graph has no node {name!r}; add it before the guard."
            raise InvalidInputError(message)
    _lead_to(builder, before, "guard")
    if revise is None:
        options["revisions"] = 0
    route = make_guard_route(execute=before, blocked=blocked, revise=revise or blocked)
    ways = list(dict.fromkeys(filter(None, (before, blocked, revise))))
    key = options.get("action_key", "candidate_action")
    builder.add_node("guard", make_guard_node(guard, **options))
    builder.add_node("acknowledge", make_acknowledge_node(action_key=key))
    builder.add_conditional_edges("guard", route, [*ways, "acknowledge"])
    builder.add_conditional_edges("acknowledge", route, ways)
    if record:
        _leave_from(builder, before, "record")
        action_of, scope = options.get("action_of"), options.get("scope")
        node = make_record_node(guard, action_key=key, action_of=action_of, scope=scope)
        builder.add_node("record", node)
        builder.add_edge(before, "record")


def _lead_to(builder: StateGraph[Any, Any, Any, Any], node: str, guard: str) -> None:
    """Let the edges to a node lead to its guard."""
    to_node = {edge for edge in builder.edges if edge[1] == node}
    builder.edges -= to_node
    builder.edges |= {(start, guard) for start, _ in to_node}
    for source, branches in builder.branches.items():
        for name, branch in branches.items():
            if branch.ends is None:
                message = (
                    f"The conditional edges of {source!r} have no path_map, so nothing tells "
                    f"whether they lead to {node!r}. Give them one before adding the guard."
                )
                raise InvalidInputError(message)
            ends = {key: guard if end == node else end for key, end in branch.ends.items()}
            branches[name] = branch._replace(ends=ends)


def _leave_from(builder: StateGraph[Any, Any, Any, Any], node: str, record: str) -> None:
    """Let the edges from a node leave its record."""
    from_node = {edge for edge in builder.edges if edge[0] == node}
    builder.edges -= from_node
    builder.edges |= {(record, end) for _, end in from_node}
    if node in builder.branches:
        builder.branches[record] = builder.branches.pop(node)
