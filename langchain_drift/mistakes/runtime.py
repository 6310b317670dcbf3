"""The memory at work: store, view, embedder, metrics and settings of one guard."""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Literal, Unpack

from langchain_core.embeddings import Embeddings

from langchain_drift.embeddings.default import default_embeddings
from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.embeddings.sentence_transformer import SentenceTransformerEmbeddings
from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.action import Action, ActionLike, read_action
from langchain_drift.mistakes.event import Event, Kind
from langchain_drift.mistakes.evidence import Question
from langchain_drift.mistakes.hypothesis import is_guess
from langchain_drift.mistakes.metrics import DriftGuardMetrics, MetricsSnapshot
from langchain_drift.mistakes.recording import (
    Details,
    Recorded,
    ScopeLike,
    aembed_action,
    embed_action,
    make_event,
    make_record,
    utc,
)
from langchain_drift.mistakes.review import GuardReview
from langchain_drift.mistakes.reviewing import make_review
from langchain_drift.mistakes.scope import Scope, as_scope
from langchain_drift.mistakes.settings import BUNDLED_MODEL, DriftGuardSettings, load_settings
from langchain_drift.mistakes.stores.opening import open_store
from langchain_drift.mistakes.stores.protocol import EventLog
from langchain_drift.mistakes.stores.search import Wanted
from langchain_drift.mistakes.transient import is_transient
from langchain_drift.mistakes.upkeep import Upkeep
from langchain_drift.mistakes.vectors import Vector
from langchain_drift.mistakes.view import make_view


