"""What a store of events must do: keep, tell what changed, hide, purge."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from langchain_drift.mistakes.stores.record import Record


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened to one scope of a store since a cursor.

    Attributes:
        cursor: To be passed to the next call of `changes`; opaque, bound to the store and scope.
        added: Records appended since, in the order of appending.
        reset: Whether anything else happened since, such as hiding, purging or new vectors, or the
            store cannot go on from the cursor: `added` then holds everything visible.
    """

    cursor: str
    added: Sequence[Record] = ()
    reset: bool = False


@runtime_checkable
class EventLog(Protocol):
    """A store of events; safe to share between threads, and between processes if it says so.

    Events are kept in the order of appending. Nothing is ever counted in a store: frequencies,
    memories and graphs are views of the events. Every method raises `StoreError` if the store
    cannot be read or written.
    """

    def append(self, records: Sequence[Record], fingerprint: str) -> list[bool]:
        """Append records in one step, durably; return which of them were new.

        A record whose `(scope, event_id)` was appended before, visible, hidden or in this call, is
        left out. (A purged one is forgotten and may come again.)

        Args:
            records: Any number of records, of any scopes.
            fingerprint: Identity of the embedder of their vectors; the first one given is kept.

        Raises:
            EmbedderChangedError: If the store's vectors come from another embedder and one of the
                records has a vector; nothing is appended then.
        """
        ...

    def changes(self, scope: str, since: str | None = None) -> Changes:
        """Return what changed in a scope since a cursor.

        Called before every review, so it must cost next to nothing when nothing changed. What
        other processes have appended is seen at the next call.

        Args:
            scope: `Scope.key`.
            since: The cursor of an earlier call for this scope; None for everything visible, which
                is no reset.
        """
        ...

    def hide(self, scope: str, event_ids: Sequence[str], *, hidden: bool = True) -> int:
        """Hide events from `changes`, or show them again at their old place.

        Returns:
            How many events were turned.
        """
        ...

    def purge(self, scope: str, event_ids: Sequence[str]) -> int:
        """Delete events for good, visible or hidden; return how many there were."""
        ...

    def read(self, scope: str | None = None, *, hidden: bool = False) -> Iterator[Record]:
        """Yield the visible records of one scope or of all, oldest first; or the hidden ones."""
        ...

    def scopes(self) -> dict[str, int]:
        """Return the keys of all scopes with their number of visible events."""
        ...

    def fingerprint(self) -> str | None:
        """Return the identity of the embedder of the vectors, None if none was recorded."""
        ...

    def replace_vectors(
        self, vectors: Mapping[tuple[str, str], bytes | None], fingerprint: str
    ) -> list[Record]:
        """Replace all vectors in one step, also of hidden events.

        Args:
            vectors: `(scope, event_id)` to the new vector; ids unknown to the store do no harm.
            fingerprint: Identity of the embedder they come from.

        Returns:
            The records that have no entry in `vectors`. If there are any, nothing was replaced:
            embed these as well and call again.
        """
        ...

    def close(self) -> None:
        """Let go of files and connections; nothing is lost. Closing twice does no harm."""
        ...
