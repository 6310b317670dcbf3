"""The drift of the threads of a checkpoint database, worst first."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from langchain_core.embeddings import Embeddings

from langchain_drift.checkpoints.database import CheckpointDatabase
from langchain_drift.checkpoints.thread import Thread, ThreadPlace
from langchain_drift.conversation.many import Chat, ManyScorer
from langchain_drift.conversation.verdict import ALARM, DriftVerdict
from langchain_drift.errors import StoreError
from langchain_drift.tracking.turn_log import DriftTurn

_MOST_LOOKED_AT = 3
_CHARACTERS = 200


@dataclass(frozen=True)
class TurnToLookAt:
    """A turn at which a thread left its purpose.

    Attributes:
        turn: Which turn of the thread, from 1.
        score: The running score, 0 to 100.
        user: The first 200 characters of what the user said.
        assistant: The first 200 characters of the reply.
        why: The explanation.
    """

    turn: int
    score: float
    user: str
    assistant: str
    why: str


@dataclass
class ThreadDrift:
    """The drift of one thread.

    Attributes:
        thread_id: Its name.
        at: When it was written to last; None if that cannot be told.
        is_recorded: Whether the scores are those the thread keeps, and not new ones.
        turns: How many turns were scored.
        off: How many of them had a running score below 55.
        lowest: The lowest running score, 0 to 100.
        final: The running score at the end.
        departures: Turns at which it left its purpose.
        returns: Turns at which it came back.
        look_at: The first three of its departures.
    """

    thread_id: str
    at: datetime | None
    is_recorded: bool = False
    turns: int = 0
    off: int = 0
    lowest: float = 100.0
    final: float = 100.0
    departures: list[int] = field(default_factory=list)
    returns: list[int] = field(default_factory=list)
    look_at: list[TurnToLookAt] = field(default_factory=list)

    @property
    def verdict(self) -> DriftVerdict:
        """The band of the score at the end."""
        return DriftVerdict.from_score(self.final)

    def add(self, turn: TurnToLookAt, *, departed: bool, returned: bool) -> None:
        """Count a turn."""
        self.turns += 1
        self.off += turn.score < ALARM
        self.lowest, self.final = min(self.lowest, turn.score), turn.score
        if departed:
            self.departures.append(turn.turn)
        if returned:
            self.returns.append(turn.turn)
        if departed and len(self.look_at) < _MOST_LOOKED_AT:
            self.look_at.append(turn)


@dataclass(frozen=True)
class Audit:
    """What was found in a checkpoint database.

    Attributes:
        threads: The threads that were scored, those with most turns off purpose first.
        left_out: How many threads were not scored, by the reason.
    """

    threads: Sequence[ThreadDrift]
    left_out: Mapping[str, int]


def audit(  # noqa: PLR0913 - what an audit is of
    database: CheckpointDatabase,
    purpose: str | None = None,
    *,
    channel: str = "messages",
    since: datetime | None = None,
    embeddings: Embeddings | None = None,
    on_thread: Callable[[], None] = lambda: None,
) -> Audit:
    """Score the threads of a checkpoint database.

    Of what was said no more than some hundred turns are held at once.

    Args:
        database: The open database.
        purpose: What the chats are for. Without it a thread that keeps its drift (of `DriftState`
            or `DriftMiddleware`) is told as it was scored, and any other is scored by the system
            message it begins with.
        channel: The name of the messages in the state.
        since: Only threads that were written to since then.
        embeddings: What to embed with; by default the bundled MiniLM.
        on_thread: Called with every thread that has been read.
    """
    reading = _Reading(database, purpose, channel, since, on_thread)
    for found, result in ManyScorer(embeddings).score(reading.chats()):
        score = result.drift.score if result.drift else found.final
        turn = TurnToLookAt(
            turn=found.turns + 1,
            score=score,
            user=result.user_message[:_CHARACTERS],
            assistant=result.assistant_response[:_CHARACTERS],
            why=result.explanation or "",
        )
        found.add(turn, departed=result.departed, returned=result.returned)
    threads = sorted(reading.found, key=lambda each: (-each.off, each.lowest, each.thread_id))
    return Audit(threads, dict(reading.left_out))


class _Reading:
    """Reads threads one by one, and keeps where their results go."""

    def __init__(
        self,
        database: CheckpointDatabase,
        purpose: str | None,
        channel: str,
        since: datetime | None,
        on_thread: Callable[[], None],
    ) -> None:
        self.found: list[ThreadDrift] = []
        self.left_out: Counter[str] = Counter()
        self._database = database
        self._purpose = purpose
        self._channel = channel
        self._since = since
        self._on_thread = on_thread

    def chats(self) -> Iterator[Chat[ThreadDrift]]:
        """Yield what is to be scored."""
        for place in self._database.threads():
            if not self._is_older(place.at):
                yield from self._chat(place)
            self._on_thread()

    def _chat(self, place: ThreadPlace) -> Iterator[Chat[ThreadDrift]]:
        try:
            thread = self._database.read(place, self._channel)
        except StoreError:
            self.left_out["unreadable"] += 1
            return
        if thread is None or self._is_older(thread.at):
            return
        found = ThreadDrift(place.thread_id, thread.at)
        prompt = self._purpose or thread.prompt
        turns = thread.turns()
        if self._purpose is None and _keeps_drift(thread):
            self.found.append(recorded(found, thread.values["drift_turns"]))
        elif not turns:
            self.left_out["no turn"] += 1
        elif prompt is None:
            self.left_out["no purpose"] += 1
        else:
            self.found.append(found)
            yield Chat(found, prompt, turns)

    def _is_older(self, at: datetime | None) -> bool:
        return self._since is not None and at is not None and at < self._since


def recorded(found: ThreadDrift, turns: Sequence[DriftTurn]) -> ThreadDrift:
    """Count the turns that a thread keeps."""
    found.is_recorded = True
    for number, each in enumerate(turns, start=1):
        turn = TurnToLookAt(
            turn=number,
            score=each["score"],
            user=each["user"],
            assistant=each["assistant"],
            why=each["explanation"],
        )
        found.add(turn, departed=each["departed"], returned=each["returned"])
    return found


def _keeps_drift(thread: Thread) -> bool:
    turns: Any = thread.values.get("drift_turns")
    return bool(turns) and isinstance(turns, list)
