"""A scored turn on its way: kept when its run ends, or foreseen before that."""

from typing import NamedTuple

from langchain_drift.callbacks.exchange import Exchange
from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.scorer import DriftScorer, ScorerState


class Scored(NamedTuple):
    """A scored turn that is not yet kept.

    Attributes:
        scorer: What it was scored with.
        since: The state it was scored from, as the conversation holds it; None at its start.
        before: The state it was scored from.
        state: The state after it.
        result: What is said of it.
        is_redo: Whether it takes the place of the last turn.
    """

    scorer: DriftScorer
    since: ScorerState | None
    before: ScorerState
    state: ScorerState
    result: TurnResult
    is_redo: bool


class Foreseen(NamedTuple):
    """A turn as it was scored before its run ended.

    Attributes:
        exchange: What had been said.
        scored: What it was scored; None if that failed.
        error: Why it failed.
    """

    exchange: Exchange
    scored: Scored | None = None
    error: BaseException | None = None

    def is_of(self, exchange: Exchange) -> bool:
        """Return whether the turn ended as it was foreseen."""
        own = self.exchange
        return (own.user.text, own.reply.text) == (exchange.user.text, exchange.reply.text)
