"""Two stores as one: mistakes in the first, successes in the second."""

from collections.abc import Iterator, Mapping, Sequence

from langchain_drift.errors import EmbedderChangedError
from langchain_drift.mistakes.stores.protocol import Changes, EventLog
from langchain_drift.mistakes.stores.record import Record

_BETWEEN = "|"


class SplitStore:
    """Keeps mistakes and successes in a store each, as driftguard-ai kept them in two files.

    A step is atomic within each of the two. An event id is unique within each.

    Args:
        mistakes: Store of the mistakes.
        successes: Store of the successes.
    """

    def __init__(self, mistakes: EventLog, successes: EventLog) -> None:
        self._mistakes, self._successes = mistakes, successes

    def append(self, records: Sequence[Record], fingerprint: str) -> list[bool]:
        """Append each record to its store; return which of them were new."""
        known = self.fingerprint()
        if known not in {None, fingerprint} and any(r.vector is not None for r in records):
            raise EmbedderChangedError(known, fingerprint)
        new: dict[int, bool] = {}
        for store, kind in ((self._mistakes, "mistake"), (self._successes, "success")):
            places = [place for place, record in enumerate(records) if record.kind == kind]
            if places:
                found = store.append([records[place] for place in places], fingerprint)
                new.update(zip(places, found, strict=True))
        return [new[place] for place in range(len(records))]

    def changes(self, scope: str, since: str | None = None) -> Changes:
        """Return what changed in either store; of what came together, the oldest first."""
        cursors = (None, None) if since is None else since.partition(_BETWEEN)[::2]
        first = self._mistakes.changes(scope, cursors[0])
        second = self._successes.changes(scope, cursors[1])
        # If one starts anew, both must: the other is read again from its beginning.
        if first.reset or second.reset:
            first = first if first.reset else self._mistakes.changes(scope)
            second = second if second.reset else self._successes.changes(scope)
        return Changes(
            f"{first.cursor}{_BETWEEN}{second.cursor}",
            sorted([*first.added, *second.added], key=lambda record: record.at),
            reset=first.reset or second.reset,
        )

    def hide(self, scope: str, event_ids: Sequence[str], *, hidden: bool = True) -> int:
        """Hide events in both, or show them again; return how many were turned."""
        return sum(store.hide(scope, event_ids, hidden=hidden) for store in self._both)

    def purge(self, scope: str, event_ids: Sequence[str]) -> int:
        """Delete events from both for good; return how many there were."""
        return sum(store.purge(scope, event_ids) for store in self._both)

    def read(self, scope: str | None = None, *, hidden: bool = False) -> Iterator[Record]:
        """Yield the records of both, the mistakes first."""
        for store in self._both:
            yield from store.read(scope, hidden=hidden)

    def scopes(self) -> dict[str, int]:
        """Return the keys of all scopes with their number of visible events."""
        found: dict[str, int] = {}
        for store in self._both:
            for scope, count in store.scopes().items():
                found[scope] = found.get(scope, 0) + count
        return found

    def fingerprint(self) -> str | None:
        """Return the identity of the embedder of the vectors."""
        return self._mistakes.fingerprint() or self._successes.fingerprint()

    def replace_vectors(
        self, vectors: Mapping[tuple[str, str], bytes | None], fingerprint: str
    ) -> list[Record]:
        """Replace all vectors of both; return the records that have none in `vectors`."""
        return [r for store in self._both for r in store.replace_vectors(vectors, fingerprint)]

    def close(self) -> None:
        """Close both."""
        for store in self._both:
            store.close()

    @property
    def _both(self) -> tuple[EventLog, EventLog]:
        return self._mistakes, self._successes
