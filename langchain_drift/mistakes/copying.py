"""Events from one store to another, as they are: ids, vectors, and what is hidden."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from operator import attrgetter

from langchain_core.embeddings import Embeddings

from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.errors import EmbedderChangedError
from langchain_drift.mistakes.recording import embed_records
from langchain_drift.mistakes.stores.protocol import EventLog
from langchain_drift.mistakes.stores.record import Record

_STEP = 500


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy did.

    Attributes:
        read: Events of the source, hidden ones too.
        new: Those that the target did not have.
        hidden: Those that were hidden in the target, because they are in the source.
    """

    read: int
    new: int
    hidden: int


def count_events(store: EventLog, scope: str | None = None) -> int:
    """Return how many events a store, or a scope of it, holds, hidden ones too."""
    visible = store.scopes()
    shown = sum(visible.values()) if scope is None else visible.get(scope, 0)
    return shown + sum(1 for _ in store.read(scope, hidden=True))


def copy_events(
    source: EventLog,
    target: EventLog,
    embeddings: Embeddings,
    *,
    scope: str | None = None,
    on_step: Callable[[int], None] = lambda _: None,
) -> Copied:
    """Give a store all events of another that it lacks; nothing is taken from either.

    An event is known by its scope and id, so copying again, after the end or after an end in the
    middle, adds only what is missing, and leads to the same events in the same order: those of the
    source stand after those that the target had, whenever they happened. What is hidden in the
    source is hidden in the target. Where the target's vectors are of another
    embedder, prose is embedded again.

    Args:
        source: Where events come from.
        target: Where they go, 500 at a time.
        embeddings: The embedder of the target's vectors; used only if the source has others.
        scope: `Scope.key` of the events to copy; None for all.
        on_step: Called after each step with the number of events it read.

    Raises:
        EmbedderChangedError: If the vectors of neither store are of `embeddings` where new ones
            are needed.
        StoreError: If a store cannot be read or written; what was copied stays.
    """
    copy = _Copy(source, target, embeddings)
    read = new = hidden = 0
    # Hidden ones first: they are seldom the newest, and a step hides what it brought at once.
    for is_hidden in (True, False):
        for step in _steps(source.read(scope, hidden=is_hidden)):
            new += copy.bring(step)
            hidden += _hide(target, step) if is_hidden else 0
            read += len(step)
            on_step(len(step))
    return Copied(read, new, hidden)


@dataclass(slots=True)
class _Copy:
    source: EventLog
    target: EventLog
    embeddings: Embeddings

    def bring(self, step: Sequence[Record]) -> int:
        """Append a step; return how many of it were new."""
        if not any(record.vector is not None for record in step):
            return sum(self.target.append(step, ""))
        theirs, ours = self.source.fingerprint() or "", self.target.fingerprint()
        if ours in (None, theirs):
            return sum(self.target.append(step, theirs))
        if ours != fingerprint(self.embeddings):
            raise EmbedderChangedError(ours, theirs)
        vectors = embed_records(step, self.embeddings)
        fresh = [replace(each, vector=vectors[each.scope, each.event_id]) for each in step]
        return sum(self.target.append(fresh, ours))


def _steps(records: Iterable[Record]) -> Iterator[list[Record]]:
    rest = iter(records)
    while step := list(islice(rest, _STEP)):
        yield step


def _hide(target: EventLog, step: Iterable[Record]) -> int:
    of_scope = attrgetter("scope")
    scopes = groupby(sorted(step, key=of_scope), key=of_scope)
    return sum(target.hide(key, [each.event_id for each in found]) for key, found in scopes)
