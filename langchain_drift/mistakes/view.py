"""The memories of a store, kept up to date scope by scope."""

import gc
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from langchain_drift.errors import EmbedderChangedError
from langchain_drift.mistakes.index import ScopeIndex
from langchain_drift.mistakes.stores.protocol import EventLog

_MOST_SCOPES = 256
_MANY = 2_000


@dataclass(slots=True)
class _Scope:
    index: ScopeIndex = field(default_factory=ScopeIndex)
    cursor: str | None = None


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

    @contextmanager
    def open(self, scope: str) -> Iterator[ScopeIndex]:
        """Give the memories of a scope, up to date, to one thread at a time.

        Raises:
            StoreError: If the store cannot be read.
            EmbedderChangedError: If its vectors come from another embedder.
        """
        with self._lock:
            yield self._catch_up(scope)

    def _catch_up(self, scope: str) -> ScopeIndex:
        known = self._scopes.get(scope) or _Scope()
        changes = self._store.changes(scope, known.cursor)
        if changes.reset:
            known = _Scope()
        had_vectors = len(known.index.vectors)
        with _without_collecting() if len(changes.added) > _MANY else nullcontext():
            for record in changes.added:
                known.index.add(record)
        if len(known.index.vectors) > had_vectors == 0:
            self._check_embedder()
        known.cursor = changes.cursor
        self._scopes[scope] = known
        self._scopes.move_to_end(scope)
        if len(self._scopes) > _MOST_SCOPES:
            self._scopes.popitem(last=False)
        return known.index

    def _check_embedder(self) -> None:
        stored, used = self._store.fingerprint(), self._fingerprint()
        if stored is not None and stored != used:
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
