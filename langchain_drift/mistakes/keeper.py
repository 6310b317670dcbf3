"""The memory of a guard as a whole: look at it, draw it, prune it, embed it again."""

from typing import Any

import networkx as nx

from langchain_drift.mistakes.action import ActionLike
from langchain_drift.mistakes.event import Event, Kind
from langchain_drift.mistakes.recording import ScopeLike
from langchain_drift.mistakes.runtime import DriftGuardRuntime
from langchain_drift.mistakes.scope import Scope


class MemoryKeeper:
    """What people do with a memory between runs.

    Args:
        runtime: The memory.

    Attributes:
        runtime: The memory.
        settings: Its settings.
    """

    def __init__(self, runtime: DriftGuardRuntime) -> None:
        self.runtime = runtime
        self.settings = runtime.settings

    def events(self, *, scope: ScopeLike = None, hidden: bool = False) -> list[Event]:
        """Return the visible events of a scope in the order they were told, or the hidden ones."""
        key = self.runtime.scope_key(scope)
        return [record.to_event() for record in self.runtime.store.read(key, hidden=hidden)]

    def scopes(self) -> dict[Scope, int]:
        """Return all scopes with their number of visible events."""
        found = self.runtime.store.scopes()
        return {Scope.from_key(key): count for key, count in found.items()}

    def graph(
        self,
        kind: Kind = "mistake",
        *,
        scope: ScopeLike = None,
        around: ActionLike | None = None,
        merged: bool = False,
    ) -> nx.DiGraph:
        """Return the graph of mistakes, or of successes, as a networkx DiGraph.

        Args:
            kind: `mistake` or `success`; the two never touch.
            scope: Whose memory.
            around: Only what a review of this action stands on.
            merged: Whether nodes that are one by the merge rules become one. Compares all nodes
                of a role with one another.
        """
        upkeep, key = self.runtime.upkeep, self.runtime.scope_key(scope)
        if around is None:
            return upkeep.graph(key, kind, merged=merged)
        review = self.runtime.query_memory(around, scope=scope)
        ids = frozenset(name for warning in review.warnings for name in warning.event_ids)
        return upkeep.neighbourhood(key, ids, kind)

    def prune(self, *, scope: ScopeLike = None, dry_run: bool = False) -> dict[str, Any]:
        """Hide rare chains and actions that were not seen for long; see `plan_prune`.

        Hidden events can be shown again with `unhide`; `purge` deletes them.
        """
        return self.runtime.deep_prune(scope=scope, dry_run=dry_run)

    def hide(self, event_ids: list[str], *, scope: ScopeLike = None) -> int:
        """Hide events by id; return how many were visible."""
        return self.runtime.store.hide(self.runtime.scope_key(scope), event_ids)

    def unhide(self, event_ids: list[str], *, scope: ScopeLike = None) -> int:
        """Show hidden events again; return how many were hidden."""
        return self.runtime.store.hide(self.runtime.scope_key(scope), event_ids, hidden=False)

    def purge(self, *, scope: ScopeLike = None, dry_run: bool = True) -> dict[str, Any]:
        """Delete the hidden events for good; by default only tell which."""
        return self.runtime.upkeep.purge(self.runtime.scope_key(scope), dry_run=dry_run)

    def reembed(self) -> int:
        """Embed the whole memory again with the embedder in use, all scopes at once."""
        return self.runtime.upkeep.reembed()

    def stats(self, *, scope: ScopeLike = None) -> dict[str, Any]:
        """Return how many events, memories, nodes and edges a scope has, and the metrics."""
        return self.runtime.graph_stats(scope=scope) | {"metrics": self.runtime.metrics.snapshot()}

    def close(self) -> None:
        """Let go of the store; nothing is lost."""
        self.runtime.close()
