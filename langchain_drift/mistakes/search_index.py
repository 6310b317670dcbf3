"""The memories that a store found for one review, laid out like a whole scope."""

from collections.abc import Iterator, Sequence

from langchain_drift.mistakes.index import ScopeIndex
from langchain_drift.mistakes.memory import Memory
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.stores.search import EventSearch, Found, Wanted

_STEPS = 16


class FoundIndex(ScopeIndex):
    """A view of what a store found; it asks the store again for what a review comes upon.

    Args:
        store: The store.
        scope: Whose memory.
        wanted: What was asked.
    """

    def __init__(self, store: EventSearch, scope: str, wanted: Wanted) -> None:
        super().__init__()
        self._store, self._scope = store, scope
        self._earlier: dict[str, tuple[int, int]] = {}
        self._asked = {wanted.action.key}
        found = store.find(scope, wanted)
        self.fingerprint = found.fingerprint
        self._take(found)
        if wanted.action.tool in self.tools:
            self.tools[wanted.action.tool].working = found.tool_successes

    def same(self, key: str) -> Memory | None:
        """Return the memory of the same action, if there is one."""
        if key not in self._asked:
            self._asked.add(key)
            self._take(self._store.follow(self._scope, key, _STEPS))
        return super().same(key)

    def worked_instead(self, event_ids: Sequence[str]) -> Iterator[Memory]:
        """Yield the memories of what worked instead of some mistakes."""
        self._take(self._store.worked_instead(self._scope, event_ids))
        yield from super().worked_instead(event_ids)

    def _take(self, found: Found) -> None:
        """Take the memories in that are not here yet."""
        new = [
            record for record in found.records if super(FoundIndex, self).same(record.key) is None
        ]
        self._earlier.update(found.earlier)
        for record in new:
            self.add(record)

    def _new(self, record: Record) -> Memory:
        memory = super()._new(record)
        memory.begin_with(*self._earlier.get(record.key, (0, 0)))
        return memory
