"""Which events to hide: rare chains, then actions not seen for long, then what stands alone."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from langchain_drift.mistakes.graph import build_graph
from langchain_drift.mistakes.nodes import Node, chain_of
from langchain_drift.mistakes.stores.record import Record

_SECONDS_PER_DAY = 86_400


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """What pruning would hide.

    Attributes:
        weak: Ids of events of chains seen too rarely and not lately.
        stale: Ids of further events, of actions not seen lately at all, however often before.
        nodes: How many nodes the graphs lose.
        edges: How many edges they lose.
        isolated: How many of those nodes are feedback or outcomes that nothing leads to any more.
    """

    weak: tuple[str, ...]
    stale: tuple[str, ...]
    nodes: int
    edges: int
    isolated: int


def plan_prune(
    records: Iterable[Record], *, now: float, stale_days: int, min_frequency: int
) -> PrunePlan:
    """Plan what to hide of the events of one scope.

    First go chains seen fewer times than `min_frequency` whose last sighting is older than
    `stale_days`. Of what remains, actions go whose last event, mistake or success, is older than
    that. What feedback and outcomes nothing leads to afterwards is gone from the view by itself.
    Fresh events stay, however rare.

    Args:
        records: The visible events of a scope.
        now: The present, in seconds since 1970.
        stale_days: At least 1.
        min_frequency: At least 1.
    """
    everything = list(records)
    before = now - stale_days * _SECONDS_PER_DAY
    weak = _weak(everything, before, min_frequency)
    stale = _stale([r for r in everything if r.event_id not in weak], before)
    gone = weak | stale
    kept = [record for record in everything if record.event_id not in gone]
    lost_nodes, lost_edges = _lost(everything, kept)
    return PrunePlan(
        tuple(r.event_id for r in everything if r.event_id in weak),
        tuple(r.event_id for r in everything if r.event_id in stale),
        nodes=len(lost_nodes),
        edges=lost_edges,
        isolated=sum(role != "action" for _, (role, _) in lost_nodes),
    )


def _weak(records: Sequence[Record], before: float, min_frequency: int) -> set[str]:
    chains = [(record.kind, chain_of(record)) for record in records]
    counts = Counter(chains)
    last: dict[tuple[str, tuple[Node, ...]], float] = {}
    for chain, record in zip(chains, records, strict=True):
        last[chain] = max(last.get(chain, 0.0), record.at)
    return {
        record.event_id
        for chain, record in zip(chains, records, strict=True)
        if counts[chain] < min_frequency and last[chain] < before
    }


def _stale(records: Sequence[Record], before: float) -> set[str]:
    last: dict[str, float] = defaultdict(float)
    for record in records:
        last[record.key] = max(last[record.key], record.at)
    return {record.event_id for record in records if last[record.key] < before}


def _lost(records: Sequence[Record], kept: Sequence[Record]) -> tuple[set[tuple[str, Node]], int]:
    nodes: list[set[tuple[str, Node]]] = []
    edges = 0
    for sign, part in ((1, records), (-1, kept)):
        found: set[tuple[str, Node]] = set()
        for kind in ("mistake", "success"):
            graph = build_graph(record for record in part if record.kind == kind)
            found |= {(kind, node) for node in graph}
            edges += sign * graph.number_of_edges()
        nodes.append(found)
    return nodes[0] - nodes[1], edges
