"""Events on LangGraph's `BaseStore`: whatever keeps a deployment's long-term memory."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

from langgraph.errors import GraphBubbleUp
from langgraph.store.base import BaseStore, Op, PutOp

from langchain_drift.errors import DriftError, InvalidInputError, StoreError
from langchain_drift.langgraph_store.items import Entry, Head, Namespace, in_digits
from langchain_drift.langgraph_store.labels import key_of
from langchain_drift.langgraph_store.mirror import Mirror, is_acknowledged
from langchain_drift.langgraph_store.session import Session
from langchain_drift.langgraph_store.shelf import Shelf
from langchain_drift.mistakes.stores.per_process import PerProcess
from langchain_drift.mistakes.stores.protocol import Changes
from langchain_drift.mistakes.stores.record import Record

_IDLE: Final = timedelta(days=7)
_MOST_IDLE: Final = 64


class LangGraphStore:
    """Keeps events on any LangGraph store, one item each, and in memory what it has read.

    No item is ever counted up, because such stores lose updates; each event is an item of its own,
    and what comes of them is computed on reading. Before each review the heads of the writers are
    read (one small item for each process that ever wrote to the scope), and then what is new.
    Vectors are those of the guard's embedder, whether the store has an index or not. All scopes but
    the 256 used last are forgotten and read again when they are asked for.

    How durable events are, and how soon others see them, is up to the store. An `Async…` store is
    to be called from a thread, as the async methods of a guard do.

    Args:
        store: Where to keep them.
        namespace: Where in the store; not `langgraph` at first.
        index: Fields that the store shall index for searches of its own, such as `action`; None to
            keep its embedder out of it.

    Raises:
        InvalidInputError: If the store is none, or the namespace is not allowed.

    Example:
        ```python
        guard = DriftGuard(store=LangGraphStore(InMemoryStore()))
        ```
    """

    def __init__(
        self,
        store: BaseStore,
        *,
        namespace: Sequence[str] = ("langchain-drift",),
        index: Sequence[str] | None = None,
    ) -> None:
        if not isinstance(store, BaseStore):
            message = f"store is {store!r:.80}, but must be a BaseStore of LangGraph."
            raise InvalidInputError(message)
        self.store, self.index = store, index
        self.namespace = _checked(namespace)
        self._shelf = Shelf(store, self.namespace)
        self._session = PerProcess(Session)

    def append(self, records: Sequence[Record], fingerprint: str) -> list[bool]:
        """Append records; return which of them were new."""
        with self._working() as session:
            if any(record.vector is not None for record in records):
                self._shelf.check_embedder(fingerprint)
            mirrors = {r.scope: self._up_to_date(session, r.scope) for r in records}
            are_new, new = session.make_entries(records, mirrors, self._there(mirrors, records))
            for scope, entries in new.items():
                if entries:
                    self._write(session, scope, mirrors[scope], entries, appended=True)
            return are_new

    def changes(self, scope: str, since: str | None = None) -> Changes:
        """Return what changed in a scope since a cursor."""
        with self._working() as session:
            return self._up_to_date(session, scope).log.changes(scope, since)

    def hide(self, scope: str, event_ids: Sequence[str], *, hidden: bool = True) -> int:
        """Hide events, or show them again at their old place; return how many were turned."""
        with self._working() as session:
            mirror = self._up_to_date(session, scope)
            found = (mirror.entries.get(name) for name in dict.fromkeys(event_ids))
            turned = [e.turned(hidden=hidden) for e in found if e and e.hidden != hidden]
            if turned:
                self._write(session, scope, mirror, turned)
                mirror.log.hide(scope, [e.record.event_id for e in turned], hidden=hidden)
            return len(turned)

    def purge(self, scope: str, event_ids: Sequence[str]) -> int:
        """Delete events for good; return how many there were."""
        with self._working() as session:
            mirror = self._up_to_date(session, scope)
            purged = [name for name in dict.fromkeys(event_ids) if name in mirror.entries]
            if purged:
                place = (*self._shelf.place(scope), "events")
                deletions = [PutOp(place, key_of(name), None) for name in purged]
                self._write(session, scope, mirror, [], deletions)
                for name in purged:
                    del mirror.entries[name]
                mirror.log.purge(scope, purged)
            return len(purged)

    def read(self, scope: str | None = None, *, hidden: bool = False) -> Iterator[Record]:
        """Yield the visible records of one scope or of all, oldest first; or the hidden ones."""
        with self._working() as session:
            keys = self._shelf.scopes() if scope is None else [scope]
        for key in keys:
            with self._working() as session:
                found = list(self._up_to_date(session, key).log.read(key, hidden=hidden))
            yield from found

    def scopes(self) -> dict[str, int]:
        """Return the keys of all scopes with their number of visible events."""
        found: dict[str, int] = {}
        with self._working() as session:
            for key in self._shelf.scopes():
                found |= self._up_to_date(session, key).log.scopes()
        return found

    def fingerprint(self) -> str | None:
        """Return the identity of the embedder of the vectors, None if none was recorded."""
        with self._working():
            return self._shelf.embedder()

    def replace_vectors(
        self, vectors: Mapping[tuple[str, str], bytes | None], fingerprint: str
    ) -> list[Record]:
        """Replace all vectors; return the records that have none, if so nothing was replaced.

        A store has no transactions over several calls: if it fails on the way, call again.
        """
        with self._working() as session:
            mirrors = {key: self._up_to_date(session, key) for key in self._shelf.scopes()}
            everything = [(k, e) for k, mirror in mirrors.items() for e in mirror.entries.values()]
            missing = [e.record for k, e in everything if (k, e.record.event_id) not in vectors]
            if missing:
                return missing
            for key, mirror in mirrors.items():
                entries = [e.embedded(vectors[key, name]) for name, e in mirror.entries.items()]
                self._write(session, key, mirror, entries)
            self._shelf.put_embedder(fingerprint)
            session.mirrors.clear()
            return []

    def close(self) -> None:
        """Forget what was read; the store itself belongs to who made it."""
        session = self._session.get()
        with session.lock:
            session.mirrors.clear()

    @contextmanager
    def _working(self) -> Iterator[Session]:
        """Give what this process knows to one thread; the one boundary to a foreign store."""
        session = self._session.get()
        try:
            with session.lock:
                yield session
        except (GraphBubbleUp, DriftError):
            raise
        except Exception as error:
            session.mirrors.clear()
            message = (
                f"The memory in the {type(self.store).__name__} cannot be used: "
                f"{type(error).__name__}: {error}. What was acknowledged is kept; see to the "
                "store, or pass another one."
            )
            raise StoreError(message) from error

    def _up_to_date(self, session: Session, scope: str) -> Mirror:
        """Return a scope as it is now: what is new is read, and all if anything else happened."""
        mirror = session.mirrors.get(scope)
        if mirror is None:
            self._shelf.fold(scope, datetime.now(UTC) - _IDLE, _MOST_IDLE)
        heads = self._shelf.heads(scope)
        if mirror is None or mirror.is_altered(heads):
            mirror = Mirror()
            mirror.take(self._shelf.entries(scope), heads)
        elif heads != mirror.heads:
            new: list[Entry] = []
            for writer, head in heads.items():
                known = mirror.heads.get(writer, Head()).number
                if head.number > known:
                    newer = {"writer": writer, "number": {"$gt": in_digits(known)}}
                    new += self._shelf.entries(scope, newer)
            mirror.take(new, heads)
        session.keep(scope, mirror)
        return mirror

    def _there(
        self, mirrors: Mapping[str, Mirror], records: Sequence[Record]
    ) -> set[tuple[str, str]]:
        """Return which events are there already, known here or not."""
        names = dict.fromkeys((record.scope, record.event_id) for record in records)
        seen = {(scope, name) for scope, name in names if name in mirrors[scope].entries}
        asked = [name for name in names if name not in seen]
        for name, entry in zip(asked, self._shelf.entries_of(asked), strict=True):
            # One that its writer did not acknowledge is written anew.
            if entry and is_acknowledged(entry, mirrors[name[0]].heads.get(entry.writer)):
                seen.add(name)
        return seen

    def _write(  # noqa: PLR0913 - what is written, and whose
        self,
        session: Session,
        scope: str,
        mirror: Mirror,
        entries: Sequence[Entry],
        others: Sequence[Op] = (),
        *,
        appended: bool = False,
    ) -> None:
        """Write entries, and then, as their acknowledgement, the head of this writer."""
        place = self._shelf.place(scope)
        writer = entries[0].writer if appended else session.writer_of(scope, mirror)
        head = mirror.heads.get(writer, Head())
        if appended:
            head = Head(head.number + len(entries), head.altered)
        else:
            head = Head(head.number, head.altered + 1)
        if writer not in mirror.heads:
            self._shelf.put_scope(scope)
        written = [entry.put(place, self.index) for entry in entries]
        acknowledged = PutOp((*place, "writers"), writer, head.to_json(), index=False)
        self._shelf.batch([*written, *others])
        self._shelf.batch([acknowledged])
        heads = {**mirror.heads, writer: head}
        if appended:
            mirror.take(entries, heads)
            return
        mirror.heads = heads
        mirror.entries.update((entry.record.event_id, entry) for entry in entries)


def _checked(namespace: Sequence[str]) -> Namespace:
    given = (namespace,) if isinstance(namespace, str) else namespace
    place = tuple(given) if isinstance(given, Sequence) else ()
    wrong = next(
        (name for name in place if not isinstance(name, str) or not name or "." in name), None
    )
    if not place or wrong is not None or place[0] == "langgraph":
        message = (
            f"namespace is {namespace!r:.80}, but must be labels without dots, none empty, and "
            "the first not `langgraph`."
        )
        raise InvalidInputError(message)
    return place
