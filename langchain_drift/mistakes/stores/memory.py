"""Events kept in memory, for tests and short-lived agents."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from uuid import uuid4

from langchain_drift.errors import EmbedderChangedError
from langchain_drift.mistakes.stores.protocol import Changes
from langchain_drift.mistakes.stores.record import Record


@dataclass(slots=True)
class _ScopeLog:
    """The events of one scope in order; hiding, purging and new vectors begin a generation."""

    records: list[Record] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)
    generation: int = 0

    def select(self, *, hidden: bool) -> list[Record]:
        return [record for record in self.records if (record.event_id in self.hidden) == hidden]


class MemoryStore:
    """Keeps events in this process; they are gone when it ends.

    A cursor is `store:generation:events`, so that none is taken for one of another store.

    Args:
        fingerprint: Identity of the embedder of the vectors to come; None to keep the first one.
    """

    def __init__(self, fingerprint: str | None = None) -> None:
        self._scopes: dict[str, _ScopeLog] = {}
        self._fingerprint = fingerprint
        self._name = uuid4().hex
        self._lock = threading.Lock()

    def append(self, records: Sequence[Record], fingerprint: str) -> list[bool]:
        """Append records; return which of them were new."""
        has_vectors = any(record.vector is not None for record in records)
        with self._lock:
            if has_vectors and self._fingerprint not in (None, fingerprint):
                raise EmbedderChangedError(self._fingerprint, fingerprint)
            if has_vectors:
                self._fingerprint = fingerprint
            return [self._append(record) for record in records]

    def changes(self, scope: str, since: str | None = None) -> Changes:
        """Return what changed in a scope since a cursor."""
        with self._lock:
            log = self._scopes.get(scope) or _ScopeLog()
            epoch = f"{self._name}:{log.generation}"
            cursor = f"{epoch}:{len(log.records)}"
            if since == cursor:
                return Changes(cursor)
            before, _, known = (since or "").rpartition(":")
            if before != epoch:
                return Changes(cursor, log.select(hidden=False), reset=since is not None)
            return Changes(cursor, log.records[int(known) :])

    def hide(self, scope: str, event_ids: Sequence[str], *, hidden: bool = True) -> int:
        """Hide events, or show them again at their old place; return how many were turned."""
        with self._lock:
            log = self._scopes.get(scope) or _ScopeLog()
            turned = log.ids.intersection(event_ids)
            turned = turned - log.hidden if hidden else turned & log.hidden
            log.hidden ^= turned
            log.generation += bool(turned)
            return len(turned)

    def purge(self, scope: str, event_ids: Sequence[str]) -> int:
        """Delete events for good; return how many there were."""
        with self._lock:
            log = self._scopes.get(scope) or _ScopeLog()
            purged = log.ids.intersection(event_ids)
            log.records = [record for record in log.records if record.event_id not in purged]
            log.ids -= purged
            log.hidden -= purged
            log.generation += bool(purged)
            return len(purged)

    def read(self, scope: str | None = None, *, hidden: bool = False) -> Iterator[Record]:
        """Yield the visible records of one scope or of all, oldest first; or the hidden ones."""
        with self._lock:
            logs = [log for name, log in self._scopes.items() if scope in (None, name)]
            found = [log.select(hidden=hidden) for log in logs]
        yield from chain.from_iterable(found)

    def scopes(self) -> dict[str, int]:
        """Return the keys of all scopes with their number of visible events."""
        with self._lock:
            return {
                name: len(log.records) - len(log.hidden)
                for name, log in self._scopes.items()
                if log.records
            }

    def fingerprint(self) -> str | None:
        """Return the identity of the embedder of the vectors, None if none was recorded."""
        return self._fingerprint

    def replace_vectors(
        self, vectors: Mapping[tuple[str, str], bytes | None], fingerprint: str
    ) -> list[Record]:
        """Replace all vectors; return the records that have none, if so nothing was replaced."""
        with self._lock:
            everything = [r for log in self._scopes.values() for r in log.records]
            missing = [r for r in everything if (r.scope, r.event_id) not in vectors]
            if missing:
                return missing
            for log in self._scopes.values():
                log.records = [replace(r, vector=vectors[r.scope, r.event_id]) for r in log.records]
                log.generation += 1
            self._fingerprint = fingerprint
            return []

    def entries(self) -> list[tuple[Record, bool]]:
        """Return every record in order, scope by scope, and whether it is hidden."""
        with self._lock:
            return [
                (record, record.event_id in log.hidden)
                for log in self._scopes.values()
                for record in log.records
            ]

    def close(self) -> None:
        """Do nothing: there are no files."""

    def _append(self, record: Record) -> bool:
        log = self._scopes.setdefault(record.scope, _ScopeLog())
        if record.event_id in log.ids:
            return False
        log.ids.add(record.event_id)
        log.records.append(record)
        return True
