"""Events and their writers as items of a store; plain JSON.

`(…, tenant, user, environment, "events")` holds one item an event, under its id: the record, who
wrote it (`writer`), as that writer's which (`number`), when (`stamp`), and whether it is `hidden`.
`(…, "writers")` holds one item a writer: how many events it has written (`number`), and how often
it altered some (`altered`). Only the writer itself writes its item, so none is lost to another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, Self

from langgraph.store.base import Item, PutOp

from langchain_drift.langgraph_store.labels import key_of, label_of
from langchain_drift.mistakes.scope import Scope
from langchain_drift.mistakes.stores.record import Record

ABOUT: Final = "about"
SCOPES: Final = "scopes"
_MEMORY: Final = "memory"
_DIGITS: Final = 16

Namespace = tuple[str, ...]


def place_of(root: Namespace, scope: str) -> Namespace:
    """Return the namespace of a scope."""
    parts = Scope.from_key(scope)
    names = (parts.tenant, parts.user, parts.environment)
    return (*root, _MEMORY, *map(label_of, names))


def in_digits(number: int) -> str:
    """Return a number as text that stores order as they would the number."""
    return f"{number:0{_DIGITS}d}"


class Head(NamedTuple):
    """How far a writer is.

    Attributes:
        number: How many events it has written.
        altered: How often it has hidden, shown, purged or embedded again.
    """

    number: int = 0
    altered: int = 0

    def to_json(self) -> dict[str, str]:
        """Return the value of its item."""
        return {"number": in_digits(self.number), "altered": in_digits(self.altered)}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """Return the head of an item."""
        return cls(int(value["number"]), int(value["altered"]))


@dataclass(frozen=True, slots=True)
class Entry:
    """An event as it is kept.

    Attributes:
        record: The event.
        writer: Who wrote it.
        number: Which of the writer's events it is, from 1 on.
        stamp: When it was written, in microseconds since 1970; orders the events.
        hidden: Whether it is hidden.
    """

    record: Record
    writer: str
    number: int
    stamp: int
    hidden: bool = False

    def turned(self, *, hidden: bool) -> Self:
        """Return the entry hidden, or shown."""
        return replace(self, hidden=hidden)

    def embedded(self, vector: bytes | None) -> Self:
        """Return the entry with another vector."""
        return replace(self, record=replace(self.record, vector=vector))

    def put(self, place: Namespace, index: Sequence[str] | None) -> PutOp:
        """Return how it is written."""
        value = {
            **self.record.to_json(),
            "writer": self.writer,
            "number": in_digits(self.number),
            "stamp": in_digits(self.stamp),
            "hidden": self.hidden,
        }
        key = key_of(self.record.event_id)
        return PutOp((*place, "events"), key, value, index=list(index) if index else False)

    @classmethod
    def read(cls, item: Item) -> Self:
        """Return the entry of an item.

        Raises:
            KeyError, TypeError, ValueError: If it is none.
        """
        value = dict(item.value)
        writer, number, stamp = value.pop("writer"), value.pop("number"), value.pop("stamp")
        hidden = value.pop("hidden")
        return cls(Record.from_json(value), writer, int(number), int(stamp), bool(hidden))
