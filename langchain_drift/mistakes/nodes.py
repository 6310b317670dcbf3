"""The nodes and edges that an event adds to a graph, by their spelling."""

from itertools import pairwise
from typing import Literal

from langchain_drift.mistakes.stores.record import Record

Role = Literal["action", "feedback", "outcome"]
Node = tuple[Role, str]


def chain_of(record: Record) -> tuple[Node, ...]:
    """Return the nodes of an event: its action, and its feedback and outcome if it has them.

    The same action but for spelling is one node, and so is the same feedback or outcome but for
    capitals and white space. A text in two roles is two nodes.
    """
    nodes: list[Node] = [("action", record.key)]
    texts: tuple[tuple[Role, str], ...] = (
        ("feedback", record.feedback),
        ("outcome", record.outcome),
    )
    nodes += [(role, flat) for role, text in texts if (flat := " ".join(text.casefold().split()))]
    return tuple(nodes)


class NodeCount:
    """Knows which nodes and edges there are; keeps hashes only."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def add(self, record: Record) -> None:
        """Take the nodes and edges of an event in."""
        nodes, edges = _hashes(record)
        self._seen.update(nodes, edges)

    def count(self, record: Record) -> dict[str, int]:
        """Return how many nodes and edges of an event are new, and how many are not."""
        nodes, edges = _hashes(record)
        new_nodes = sum(node not in self._seen for node in nodes)
        new_edges = sum(edge not in self._seen for edge in edges)
        return {
            "nodes_created": new_nodes,
            "nodes_merged": len(nodes) - new_nodes,
            "edges_created": new_edges,
            "edges_reused": len(edges) - new_edges,
        }


def _hashes(record: Record) -> tuple[list[int], list[int]]:
    nodes = chain_of(record)
    edges = pairwise(nodes)
    return [hash((record.kind, n)) for n in nodes], [hash((record.kind, e)) for e in edges]
