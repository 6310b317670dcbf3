"""A request on its way, and what the caller got for it."""

from collections.abc import Iterator
from weakref import ref

from langchain_drift.clients.asked import Asked
from langchain_drift.clients.marks import mark
from langchain_drift.conversation.result import DriftScore, TurnResult

_Marks = tuple[TurnResult | None, DriftScore | None, str]


class Call:
    """A request on its way, and the objects that the caller got for it.

    They are held weakly: a stream that nobody reads any more is to be closed.

    Args:
        asked: What it asks.
    """

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self._targets: list[ref[object]] = []
        self.conversation: str | None = None
        """The name of its conversation, once that is found."""
        self._marks: _Marks = (None, None, "Not scored yet.")

    @property
    def targets(self) -> Iterator[object]:
        """The objects that the caller still has."""
        return (target for held in tuple(self._targets) if (target := held()) is not None)

    def hand_out(self, target: object) -> None:
        """Take an object that the caller gets; a dict, say, cannot be marked."""
        if hasattr(target, "__dict__") and hasattr(target, "__weakref__"):
            self._targets.append(ref(target))
            mark(target, *self._marks)

    def mark(self, result: TurnResult | None, drift: DriftScore | None, why: str | None) -> None:
        """Mark all objects, those to come too."""
        self._marks = (result, drift, why or "")
        for target in self.targets:
            mark(target, *self._marks)