class DriftGuardRuntime:
    """The memory without a policy; safe to share between threads.

    Args:
        settings: By default from the environment.
        store: Where events are kept; by default what the settings say.
        embeddings: Embedder for prose; by default what the settings say.
        metrics: Counters to go on with; by default new ones.
        clock: Returns the present in seconds since 1970.

    Raises:
        InvalidInputError: If the settings are none.
        StoreError: If the store cannot be opened.
    """

    def __init__(
        self,
        settings: DriftGuardSettings | None = None,
        *,
        store: EventLog | None = None,
        embeddings: Embeddings | None = None,
        metrics: DriftGuardMetrics | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if settings is not None and not isinstance(settings, DriftGuardSettings):
            message = (
                f"settings is {settings!r:.80}, but must be a DriftGuardSettings, such as "
                "DriftGuardSettings(sqlite_filepath='memory.sqlite3')."
            )
            raise InvalidInputError(message)
        self.settings = settings or load_settings()
        self.store = store or open_store(self.settings)
        self.embeddings = embeddings or open_embeddings(self.settings)
        self.metrics = metrics or DriftGuardMetrics()
        self.clock = clock
        self._known_fingerprint: str | None = None
        self._view = make_view(self.store, self.fingerprint)
        self.upkeep = Upkeep(self.store, self._view, self.embeddings, self.settings)

    def query_memory(self, action: ActionLike, *, scope: ScopeLike = None) -> GuardReview:
        """Review an action; see `DriftGuard.review`."""
        read = read_action(action)
        return self._review(read, embed_action(read, self.embeddings), scope)

    async def aquery_memory(self, action: ActionLike, *, scope: ScopeLike = None) -> GuardReview:
        """Review an action without blocking the event loop."""
        read = read_action(action)
        vector = await aembed_action(read, self.embeddings)
        return await asyncio.to_thread(self._review, read, vector, scope)

    def register_mistake(
        self, action: ActionLike, feedback: str = "", outcome: str = "", **details: Unpack[Details]
    ) -> Recorded:
        """Keep a mistake; see `DriftGuard.record`."""
        return self.register("mistake", action, feedback, outcome, **details)

    def register_success(
        self, action: ActionLike, feedback: str = "", outcome: str = "", **details: Unpack[Details]
    ) -> Recorded:
        """Keep a success; see `DriftGuard.record_success`."""
        return self.register("success", action, feedback, outcome, **details)

    def register(
        self,
        kind: Kind,
        action: ActionLike,
        feedback: str,
        outcome: str,
        **details: Unpack[Details],
    ) -> Recorded:
        """Keep an event of a kind."""
        read, event, passing = self._prepare(kind, action, feedback, outcome, **details)
        if passing:
            return self._leave(event)
        return self._keep(read, event, embed_action(read, self.embeddings))

    async def aregister(
        self,
        kind: Kind,
        action: ActionLike,
        feedback: str,
        outcome: str,
        **details: Unpack[Details],
    ) -> Recorded:
        """Keep an event of a kind without blocking the event loop."""
        read, event, passing = self._prepare(kind, action, feedback, outcome, **details)
        if passing:
            return self._leave(event)
        vector = await aembed_action(read, self.embeddings)
        return await asyncio.to_thread(self._keep, read, event, vector)

    def deep_prune(self, *, scope: ScopeLike = None, dry_run: bool = False) -> dict[str, Any]:
        """Hide what is weak or stale; see `DriftGuard.prune`."""
        summary = self.upkeep.prune(self.scope_key(scope), now=self.clock(), dry_run=dry_run)
        if not dry_run:
            self.metrics.count(
                prune_runs=1,
                prune_nodes_removed=summary["nodes_removed"],
                prune_edges_removed=summary["edges_removed"],
            )
        return summary

    def graph_stats(self, *, scope: ScopeLike = None) -> dict[str, Any]:
        """Return how many events, memories, nodes and edges there are; see `DriftGuard.stats`."""
        return self.upkeep.stats(self.scope_key(scope))

    def metrics_snapshot(self) -> MetricsSnapshot:
        """Return all counters and gauges."""
        return self.metrics.snapshot()

    def fingerprint(self) -> str:
        """Return the identity of the embedder."""
        if self._known_fingerprint is None:
            self._known_fingerprint = fingerprint(self.embeddings)
        return self._known_fingerprint

    def close(self) -> None:
        """Let go of the store; nothing is lost, and a later call opens it again."""
        self._view.close()
        self.store.close()

    def scope_key(self, scope: ScopeLike) -> str:
        """Return the key of a scope; None is the scope of the settings."""
        return as_scope(self.settings.scope if scope is None else scope).key

    def _review(self, action: Action, vector: Vector | None, scope: ScopeLike) -> GuardReview:
        settings = self.settings
        wanted = Wanted(action, vector, settings.retrieval_min_similarity)
        with self._view.open(self.scope_key(scope), wanted) as index:
            question = Question(
                action=action,
                vector=vector,
                index=index,
                now=self.clock(),
                least_similarity=settings.retrieval_min_similarity,
                recency_weight=settings.retrieval_recency_weight,
            )
            return make_review(question, settings)

    def _prepare(
        self,
        kind: Kind,
        action: ActionLike,
        feedback: str,
        outcome: str,
        **details: Unpack[Details],
    ) -> tuple[Action, Event, bool]:
        """Return the action, its event, and whether it is a passing failure, not to be kept."""
        hypothesis, transient = details.get("hypothesis"), details.get("transient")
        read, event = make_event(
            action,
            kind=kind,
            feedback=feedback,
            outcome=outcome,
            scope=Scope.from_key(self.scope_key(details.get("scope"))),
            event_id=details.get("event_id"),
            at=details.get("at") or utc(self.clock()),
            source=details.get("source", ""),
            hypothesis=is_guess(str(feedback)) if hypothesis is None else hypothesis,
        )
        if kind == "success" or (self.settings.learn_transient and not transient):
            return read, event, False
        return read, event, is_transient(event.feedback) if transient is None else transient

    def _leave(self, event: Event) -> Recorded:
        self.metrics.count(transients=1)
        return _told("transient", event)

    def _keep(self, action: Action, event: Event, vector: Vector | None) -> Recorded:
        record = make_record(action, event, vector)
        identity = "" if vector is None else self.fingerprint()
        counts = self._view.keep(record, identity)
        if counts is None:
            self.metrics.count(duplicates=1)
            return _told("duplicate", event)
        self.metrics.count(records=1, **counts)
        return _told("stored", event)


def build_runtime(
    *,
    settings: DriftGuardSettings | None = None,
    store: EventLog | None = None,
    embeddings: Embeddings | None = None,
    metrics: DriftGuardMetrics | None = None,
    clock: Callable[[], float] = time.time,
) -> DriftGuardRuntime:
    """Return a memory without a policy; see `DriftGuardRuntime`."""
    return DriftGuardRuntime(
        settings, store=store, embeddings=embeddings, metrics=metrics, clock=clock
    )


def open_embeddings(settings: DriftGuardSettings) -> Embeddings:
    """Return the embedder of some settings.

    Raises:
        MissingExtraError: If it is not the bundled one and sentence-transformers is not installed.
    """
    device = settings.embedding_device
    if settings.embedding_model_name == BUNDLED_MODEL and device in (None, "cpu"):
        return default_embeddings()
    return SentenceTransformerEmbeddings(settings.embedding_model_name, device)


def _told(status: Literal["stored", "duplicate", "transient"], event: Event) -> Recorded:
    return {
        "status": status,
        "event_id": event.event_id,
        "action": event.action,
        "feedback": event.feedback,
        "outcome": event.outcome,
        "hypothesis": event.hypothesis,
    }
