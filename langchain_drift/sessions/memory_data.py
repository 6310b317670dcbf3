"""What a session memory holds, and how the published packages wrote it down."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

from langchain_drift.characters import whole_characters
from langchain_drift.sessions.summary import SessionSummary

VERSION = 1


class ExchangeRecord(TypedDict):
    """One exchange.

    Attributes:
        exchange: Its number in the session, from 1.
        user: What the user said.
        assistant: The first 500 characters of the answer; all of it while it is not scored.
        score: The running score, 0 to 100; None if it is not scored.
        verdict: Its band; None if it is not scored.
        explanation: Why; None if it is not scored.
    """

    exchange: int
    user: str
    assistant: str
    score: float | None
    verdict: str | None
    explanation: str | None


class SessionRecord(TypedDict):
    """One session.

    Attributes:
        session_number: From 1.
        status: `active` for the last one, `completed` for those before.
        exchanges: What was said, oldest first.
        summary: Set as the session ends; None without one.
        final_drift_score: The running score at its end; None before, and if nothing was scored.
        turn_count: How many turns it had, where not all exchanges are known.
    """

    session_number: int
    status: Literal["active", "completed"]
    exchanges: list[ExchangeRecord]
    summary: str | None
    final_drift_score: float | None
    turn_count: NotRequired[int]


class SessionMemoryData(TypedDict):
    """All of a session memory.

    Attributes:
        original_context: The system prompt, with its examples.
        session_count: The number of the running session.
        context_frozen: Whether summaries may not be changed.
        sessions: Oldest first; the last one is the running one.
        state: The scorer's state after the last scored exchange; None to find it again.
    """

    original_context: str
    session_count: int
    context_frozen: bool
    sessions: list[SessionRecord]
    state: dict[str, Any] | None


def begin(original_context: str = "", *, frozen: bool = False) -> SessionMemoryData:
    """Return the memory of a conversation that has not begun."""
    return SessionMemoryData(
        original_context=original_context,
        session_count=1,
        context_frozen=frozen,
        sessions=[new_session(1)],
        state=None,
    )


def new_session(number: int) -> SessionRecord:
    """Return a session that has not begun."""
    return SessionRecord(
        session_number=number, status="active", exchanges=[], summary=None, final_drift_score=None
    )


def summaries_of(sessions: Sequence[SessionRecord]) -> list[SessionSummary]:
    """Return the summaries of sessions, oldest first."""
    return [
        SessionSummary(
            session_number=session["session_number"],
            summary=session["summary"],
            turn_count=session.get("turn_count", len(session["exchanges"])),
            final_drift_score=session["final_drift_score"],
        )
        for session in sessions
        if session["summary"]
    ]


def read_data(value: object) -> SessionMemoryData:
    """Return the memory a JSON value holds: ours, or one of the two published formats.

    Raises:
        ValueError: If it is none; the message goes on after the name of the file.
    """
    if not isinstance(value, dict):
        message = f"it holds {type(value).__name__} and no object"
        raise ValueError(message)  # noqa: TRY004 - callers tell every fault of a file alike
    version = value.get("format_version")
    if version not in (None, VERSION):
        message = (
            f"it has format {version!r:.40}, but this version of langchain-drift reads format "
            f"{VERSION}; update langchain-drift"
        )
        raise ValueError(message)
    try:
        return _with_active(_read(value))
    except (KeyError, TypeError, ValueError) as error:
        message = f"it is not as a session memory is ({type(error).__name__}: {error})"
        raise ValueError(message) from error


def _read(value: Mapping[str, Any]) -> SessionMemoryData:
    if "sessions" not in value and not {"drift_history", "session_summaries"} & set(value):
        message = "it has no sessions"
        raise ValueError(message)
    sessions = (
        [_session(each) for each in _list(value["sessions"])]
        if "sessions" in value
        else _older(value)
    )
    state = value.get("state")
    return SessionMemoryData(
        original_context=_text(value.get("original_context", "")),
        session_count=_number(value.get("session_count", 1)),
        context_frozen=bool(value.get("context_frozen", False)),
        sessions=sessions,
        state=state if isinstance(state, dict) else None,
    )


def _with_active(data: SessionMemoryData) -> SessionMemoryData:
    """End sessions that a restart once left active, and see to it that the last one is."""
    sessions = data["sessions"]
    for session in sessions[:-1]:
        session["status"] = "completed"
    if not sessions or sessions[-1]["status"] == "completed":
        last = max((session["session_number"] for session in sessions), default=0)
        sessions.append(new_session(max(last + 1, data["session_count"])))
        data["state"] = None
    data["session_count"] = sessions[-1]["session_number"]
    return data


def _session(value: Mapping[str, Any]) -> SessionRecord:
    status: Literal["active", "completed"] = (
        "completed" if value["status"] == "completed" else "active"
    )
    session = SessionRecord(
        session_number=_number(value["session_number"]),
        status=status,
        exchanges=[exchange_record(each) for each in _list(value["exchanges"])],
        summary=None if value.get("summary") is None else _text(value["summary"]),
        final_drift_score=_score(value.get("final_drift_score")),
    )
    if "turn_count" in value:
        session["turn_count"] = _number(value["turn_count"])
    return session


def exchange_record(value: Mapping[str, Any]) -> ExchangeRecord:
    """Return an exchange as a file holds it, if it is one.

    Raises:
        KeyError, TypeError, ValueError: If it is none.
    """
    return ExchangeRecord(
        exchange=_number(value["exchange"]),
        user=_text(value.get("user", "")),
        assistant=_text(value.get("assistant", "")),
        score=_score(value.get("score")),
        verdict=None if value.get("verdict") is None else _text(value["verdict"]),
        explanation=None if value.get("explanation") is None else _text(value["explanation"]),
    )


def _older(value: Mapping[str, Any]) -> list[SessionRecord]:
    """Return the sessions of a file of 0.3, which kept scores and summaries apart, and no texts.

    As a session ended it noted the same score twice more, the last one as turn 0 of the next.
    """
    sessions: dict[int, SessionRecord] = {}
    for entry in value.get("drift_history", ()):
        number, turn = _number(entry["session"]), _number(entry["turn"])
        exchanges = sessions.setdefault(number, new_session(number))["exchanges"]
        if turn == 0:
            continue
        # Turns were counted by messages, two an exchange.
        record = exchange_record({**entry, "exchange": (turn + 1) // 2})
        if exchanges and exchanges[-1]["exchange"] == record["exchange"]:
            exchanges.pop()
        exchanges.append(record)
    for entry in value.get("session_summaries", ()):
        number = _number(entry["session_number"])
        session = sessions.setdefault(number, new_session(number))
        session["status"] = "completed"
        session["summary"] = _text(entry["summary"]) or None
        session["final_drift_score"] = _score(entry.get("final_drift_score"))
        session["turn_count"] = _number(entry.get("turn_count", len(session["exchanges"])))
    current = _number(value.get("session_count", 1))
    kept = [sessions[number] for number in sorted(sessions)]
    return [each for each in kept if each["exchanges"] or each["summary"] or current == 1]


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        message = f"{value!r:.40} is no list"
        raise TypeError(message)
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        message = f"{value!r:.40} is no text"
        raise TypeError(message)
    return whole_characters(value)


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        message = f"{value!r:.40} is no number from 0"
        raise TypeError(message)
    return value


def _score(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        message = f"{value!r:.40} is no score"
        raise TypeError(message)
    return min(max(float(value), 0.0), 100.0)
