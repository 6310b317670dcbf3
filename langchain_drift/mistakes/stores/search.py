"""What a store does that finds memories itself, so that a review reads a few and not all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Protocol, runtime_checkable

from langchain_drift.mistakes.action import Action
from langchain_drift.mistakes.reach import LEAST_ALIKE
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.terms import MENTION, words_of
from langchain_drift.mistakes.vectors import Vector


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a review has to see.

    Attributes:
        action: The action that is asked about.
        vector: Its vector; None for code.
        least_similarity: The lowest cosine of a paraphrase.
    """

    action: Action
    vector: Vector | None
    least_similarity: float

    @property
    def words(self) -> frozenset[str]:
        """The words by which commands are alike."""
        return words_of(self.action.terms)

    @property
    def rare_words(self) -> int:
        """How many of the rarest words to look up: whatever is alike holds one of them."""
        return len(self.words) - ceil(LEAST_ALIKE * len(self.words)) + 1

    @property
    def held(self) -> frozenset[str]:
        """What feedback may blame in the action: its terms, and what it uses as a mention too."""
        terms = self.action.terms
        return terms | {MENTION + term for term in terms if not term.startswith(MENTION)}


@dataclass(frozen=True, slots=True)
class Found:
    """The memories that can matter for a review.

    Attributes:
        records: Their events, in the order of appending; of a memory with many the newest.
        earlier: By the key of such a memory, how many mistakes and successes came before those.
        tool_successes: How often the tool that the action calls worked; a bound is enough.
        fingerprint: Identity of the embedder of the vectors; None if none was recorded.
    """

    records: Sequence[Record] = ()
    earlier: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    tool_successes: int = 0
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a record.

    Attributes:
        is_new: Whether it was appended.
        new_nodes: How many of its nodes the scope did not have.
        new_edges: How many of its edges it did not have.
    """

    is_new: bool
    new_nodes: int = 0
    new_edges: int = 0


@runtime_checkable
class EventSearch(Protocol):
    """What an `EventLog` may do beside; then a guard asks it instead of following its changes.

    Whatever is found is judged by the same rules as elsewhere, so more than is needed does no
    harm. Every method raises `StoreError` if the store cannot be read or written.
    """

    def find(self, scope: str, wanted: Wanted) -> Found:
        """Return the memories of a scope that can matter for a review.

        They are: that of the same action; for prose the nearest; for code those that share enough
        words; those whose feedback blames what the action holds, and what holds the same and
        worked; the failures of the tool that it calls. `mistakes.reach` says how many of each.
        """
        ...

    def worked_instead(self, scope: str, event_ids: Sequence[str]) -> Found:
        """Return the memories of what worked instead of some mistakes."""
        ...

    def follow(self, scope: str, key: str, steps: int) -> Found:
        """Return the memory of a key, and those that its outcomes lead on to.

        Args:
            scope: Whose memory.
            key: `Record.key`.
            steps: How often to go on from an outcome that is itself an action which failed.
        """
        ...

    def keep(self, record: Record, fingerprint: str) -> Kept:
        """Append a record as `EventLog.append` does, and tell what it added to the graph."""
        ...
