"""A track: the scores of one labelled conversation beside its labels."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.scorer import DriftScorer
from langchain_drift.conversation.strategy import Strategy
from langchain_drift.conversation.verdict import ALARM
from langchain_drift.errors import InvalidInputError
from langchain_drift.evaluation.labelled import LabelledConversation

ValueFunction = Callable[[TurnResult, float], float]
"""Makes the value of a turn, 0 to 100, of its result and the value before."""


@dataclass(frozen=True)
class Track:
    """What came of one conversation; all tuples are as long as the conversation.

    Attributes:
        conversation: The conversation.
        scores: The value at each turn, 0 (off purpose) to 100.
        abstained: Whether a turn was not judged.
        judged: Whether a turn moved the score: neither abstained nor refused.
        seconds: How long scoring took.
    """

    conversation: LabelledConversation
    scores: tuple[float, ...]
    abstained: tuple[bool, ...]
    judged: tuple[bool, ...]
    seconds: float

    @property
    def alarms(self) -> tuple[bool, ...]:
        """Whether the score is an alarm at each turn."""
        return tuple(score < ALARM for score in self.scores)


def running(result: TurnResult, before: float) -> float:
    """Return the filtered score after a turn."""
    return result.drift.score if result.drift else before


def alone(result: TurnResult, before: float) -> float:
    """Return 100 times the probability that a turn alone is on purpose.

    A turn that was not judged keeps the value before.

    Raises:
        InvalidInputError: If the strategy judged the turn but gives no evidence.
    """
    if result.evidence:
        return 100 * result.evidence.on_purpose
    if result.abstained:
        return before
    message = (
        "The strategy gives no evidence of a turn alone, which without_filter=True ranks by. "
        "Use PurposeStrategy, or leave without_filter out."
    )
    raise InvalidInputError(message)


def follow(
    conversation: LabelledConversation, strategy: Strategy, value_of: ValueFunction = running
) -> Track:
    """Score a conversation at its own purpose; a turn without a reply is judged by its user."""
    scorer = DriftScorer(conversation.purpose, conversation.examples, strategy=strategy)
    began, state, value = time.perf_counter(), scorer.start(), 100.0
    scores, abstained, judged = [], [], []
    for turn in conversation.turns:
        state, result = scorer.step(state, turn.user, turn.assistant or turn.user)
        value = value_of(result, value)
        scores.append(value)
        abstained.append(result.abstained is not None)
        judged.append(result.abstained is None and not result.refused)
    seconds = time.perf_counter() - began
    return Track(conversation, tuple(scores), tuple(abstained), tuple(judged), seconds)
