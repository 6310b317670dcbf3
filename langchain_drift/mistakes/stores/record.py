"""An event as stores keep it: flat, with all that is needed to find it again."""

import base64
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from langchain_drift.mistakes.event import Event, Kind
from langchain_drift.mistakes.scope import Scope


@dataclass(frozen=True, slots=True)
class Record:
    """An event and what was read from it when it was recorded.

    Stores keep all of it as it is and look into `scope`, `event_id`, `kind`, `key`, `terms`,
    `culprits`, `at` and `vector` only.

    Attributes:
        scope: `Scope.key` of the event; empty for the scope without parts.
        event_id: Unique within the scope.
        kind: `mistake` or `success`.
        action: The words of the action, not empty.
        feedback: What came back; may be empty.
        outcome: What it led to; may be empty.
        at: When, in seconds since 1970, UTC.
        hypothesis: Whether it is a guess.
        source: Where it comes from; may be empty.
        key: Equal for two actions exactly if they are the same but for spelling; at most 64
            characters.
        terms: Terms the action holds, each once, at most 256; each at most 128 characters.
        culprits: Those of `terms` that the feedback blames; none for a success.
        vector: The action's vector of length 1, as little-endian 16-bit floats; None if none was
            computed.
    """

    scope: str
    event_id: str
    kind: Kind
    action: str
    feedback: str
    outcome: str
    at: float
    hypothesis: bool
    source: str
    key: str
    terms: tuple[str, ...]
    culprits: tuple[str, ...]
    vector: bytes | None

    def to_event(self) -> Event:
        """Return the event without what was read from it."""
        return Event(
            event_id=self.event_id,
            kind=self.kind,
            scope=Scope.from_key(self.scope),
            action=self.action,
            feedback=self.feedback,
            outcome=self.outcome,
            at=datetime.fromtimestamp(self.at, UTC),
            hypothesis=self.hypothesis,
            source=self.source,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain JSON; the vector in base64."""
        vector = None if self.vector is None else base64.b64encode(self.vector).decode()
        values = {name: getattr(self, name) for name in self.__slots__}
        return values | {
            "terms": list(self.terms),
            "culprits": list(self.culprits),
            "vector": vector,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Record":
        """Return the record that `to_json` wrote.

        Raises:
            KeyError, TypeError, ValueError: If the value is none; stores turn these into an error
                that names the file.
        """
        vector = value["vector"]
        return cls(
            **{
                **value,
                "terms": tuple(value["terms"]),
                "culprits": tuple(value["culprits"]),
                "vector": None if vector is None else base64.b64decode(vector, validate=True),
            },
        )
