"""Alarms by conversation: how soon they come, how often for nothing, how soon they go."""

from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict

from langchain_drift.evaluation.metrics import mean
from langchain_drift.evaluation.track import Track

_PATIENCE = 3

Shares = tuple[float | None, float | None, float | None]
"""Shares at the first, by the second and by the third turn."""


class Departures(BaseModel):
    """How soon a conversation that leaves its purpose raises an alarm.

    Attributes:
        n: Conversations that leave.
        within: Share with an alarm at the turn of leaving, by the next, by the one after.
        clean_within: The same, counting only those without an alarm before they left.
        missed: Share without an alarm until the return, or the end.
        alarm_before: Share with an alarm before they left.
    """

    model_config = ConfigDict(frozen=True)

    n: int
    within: Shares
    clean_within: Shares
    missed: float | None
    alarm_before: float | None

    @classmethod
    def of(cls, tracks: Sequence[Track]) -> Self:
        """Count the departures of conversations."""
        left = [track for track in tracks if track.conversation.depart is not None]
        delays = [_delay(track) for track in left]
        early = [any(track.alarms[: track.conversation.depart]) for track in left]
        clean = [None if before else delay for before, delay in zip(early, delays, strict=True)]
        return cls(
            n=len(left),
            within=_shares(delays),
            clean_within=_shares(clean),
            missed=mean([delay is None for delay in delays]),
            alarm_before=mean(early),
        )


class FalseAlarms(BaseModel):
    """Alarms in conversations that never leave their purpose.

    Attributes:
        n: Conversations that never leave.
        rate: Share of them with at least one alarm.
        turn_rate: Share of their turns, of any label, with an alarm.
    """

    model_config = ConfigDict(frozen=True)

    n: int
    rate: float | None
    turn_rate: float | None

    @classmethod
    def of(cls, tracks: Sequence[Track]) -> Self:
        """Count the false alarms of conversations."""
        calm = [track.alarms for track in tracks if track.conversation.depart is None]
        return cls(
            n=len(calm),
            rate=mean([any(alarms) for alarms in calm]),
            turn_rate=mean([alarm for alarms in calm for alarm in alarms]),
        )


class Recovery(BaseModel):
    """Whether an alarm is off again after a conversation returns to its purpose.

    Attributes:
        n: Conversations that return and raised an alarm while they were away.
        cleared_within_two: Share with the alarm off at the return or at one of the two turns
            after it.
        off_after_two: Share with the alarm off two turns after the return, or at the end if
            that comes sooner.
    """

    model_config = ConfigDict(frozen=True)

    n: int
    cleared_within_two: float | None
    off_after_two: float | None

    @classmethod
    def of(cls, tracks: Sequence[Track]) -> Self:
        """Count the recoveries of conversations."""
        after = []
        for track in tracks:
            back = track.conversation.back
            if back is not None and any(track.alarms[track.conversation.depart : back]):
                after.append(track.alarms[back : back + _PATIENCE])
        return cls(
            n=len(after),
            cleared_within_two=mean([not all(alarms) for alarms in after]),
            off_after_two=mean([not alarms[-1] for alarms in after]),
        )


def _delay(track: Track) -> int | None:
    """Return how many turns after the departure the first alarm comes; None if the return does."""
    away = track.alarms[track.conversation.depart : track.conversation.back]
    return away.index(True) if any(away) else None


def _shares(delays: Sequence[int | None]) -> Shares:
    first, second, third = (
        mean([delay is not None and delay <= turns for delay in delays])
        for turns in range(_PATIENCE)
    )
    return first, second, third
