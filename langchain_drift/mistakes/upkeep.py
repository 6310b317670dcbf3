"""What is done to a memory as a whole: statistics, graphs, pruning, purging, embedding again."""

from collections.abc import Iterator
from typing import Any, Final

import networkx as nx
from langchain_core.embeddings import Embeddings

from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.mistakes.event import Kind
from langchain_drift.mistakes.graph import build_graph, merge_nodes
from langchain_drift.mistakes.prune import plan_prune
from langchain_drift.mistakes.recording import embed_records
from langchain_drift.mistakes.settings import DriftGuardSettings
from langchain_drift.mistakes.stores.protocol import EventLog
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.view import View

_KINDS: Final[tuple[tuple[str, Kind], ...]] = (("mistakes", "mistake"), ("successes", "success"))


class Upkeep:
    """Looks after the memory of a guard.

    Args:
        store: The events.
        view: The view of the same store.
        embeddings: Embedder for prose.
        settings: The thresholds.
    """

    def __init__(
        self,
        store: EventLog,
        view: View,
        embeddings: Embeddings,
        settings: DriftGuardSettings,
    ) -> None:
        self._store, self._view = store, view
        self._embeddings, self._settings = embeddings, settings

    def graph(self, scope: str, kind: Kind, *, merged: bool) -> nx.DiGraph:
        """Return the whole graph of a scope's mistakes or successes."""
        graph = build_graph(self._view.records(scope, kind))
        return merge_nodes(graph, self._embeddings, self._settings) if merged else graph

    def neighbourhood(self, scope: str, event_ids: frozenset[str], kind: Kind) -> nx.DiGraph:
        """Return the graph of some events and of all others of the same actions."""
        records = list(self._view.records(scope, kind))
        keys = {record.key for record in records if record.event_id in event_ids}
        return build_graph(record for record in records if record.key in keys)

    def stats(self, scope: str) -> dict[str, Any]:
        """Count the events, memories, nodes and edges of a scope."""
        found: dict[str, Any] = {}
        for name, kind in _KINDS:
            records = list(self._view.records(scope, kind))
            graph = build_graph(records)
            found[name] = {
                "events": len(records),
                "memories": len({record.key for record in records}),
                "nodes": graph.number_of_nodes(),
                "edges": graph.number_of_edges(),
            }
        found["hidden_events"] = sum(1 for _ in self._store.read(scope, hidden=True))
        found["scopes"] = len(self._store.scopes())
        return found

    def prune(self, scope: str, *, now: float, dry_run: bool) -> dict[str, Any]:
        """Hide what is weak or stale, and tell what."""
        plan = plan_prune(
            self._store.read(scope),
            now=now,
            stale_days=self._settings.prune_node_stale_days,
            min_frequency=self._settings.prune_edge_min_frequency,
        )
        if not dry_run:
            self._store.hide(scope, [*plan.weak, *plan.stale])
        return {
            "dry_run": dry_run,
            "hidden_events": len(plan.weak) + len(plan.stale),
            "weak_events": len(plan.weak),
            "stale_events": len(plan.stale),
            "nodes_removed": plan.nodes,
            "edges_removed": plan.edges,
            "isolated_nodes_removed": plan.isolated,
        }

    def purge(self, scope: str, *, dry_run: bool) -> dict[str, Any]:
        """Delete the hidden events of a scope for good, or tell which that would be."""
        hidden = [record.event_id for record in self._store.read(scope, hidden=True)]
        if not dry_run:
            self._store.purge(scope, hidden)
        return {"dry_run": dry_run, "events": len(hidden), "event_ids": hidden}

    def reembed(self) -> int:
        """Compute all vectors anew with the embedder in use; return how many events have one."""
        vectors: dict[tuple[str, str], bytes | None] = {}
        identity = fingerprint(self._embeddings)
        missing = list(self._everything())
        while missing:
            vectors |= embed_records(missing, self._embeddings)
            missing = self._store.replace_vectors(vectors, identity)
        return sum(vector is not None for vector in vectors.values())

    def _everything(self) -> Iterator[Record]:
        yield from self._store.read()
        yield from self._store.read(hidden=True)
