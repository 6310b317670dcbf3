"""The items of a memory in a store that may be anything: read, written, searched."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Any, Final

from langgraph.store.base import BaseStore, GetOp, Item, Op, PutOp, SearchOp

from langchain_drift.errors import EmbedderChangedError
from langchain_drift.langgraph_store.items import ABOUT, SCOPES, Entry, Head, Namespace, place_of
from langchain_drift.langgraph_store.labels import key_of

_PAGE: Final = 1_000
_EMBEDDER: Final = "embedder"


class Shelf:
    """Items under one namespace of a store.

    Args:
        store: The store.
        root: The namespace.
    """

    def __init__(self, store: BaseStore, root: Namespace) -> None:
        self._store, self._root = store, root

    def place(self, scope: str) -> Namespace:
        """Return the namespace of a scope."""
        return place_of(self._root, scope)

    def heads(self, scope: str) -> dict[str, Head]:
        """Return how far each writer of a scope is."""
        found = self._search((*self.place(scope), "writers"))
        return {item.key: Head.from_json(item.value) for item in found}

    def fold(self, scope: str, before: datetime, most: int) -> None:
        """Remove the heads of writers that were idle for long, if there are many of them.

        Their events count without, once they are a day old; see `Mirror.take`.
        """
        place = (*self.place(scope), "writers")
        idle = [item.key for item in self._search(place) if _in_utc(item.updated_at) < before]
        if len(idle) > most:
            self.batch([PutOp(place, writer, None) for writer in idle])

    def entries(self, scope: str, wanted: dict[str, Any] | None = None) -> Iterator[Entry]:
        """Yield the events of a scope whose items have some values."""
        for item in self._search((*self.place(scope), "events"), wanted):
            entry = Entry.read(item)
            # A store that reads a prefix too generously must not mix two scopes.
            if entry.record.scope == scope:
                yield entry

    def entries_of(self, names: Sequence[tuple[str, str]]) -> list[Entry | None]:
        """Return the events of some scopes by their ids, None for each that is not there."""
        steps = [GetOp((*self.place(scope), "events"), key_of(name)) for scope, name in names]
        return [None if item is None else Entry.read(item) for item in self.batch(steps)]

    def scopes(self) -> list[str]:
        """Return the keys of all scopes that ever had an event."""
        return sorted(item.value["scope"] for item in self._search((*self._root, SCOPES)))

    def put_scope(self, scope: str) -> None:
        """Write down that there is a scope."""
        place = (*self._root, SCOPES)
        self.batch([PutOp(place, key_of(scope) or "~", {"scope": scope}, index=False)])

    def embedder(self) -> str | None:
        """Return the identity of the embedder of the vectors."""
        (item,) = self.batch([GetOp((*self._root, ABOUT), _EMBEDDER)])
        return None if item is None else str(item.value["fingerprint"])

    def put_embedder(self, fingerprint: str) -> None:
        """Write down whose vectors these are."""
        value = {"fingerprint": fingerprint}
        self.batch([PutOp((*self._root, ABOUT), _EMBEDDER, value, index=False)])

    def check_embedder(self, fingerprint: str) -> None:
        """Keep the first embedder's fingerprint; refuse every other."""
        if self.embedder() is None:
            self.put_embedder(fingerprint)
        stored = self.embedder()
        if stored != fingerprint:
            raise EmbedderChangedError(stored, fingerprint)

    def batch(self, steps: Sequence[Op]) -> list[Any]:
        """Take some steps in one call."""
        return self._store.batch(steps) if steps else []

    def _search(self, place: Namespace, wanted: dict[str, Any] | None = None) -> list[Item]:
        """Return all items of exactly a namespace."""
        found: dict[str, Item] = {}
        for offset in count(0, _PAGE):
            step = SearchOp(place, filter=wanted, limit=_PAGE, offset=offset)
            (page,) = self.batch([step])
            found |= {item.key: item for item in page if item.namespace == place}
            if len(page) < _PAGE:
                break
        return list(found.values())


def _in_utc(moment: datetime) -> datetime:
    """Return a time of a store; one that names no zone, as SQLite's, is in UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
