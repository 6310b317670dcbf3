"""The memories of a store: kept up to date scope by scope, or found for each review."""

import gc
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from langchain_drift.errors import EmbedderChangedError
from langchain_drift.mistakes.approximate import ApproximateIndex, is_available, label_of
from langchain_drift.mistakes.event import Kind
from langchain_drift.mistakes.index import ScopeIndex
from langchain_drift.mistakes.nodes import chain_of
from langchain_drift.mistakes.search_index import FoundIndex
from langchain_drift.mistakes.stores.protocol import EventLog
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.stores.search import EventSearch, Wanted

_MOST_SCOPES = 256
_MANY = 2_000


class View(Protocol):
    """What a guard sees of its store; safe to share between threads."""

    @contextmanager
    def open(self, scope: str, wanted: Wanted) -> Iterator[ScopeIndex]:
        """Give the memories of a scope that matter for a review, up to date.

        Raises:
            StoreError: If the store cannot be read.
            EmbedderChangedError: If its vectors come from another embedder.
        """
        ...

    def keep(self, record: Record, fingerprint: str) -> dict[str, int] | None:
        """Append a record; return what it added to the graph, None if the event was known."""
        ...

    def records(self, scope: str, kind: Kind) -> Iterator[Record]:
        """Yield all mistakes or all successes of a scope."""
        ...

    def close(self) -> None:
        """Write what is worth keeping until the next time."""
        ...


def make_view(store: EventLog, fingerprint: Callable[[], str]) -> View:
    """Return the view of a store.

    Args:
        store: The events.
        fingerprint: Returns the identity of the embedder in use; called only if there are vectors.
    """
    if isinstance(store, EventSearch):
        return SearchView(store, store, fingerprint)
    return MemoryView(store, fingerprint)


class SearchView:
    """Asks a store that finds memories itself; nothing is held between two reviews.

    Args:
        log: The events.
        search: The same store, as it is asked.
        fingerprint: Returns the identity of the embedder in use.
    """

    def __init__(self, log: EventLog, search: EventSearch, fingerprint: Callable[[], str]) -> None:
        self._log, self._search, self._fingerprint = log, search, fingerprint

    @contextmanager
    def open(self, scope: str, wanted: Wanted) -> Iterator[ScopeIndex]:
        """Find the memories that matter for a review; see `View.open`."""
        index = FoundIndex(self._search, scope, wanted)
        if wanted.vector is not None and index.fingerprint is not None:
            _check_embedder(index.fingerprint, self._fingerprint())
        yield index

    def keep(self, record: Record, fingerprint: str) -> dict[str, int] | None:
        """Append a record; see `View.keep`."""
        kept = self._search.keep(record, fingerprint)
        if not kept.is_new:
            return None
        nodes = len(chain_of(record))
        return {
            "nodes_created": kept.new_nodes,
            "nodes_merged": nodes - kept.new_nodes,
            "edges_created": kept.new_edges,
            "edges_reused": nodes - 1 - kept.new_edges,
        }

    def records(self, scope: str, kind: Kind) -> Iterator[Record]:
        """Yield all mistakes or all successes of a scope, the oldest first."""
        return (record for record in self._log.read(scope) if record.kind == kind)

    def close(self) -> None:
        """Do nothing: nothing is held."""


@dataclass(slots=True)
class _Scope:
    index: ScopeIndex
    cursor: str | None = None
    approximate: ApproximateIndex | None = None


class MemoryView:
    """Indexes of the scopes of a store, each caught up with the store before it is used.

    The 256 scopes used last are kept; others are read again when they are asked for.

    Args:
        store: The events.
        fingerprint: Returns the identity of the embedder in use; called only for a scope that has
            vectors.
    """

    def __init__(self, store: EventLog, fingerprint: Callable[[], str]) -> None:
        self._store = store
        self._fingerprint = fingerprint
        self._scopes: OrderedDict[str, _Scope] = OrderedDict()
        self._lock = threading.RLock()
        self._may_approximate = is_available()

    @contextmanager
    def open(self, scope: str, wanted: Wanted) -> Iterator[ScopeIndex]:  # noqa: ARG002 - all is here
        """Give the memories of a scope, up to date, to one thread at a time; see `View.open`."""
        with self._lock:
            yield self._catch_up(scope)

    def keep(self, record: Record, fingerprint: str) -> dict[str, int] | None:
        """Append a record; see `View.keep`."""
        with self._lock:
            counts = self._catch_up(record.scope).nodes.count(record)
            return counts if self._store.append([record], fingerprint)[0] else None

    def records(self, scope: str, kind: Kind) -> Iterator[Record]:
        """Yield all mistakes or all successes of a scope, memory by memory."""
        with self._lock:
            found = list(self._catch_up(scope).records(kind))
        yield from found

    def _catch_up(self, scope: str) -> ScopeIndex:
        known = self._scopes.get(scope) or self._begin(scope)
        changes = self._store.changes(scope, known.cursor)
        if changes.reset:
            known = self._begin(scope, known.approximate)
        had_vectors = len(known.index.vectors)
        with _without_collecting() if len(changes.added) > _MANY else nullcontext():
            for record in changes.added:
                known.index.add(record)
        if len(known.index.vectors) > had_vectors == 0:
            stored = self._store.fingerprint()
            if stored is not None:
                _check_embedder(stored, self._fingerprint())
                if known.approximate is not None:
                    known.approximate.fingerprint = stored
        known.cursor = changes.cursor
        self._scopes[scope] = known
        self._scopes.move_to_end(scope)
        if len(self._scopes) > _MOST_SCOPES:
            _, left = self._scopes.popitem(last=False)
            _save(left)
        return known.index

    def close(self) -> None:
        """Write the indexes of large scopes beside the file of the events."""
        with self._lock:
            for known in self._scopes.values():
                _save(known)

    def _begin(self, scope: str, before: ApproximateIndex | None = None) -> _Scope:
        """Begin a scope; an index of neighbours that was there is held to what is now."""
        if not self._may_approximate:
            return _Scope(ScopeIndex())
        stored = self._store.fingerprint() or ""
        if before is None or before.fingerprint != stored:
            before = ApproximateIndex(_file_of(self._store, scope), stored)
        return _Scope(ScopeIndex(approximate=before), approximate=before)


def _save(known: _Scope) -> None:
    if known.approximate is not None:
        known.approximate.save()


def _file_of(store: EventLog, scope: str) -> Path | None:
    """Return where the index of a scope is kept: beside the file of the events, if there is one."""
    path = getattr(store, "path", None)
    if not isinstance(path, Path):
        return None
    return path.with_name(f"{path.name}.near") / f"{label_of(scope):016x}"


def _check_embedder(stored: str, used: str) -> None:
    if stored != used:
        raise EmbedderChangedError(stored, used)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Pause the search for garbage, which takes most of the time of reading a big memory."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
