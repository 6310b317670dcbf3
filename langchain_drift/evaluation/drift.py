"""Drift evaluation: how well scores tell on-purpose turns from off-purpose ones."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.strategy import Strategy
from langchain_drift.evaluation.alarms import Departures, FalseAlarms, Recovery
from langchain_drift.evaluation.labelled import LabelledConversation
from langchain_drift.evaluation.metrics import Decision, auroc, bootstrap_auroc, decide, mean
from langchain_drift.evaluation.track import Track, alone, follow, running


class DriftEvaluation(BaseModel):
    """The figures of a set of labelled conversations; None where there is nothing to count.

    Attributes:
        dialogues: Conversations.
        turns: Turns of any label.
        on: Turns labelled `on`; only these and the `off` ones count in rankings and decisions.
        off: Turns labelled `off`.
        auroc: Probability that an off turn scores below an on turn, ties counted half.
        auroc_interval: Its 95 % interval, resampling conversations.
        auroc_without_ack: The same without turns that only affirm, negate, thank or select.
        alarm: How good the alarms are, turn by turn.
        alarm_without_ack: The same without such turns.
        departures: How soon leaving raises an alarm.
        false_alarms: Alarms in conversations that never leave.
        recovery: Whether the alarm is off again after the return.
        abstained: Share of all turns that were not judged.
        ms_per_turn: Milliseconds to score a turn.
    """

    model_config = ConfigDict(frozen=True)

    dialogues: int
    turns: int
    on: int
    off: int
    auroc: float | None
    auroc_interval: tuple[float, float] | None
    auroc_without_ack: float | None
    alarm: Decision
    alarm_without_ack: Decision
    departures: Departures
    false_alarms: FalseAlarms
    recovery: Recovery
    abstained: float | None
    ms_per_turn: float


def evaluate(
    conversations: Iterable[LabelledConversation],
    *,
    strategy: Strategy | None = None,
    without_filter: bool = False,
) -> DriftEvaluation:
    """Score labelled conversations, each at its own purpose, and count how well that went.

    Args:
        conversations: See `read_labelled`; read once.
        strategy: How turns are judged; by default `PurposeStrategy()`.
        without_filter: Whether every figure stands on each turn's own evidence instead of the
            running score: 100 times `TurnEvidence.on_purpose`, an alarm below 55. A turn
            without evidence keeps the value before.

    Returns:
        The figures.

    Raises:
        InvalidInputError: If the strategy gives no evidence to do without the filter.

    Example:
        ```python
        found = evaluate(read_labelled("chats.jsonl"))
        found.auroc, found.false_alarms.rate
        ```
    """
    judge, value_of = strategy or PurposeStrategy(), alone if without_filter else running
    return _measure([follow(conversation, judge, value_of) for conversation in conversations])


def _measure(tracks: Sequence[Track]) -> DriftEvaluation:
    turns, counted = sum(len(track.scores) for track in tracks), _counted(tracks)
    weighty = [turn for turn in counted if not turn.ack]
    off = sum(turn.off for turn in counted)
    return DriftEvaluation(
        dialogues=len(tracks),
        turns=turns,
        on=len(counted) - off,
        off=off,
        auroc=_auroc(counted),
        auroc_interval=_interval(counted),
        auroc_without_ack=_auroc(weighty),
        alarm=_alarm(counted),
        alarm_without_ack=_alarm(weighty),
        departures=Departures.of(tracks),
        false_alarms=FalseAlarms.of(tracks),
        recovery=Recovery.of(tracks),
        abstained=mean([flag for track in tracks for flag in track.abstained]),
        ms_per_turn=1000 * sum(track.seconds for track in tracks) / max(1, turns),
    )


class _Counted(NamedTuple):
    """A turn that is on or off; `badness` is its score turned round."""

    dialogue: int
    off: bool
    badness: float
    alarm: bool
    ack: bool


def _counted(tracks: Sequence[Track]) -> list[_Counted]:
    return [
        _Counted(number, turn.label == "off", -score, alarm, turn.ack)
        for number, track in enumerate(tracks)
        for turn, score, alarm in zip(
            track.conversation.turns, track.scores, track.alarms, strict=True
        )
        if turn.label in ("on", "off")
    ]


def _auroc(turns: Sequence[_Counted]) -> float | None:
    return auroc([turn.badness for turn in turns], [turn.off for turn in turns])


def _interval(turns: Sequence[_Counted]) -> tuple[float, float] | None:
    return bootstrap_auroc(
        [turn.badness for turn in turns],
        [turn.off for turn in turns],
        [turn.dialogue for turn in turns],
    )


def _alarm(turns: Sequence[_Counted]) -> Decision:
    return decide([turn.alarm for turn in turns], [turn.off for turn in turns])
