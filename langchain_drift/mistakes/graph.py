"""The graphs of mistakes and of successes: views of events, built when they are asked for."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

import networkx as nx
import numpy as np
from langchain_core.embeddings import Embeddings

from langchain_drift.embeddings.vectors import embed
from langchain_drift.mistakes.action import MEANING
from langchain_drift.mistakes.compare import compare_actions
from langchain_drift.mistakes.messages import read_message
from langchain_drift.mistakes.nodes import Node, Role, chain_of
from langchain_drift.mistakes.settings import DriftGuardSettings
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.text_class import is_code


def build_graph(records: Iterable[Record]) -> nx.DiGraph:
    """Build the graph of some events: action → feedback → outcome.

    Nodes are `(role, identity)` with the attributes `role`, `text` (the wording seen last),
    `wordings`, `frequency`, `first_seen` and `last_seen` (seconds since 1970). Edges have
    `frequency` and `last_seen`. Nothing is merged but what is the same but for spelling; see
    `merge_nodes`.
    """
    graph = nx.DiGraph()
    for record in records:
        nodes = chain_of(record)
        texts = {"action": record.action, "feedback": record.feedback, "outcome": record.outcome}
        for node in nodes:
            _add_node(graph, node, texts[node[0]], record.at)
        for source, target in pairwise(nodes):
            _add_edge(graph, source, target, 1, record.at)
    return graph


def merge_nodes(
    graph: nx.DiGraph, embeddings: Embeddings, settings: DriftGuardSettings
) -> nx.DiGraph:
    """Return a graph in which nodes that are one by the merge rule of their role are one node.

    Args:
        graph: A graph of `build_graph`; it is left as it is.
        embeddings: Embedder for prose.
        settings: The thresholds.
    """
    into: dict[Node, Node] = {}
    roles: tuple[Role, ...] = ("action", "feedback", "outcome")
    for role in roles:
        nodes = [node for node in graph if node[0] == role]
        for first, second in _pairs(graph, nodes, role, embeddings, settings):
            left, right = graph.nodes[first]["text"], graph.nodes[second]["text"]
            same = compare_actions(left, right, role, settings=settings, embeddings=embeddings)
            if same.merges:
                into[_end(into, second)] = _end(into, first)
    merged = nx.DiGraph()
    for node, data in graph.nodes(data=True):
        _join_node(merged, _end(into, node), data)
    for source, target, data in graph.edges(data=True):
        ends = _end(into, source), _end(into, target)
        _add_edge(merged, *ends, data["frequency"], data["last_seen"])
    return merged


def _pairs(
    graph: nx.DiGraph,
    nodes: Sequence[Node],
    role: Role,
    embeddings: Embeddings,
    settings: DriftGuardSettings,
) -> Iterator[tuple[Node, Node]]:
    """Yield the pairs of nodes that might merge.

    Code merges by its exact spelling only, messages that name something by the same names, and all
    else by meaning.
    """
    prose, named = [], defaultdict(list)
    for node in nodes:
        text = graph.nodes[node]["text"]
        names = frozenset() if role == "action" else read_message(text).names
        if names:
            named[names].append(node)
        elif role != "action" or not is_code(text):
            prose.append(node)
    for group in named.values():
        yield from combinations(group, 2)
    threshold = getattr(settings, f"similarity_threshold_{role}")
    vectors = embed(embeddings, [graph.nodes[node]["text"][:MEANING] for node in prose])
    for row, node in enumerate(prose):
        near = np.flatnonzero(vectors[row + 1 :] @ vectors[row] >= threshold)
        yield from ((node, prose[row + 1 + place]) for place in near)


def _end(into: dict[Node, Node], node: Node) -> Node:
    while node in into and into[node] != node:
        node = into[node]
    return node


def _add_node(graph: nx.DiGraph, node: Node, text: str, at: float) -> None:
    data = {"text": text, "wordings": [text], "frequency": 1, "first_seen": at, "last_seen": at}
    _join_node(graph, node, data)


def _join_node(graph: nx.DiGraph, node: Node, data: dict[str, Any]) -> None:
    if node not in graph:
        graph.add_node(node, role=node[0], **{k: v for k, v in data.items() if k != "role"})
        graph.nodes[node]["wordings"] = list(data["wordings"])
        return
    mine = graph.nodes[node]
    mine["frequency"] += data["frequency"]
    mine["wordings"] = list(dict.fromkeys([*mine["wordings"], *data["wordings"]]))
    mine["first_seen"] = min(mine["first_seen"], data["first_seen"])
    if data["last_seen"] >= mine["last_seen"]:
        mine["last_seen"], mine["text"] = data["last_seen"], data["text"]


def _add_edge(graph: nx.DiGraph, source: Node, target: Node, frequency: int, at: float) -> None:
    if not graph.has_edge(source, target):
        graph.add_edge(source, target, frequency=0, last_seen=at)
    edge = graph.edges[source, target]
    edge["frequency"] += frequency
    edge["last_seen"] = max(edge["last_seen"], at)
