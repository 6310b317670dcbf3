"""What can be done to a session memory, as changes of its data."""

from collections.abc import Iterable
from typing import Any

from langchain_drift.sessions.memory_data import (
    ExchangeRecord,
    SessionMemoryData,
    SessionRecord,
    new_session,
)

_ASSISTANT_CHARACTERS = 500


def running(data: SessionMemoryData) -> SessionRecord:
    """Return the running session."""
    return data["sessions"][-1]


def stored(record: ExchangeRecord) -> ExchangeRecord:
    """Return an exchange as it is kept: once it is scored, only the answer's beginning."""
    if record["score"] is None:
        return record
    return {**record, "assistant": record["assistant"][:_ASSISTANT_CHARACTERS]}


def add(data: SessionMemoryData, record: ExchangeRecord, state: dict[str, Any] | None) -> None:
    """Add an exchange to the running session."""
    running(data)["exchanges"].append(record)
    data["state"] = state


def fill(
    data: SessionMemoryData, scored: Iterable[ExchangeRecord], state: dict[str, Any] | None
) -> None:
    """Put scored exchanges in the place of those that waited to be scored."""
    by_number = {record["exchange"]: record for record in scored}
    session = running(data)
    session["exchanges"] = [
        by_number.get(record["exchange"], record) for record in session["exchanges"]
    ]
    data["state"] = state


def end(data: SessionMemoryData, summary: str | None, final_drift_score: float | None) -> None:
    """End the running session and begin the next one."""
    session = running(data)
    session["status"] = "completed"
    session["summary"] = summary
    session["final_drift_score"] = final_drift_score
    following = new_session(session["session_number"] + 1)
    data["sessions"].append(following)
    data["session_count"] = following["session_number"]
    data["state"] = None


def clear_summaries(data: SessionMemoryData) -> None:
    """Forget the summaries of all sessions; what was said in them stays on record."""
    for session in data["sessions"]:
        session["summary"] = None


def set_frozen(data: SessionMemoryData, *, frozen: bool) -> None:
    """Refuse or allow changes of the summaries."""
    data["context_frozen"] = frozen
