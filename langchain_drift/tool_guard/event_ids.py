"""Names of events that are the same when a step is retried or a run resumed."""

import hashlib

from langchain_drift.mistakes.event import Kind
from langchain_drift.mistakes.index import INSTEAD


def make_event_id(kind: Kind, *parts: str | None) -> str:
    """Return the name of an event: equal for equal parts, such as thread, message and call."""
    text = "\x00".join(part or "" for part in parts)
    return f"{kind}-{hashlib.blake2b(text.encode('utf-8', 'replace'), digest_size=16).hexdigest()}"


def instead_of(mistake_id: str) -> str:
    """Return the name of the success that came instead of a mistake."""
    return mistake_id + INSTEAD
