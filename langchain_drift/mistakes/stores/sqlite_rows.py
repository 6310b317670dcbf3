"""Records as rows of the SQLite file."""

import json
from pathlib import Path
from typing import Any

from langchain_drift.errors import StoreError
from langchain_drift.mistakes.stores.record import Record

INSERT = """
INSERT INTO events (
    scope, event_id, kind, action, feedback, outcome, at, hypothesis, source, key, terms, culprits,
    vector
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, event_id) DO NOTHING
"""
SELECT = """
SELECT place, scopes.key, event_id, kind, action, feedback, outcome, at, hypothesis, source,
    events.key, terms, culprits, vector
FROM events CROSS JOIN scopes ON scopes.id = events.scope
"""
# Most events blame nothing, and many hold no terms.
_NO_TERMS = "[]"


def to_row(record: Record, scope: int) -> tuple[object, ...]:
    """Return the values that `INSERT` takes; the scope by its number."""
    return (
        scope,
        record.event_id,
        record.kind,
        record.action,
        record.feedback,
        record.outcome,
        record.at,
        record.hypothesis,
        record.source,
        record.key,
        _list(record.terms),
        _list(record.culprits),
        record.vector,
    )


def from_row(row: tuple[Any, ...], path: Path) -> Record:
    """Return the record of a row of `SELECT`.

    Raises:
        StoreError: If the row was damaged.
    """
    _, scope, event_id, kind, action, feedback, outcome, at, hypothesis, source, *read = row
    key, terms, culprits, vector = read
    try:
        return Record(
            scope,
            event_id,
            kind,
            action,
            feedback,
            outcome,
            at,
            bool(hypothesis),
            source,
            key,
            () if terms == _NO_TERMS else tuple(json.loads(terms)),
            () if culprits == _NO_TERMS else tuple(json.loads(culprits)),
            vector,
        )
    except (TypeError, ValueError) as error:
        message = (
            f"The memory at {path} is damaged: the terms of event {event_id!r} cannot be read "
            f"({error}). It was left as it is; restore a copy, or purge this event."
        )
        raise StoreError(message) from error


def _list(terms: tuple[str, ...]) -> str:
    return json.dumps(terms, ensure_ascii=False, separators=(",", ":")) if terms else _NO_TERMS
