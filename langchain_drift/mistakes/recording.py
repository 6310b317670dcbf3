"""From what is told to a guard to the record that is kept."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, TypedDict

from langchain_core.embeddings import Embeddings
from pydantic import ValidationError

from langchain_drift.embeddings.vectors import aembed, embed
from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.action import MEANING, Action, ActionLike, read_action
from langchain_drift.mistakes.culprits import find_culprits
from langchain_drift.mistakes.event import Event
from langchain_drift.mistakes.scope import Scope
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.vectors import Vector, pack

ScopeLike = str | Scope | None


class Details(TypedDict, total=False):
    """What can be told of an event beside its words; see `DriftGuard.record`."""

    scope: ScopeLike
    event_id: str | None
    at: datetime | None
    source: str
    hypothesis: bool | None
    transient: bool | None


class Recorded(TypedDict):
    """What became of an event.

    `status` is `stored`, `duplicate` if an event of that id was there, or `transient` if it was a
    passing failure, which is not kept.
    """

    status: Literal["stored", "duplicate", "transient"]
    event_id: str
    action: str
    feedback: str
    outcome: str
    hypothesis: bool


def make_event(action: ActionLike, **fields: Any) -> tuple[Action, Event]:  # noqa: ANN401 - fields of Event
    """Read an action and make its event.

    Raises:
        InvalidInputError: If the action, or a field, cannot be used.
    """
    read = read_action(action)
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        return read, Event(action=read.text, **given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        message = f"{name} is {first['input']!r:.80}: {first['msg']}."
        raise InvalidInputError(message) from error


def make_record(action: Action, event: Event, vector: Vector | None) -> Record:
    """Return the record of an event."""
    is_mistake = event.kind == "mistake"
    return Record(
        scope=event.scope.key,
        event_id=event.event_id,
        kind=event.kind,
        action=event.action,
        feedback=event.feedback,
        outcome=event.outcome,
        at=event.at.astimezone(UTC).timestamp(),
        hypothesis=event.hypothesis,
        source=event.source,
        key=action.key,
        terms=tuple(sorted(action.terms)),
        culprits=find_culprits(action.terms, event.feedback, action.values) if is_mistake else (),
        vector=None if vector is None else pack(vector),
    )


def make_records(events: Iterable[Event], embeddings: Embeddings) -> list[Record]:
    """Return the records of events; their prose is embedded in one call."""
    read = [(read_action(event.action), event) for event in events]
    prose = [action.text[:MEANING] for action, _ in read if not action.is_code]
    vectors = iter(embed(embeddings, prose))
    return [
        make_record(action, event, None if action.is_code else next(vectors))
        for action, event in read
    ]


def embed_action(action: Action, embeddings: Embeddings) -> Vector | None:
    """Return the vector of a prose action; None for code."""
    if action.is_code:
        return None
    vector: Vector = embed(embeddings, [action.text[:MEANING]])[0]
    return vector


async def aembed_action(action: Action, embeddings: Embeddings) -> Vector | None:
    """Return the vector without blocking the event loop; see `embed_action`."""
    if action.is_code:
        return None
    vector: Vector = (await aembed(embeddings, [action.text[:MEANING]]))[0]
    return vector


def embed_records(
    records: Sequence[Record], embeddings: Embeddings
) -> dict[tuple[str, str], bytes | None]:
    """Return new vectors for all records that have one."""
    prose = [record for record in records if record.vector is not None]
    vectors = embed(embeddings, [record.action[:MEANING] for record in prose])
    found: dict[tuple[str, str], bytes | None] = {(r.scope, r.event_id): None for r in records}
    for record, vector in zip(prose, vectors, strict=True):
        found[record.scope, record.event_id] = pack(vector)
    return found


def utc(seconds: float) -> datetime:
    """Return a moment as a datetime in UTC."""
    return datetime.fromtimestamp(seconds, UTC)
