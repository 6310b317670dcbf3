"""Conversations as reports show them, whatever they come from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from langchain_drift.callbacks import DriftCallbackHandler, ThreadReport
from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.verdict import DriftVerdict
from langchain_drift.errors import InvalidInputError
from langchain_drift.tracker import DriftTracker

DriftSource = (
    DriftTracker
    | DriftCallbackHandler
    | ThreadReport
    | Sequence[TurnResult]
    | Mapping[str, Sequence[TurnResult]]
)
"""What has turns with scores: a tracker, a handler, a thread, results, or results by name."""

_KINDS = (
    "a tracker, a handler, a thread of it, a list of results, or a dict of such lists by the name "
    "of the conversation"
)


@dataclass(frozen=True)
class Conversation:
    """A scored conversation.

    Attributes:
        name: What it is called.
        turns: Its turns, oldest first.
        purpose: What it is held against; None if that is not known.
    """

    name: str
    turns: tuple[TurnResult, ...]
    purpose: str | None = None

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The number of each turn; that of one without a score follows the one before."""
        found: list[int] = []
        for turn in self.turns:
            following = found[-1] + 1 if found else 1
            number = turn.drift.turn_number if turn.drift else 0
            found.append(number or following)
        return tuple(found)

    @cached_property
    def scores(self) -> tuple[float | None, ...]:
        """The score after each turn; None where there is none."""
        return tuple(turn.drift.score if turn.drift else None for turn in self.turns)

    @cached_property
    def lowest(self) -> float | None:
        """The lowest score; None without any."""
        return min((score for score in self.scores if score is not None), default=None)

    @property
    def scored(self) -> bool:
        """Whether any of its turns has a score."""
        return self.lowest is not None

    @property
    def lowest_at(self) -> int | None:
        """The number of the first turn with the lowest score; None without any."""
        return None if self.lowest is None else self.numbers[self.scores.index(self.lowest)]

    @property
    def last(self) -> float | None:
        """The score after the last turn that has one."""
        return next((score for score in reversed(self.scores) if score is not None), None)

    @property
    def verdict(self) -> DriftVerdict | None:
        """The band of the lowest score."""
        return None if self.lowest is None else DriftVerdict.from_score(self.lowest)

    @property
    def departures(self) -> tuple[int, ...]:
        """The numbers of the turns at which it left its purpose."""
        return self._numbers_where([turn.departed for turn in self.turns])

    @property
    def returns(self) -> tuple[int, ...]:
        """The numbers of the turns at which it came back."""
        return self._numbers_where([turn.returned for turn in self.turns])

    @property
    def alarms(self) -> int:
        """How many turns are an alarm."""
        return sum(turn.drift is not None and turn.drift.is_alarm() for turn in self.turns)

    @property
    def left(self) -> bool:
        """Whether it was off purpose at any of its turns."""
        return self.alarms > 0

    @property
    def ended_off(self) -> bool:
        """Whether it was off purpose at its last turn with a score."""
        drift = next((turn.drift for turn in reversed(self.turns) if turn.drift), None)
        return drift is not None and drift.is_alarm()

    def _numbers_where(self, chosen: Sequence[bool]) -> tuple[int, ...]:
        return tuple(n for n, is_one in zip(self.numbers, chosen, strict=True) if is_one)


def conversations_of(source: DriftSource) -> list[Conversation]:
    """Return the conversations of whatever has some.

    Raises:
        InvalidInputError: If it has none, or is of another kind.
    """
    found = [each for each in _read(source) if each.turns]
    if not found:
        message = f"{_named(source)} has no turn to show; record or score one first."
        raise InvalidInputError(message)
    return found


def _read(source: object) -> Iterator[Conversation]:
    if isinstance(source, DriftTracker):
        yield Conversation(source.session_id, source.recent, source.scorer.purpose.prompt)
    elif isinstance(source, DriftCallbackHandler):
        for name in source.threads:
            yield from _read(source.thread(name))
    elif isinstance(source, ThreadReport):
        yield Conversation(source.thread_id, source.turns, source.system_prompt)
    elif isinstance(source, Mapping):
        for name, turns in source.items():
            yield Conversation(str(name), _results(turns))
    else:
        yield Conversation("conversation", _results(source))


def _results(turns: object) -> tuple[TurnResult, ...]:
    if not isinstance(turns, Iterable) or isinstance(turns, str | bytes):
        message = f"{turns!r:.60} has no turns to show; give {_KINDS}."
        raise InvalidInputError(message)
    found = tuple(turns)
    for turn in found:
        if not isinstance(turn, TurnResult):
            message = f"{turn!r:.60} is no result of a turn; give {_KINDS}."
            raise InvalidInputError(message)
    return found


def _named(source: object) -> str:
    return f"This {type(source).__name__}"
