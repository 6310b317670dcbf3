"""The threads of a checkpoint database as conversations with their scores."""

import logging
from collections.abc import Iterator
from typing import Any, NamedTuple

from langchain_drift.checkpoints.database import CheckpointDatabase, open_checkpoints
from langchain_drift.checkpoints.thread import Thread
from langchain_drift.cli.sessions.audit import parse_since
from langchain_drift.conversation.many import Chat, ManyScorer
from langchain_drift.conversation.result import Abstention, Cause, DriftScore, TurnResult
from langchain_drift.errors import InvalidInputError, StoreError
from langchain_drift.reports.conversation import Conversation
from langchain_drift.tracking.turn_log import DriftTurn

_MESSAGES = "messages"


class Wanted(NamedTuple):
    """Which threads of a database are wanted; None for all.

    Attributes:
        thread: Only this one.
        since: Those written to since then, as `--since` says it.
        messages: The key of the messages in the state; None for `messages`.
    """

    thread: str | None = None
    since: str | None = None
    messages: str | None = None


def read_conversations(place: str, purpose: str | None, wanted: Wanted) -> list[Conversation]:
    """Score the threads of a database, those written to last first.

    As in an audit, without a purpose the threads that keep their drift are told as they were
    scored, and the others are held against the system message they begin with.

    Raises:
        InvalidInputError: If there is no such database or thread, or nothing in it to score.
        MissingExtraError: If LangGraph's checkpointer for it is not installed.
        StoreError: If it cannot be read.
    """
    # What is no plain data is left as it is, thread by thread; there is nothing to do about it.
    logging.getLogger("langgraph.checkpoint.serde").setLevel(logging.ERROR)
    results: dict[str, list[TurnResult]] = {}
    purposes: dict[str, str | None] = {}

    def to_score() -> Iterator[Chat[str]]:
        for thread in _threads(database, wanted):
            name, kept = thread.place.thread_id, thread.values.get("drift_turns")
            purposes[name] = purpose or thread.prompt
            if purpose is None and isinstance(kept, list) and kept:
                results[name] = [_recorded(n, each) for n, each in enumerate(kept, start=1)]
            elif purposes[name] is not None:
                results[name] = []
                yield Chat(name, str(purposes[name]), thread.turns())

    with open_checkpoints(place) as database:
        for name, result in ManyScorer().score(to_score()):
            results[name].append(result)
    found = [
        Conversation(name, tuple(turns), purposes[name]) for name, turns in results.items() if turns
    ]
    if not found:
        message = (
            "No thread asked for has turns to score and a system message under "
            f"{wanted.messages or _MESSAGES!r}; give --purpose, or another key with --messages."
        )
        raise InvalidInputError(message)
    return found


def _threads(database: CheckpointDatabase, wanted: Wanted) -> Iterator[Thread]:
    """Yield the threads that are wanted and can be read."""
    channel = wanted.messages or _MESSAGES
    if wanted.thread is not None:
        yield database.find(wanted.thread, channel)
        return
    since = parse_since(wanted.since) if wanted.since else None
    for place in database.threads():
        try:
            thread = database.read(place, channel)
        except StoreError:
            continue
        if thread is None or (since and thread.at and thread.at < since):
            continue
        yield thread


def _recorded(number: int, turn: DriftTurn) -> TurnResult:
    """Return a turn that a thread keeps; of what was said it keeps the beginning."""
    kept: dict[str, Any] = dict(turn)
    return TurnResult(
        user_message=turn["user"],
        assistant_response=turn["assistant"],
        drift=DriftScore(score=turn["score"], turn_number=number),
        explanation=turn["explanation"],
        abstained=Abstention(kept["abstained"]) if kept.get("abstained") else None,
        refused=bool(kept.get("refused")),
        cause=Cause(kept["cause"]) if kept.get("cause") else None,
        departed=turn["departed"],
        returned=turn["returned"],
    )
