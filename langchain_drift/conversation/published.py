"""The published formula, for those who move over and compare numbers."""

import asyncio
import math
from numbers import Real

from langchain_drift.conversation.composite import CompositeStrategy
from langchain_drift.conversation.lexical import KeywordStrategy, TokenOverlapStrategy
from langchain_drift.conversation.published_contract import (
    PublishedScore,
    PublishedScorer,
    initial_context,
)
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.result import Abstention
from langchain_drift.conversation.strategy import Judgement, State, Strategy
from langchain_drift.conversation.turn import Turn
from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError

_MOST_KEPT = 200
"""Replies a state keeps at most, whatever the window."""


class PublishedFormulaStrategy(Strategy):
    """The score of the published packages, number for number: it can only fall.

    The last replies together are scored against the prompt and its examples; the score is
    multiplied by `decay_rate ** (turn / 2)` and never rises above the lowest one so far. So a
    perfect conversation, too, is an alarm at turn 24. `PurposeStrategy` has no such law.

    One thing is different: an empty reply, such as a tool call, is no turn. It is not scored, does
    not count, and leaves the score as it is.

    Args:
        scorer: Anything with `score(system_prompt, assistant_responses)` that returns a score from
            0 to 100 and a dict of its parts, such as `ZonedCosine`; if it also has `ascore`, that
            serves the async method. By default the equal mix of keywords and token overlap.
        decay_rate: What half a turn is worth of the one before, above 0 and at most 1.
        window_size: How many replies are scored together; 0 for the whole session. The state
            keeps, and the score sees, at most the last 200.

    Raises:
        InvalidInputError: If a parameter has a value it cannot take.
    """

    name = "published"

    def __init__(
        self,
        scorer: PublishedScorer | None = None,
        *,
        decay_rate: float = 0.95,
        window_size: int = 5,
    ) -> None:
        _check_scorer(scorer)
        _check_decay_rate(decay_rate)
        self.scorer = scorer or CompositeStrategy([KeywordStrategy(), TokenOverlapStrategy()])
        self.decay_rate = decay_rate
        self.window_size = check_count(
            "window_size", window_size, least=0, hint="0 means the whole session"
        )

    def with_parameters(
        self, decay_rate: float | None = None, window_size: int | None = None
    ) -> "PublishedFormulaStrategy":
        """Return the same strategy with the given parameters replaced."""
        return PublishedFormulaStrategy(
            self.scorer,
            decay_rate=self.decay_rate if decay_rate is None else decay_rate,
            window_size=self.window_size if window_size is None else window_size,
        )

    def start(self) -> State:
        """Return the state before the first turn."""
        return {"floor": 100.0, "turn": 0, "replies": []}

    def step(self, purpose: Purpose, state: State, turn: Turn) -> tuple[State, Judgement]:
        """Judge the last replies, this one included; without a reply the score stays."""
        if not turn.assistant.strip():
            return _abstain(state)
        replies = self._window(state, turn)
        return self._judge(state, replies, self.scorer.score(initial_context(purpose), replies))

    async def astep(self, purpose: Purpose, state: State, turn: Turn) -> tuple[State, Judgement]:
        """Judge without blocking the event loop: by the scorer's `ascore`, or in a thread."""
        if not turn.assistant.strip():
            return _abstain(state)
        replies, context = self._window(state, turn), initial_context(purpose)
        ascore = getattr(self.scorer, "ascore", None)
        if ascore is None:
            found = await asyncio.to_thread(self.scorer.score, context, replies)
        else:
            found = await ascore(context, replies)
        return self._judge(state, replies, found)

    def _window(self, state: State, turn: Turn) -> list[str]:
        size = min(self.window_size or _MOST_KEPT, _MOST_KEPT)
        return [*state["replies"], turn.assistant][-size:]

    def _judge(
        self, state: State, replies: list[str], found: PublishedScore
    ) -> tuple[State, Judgement]:
        raw, parts = self._checked(found)
        number = state["turn"] + 1
        factor = self.decay_rate ** (number / 2)
        score = min(max(raw * factor, 0.0), state["floor"])
        metadata = {
            "raw_score": round(raw, 2),
            "decay_factor": round(factor, 4),
            "decay_rate": self.decay_rate,
            "window_size": self.window_size,
            "turns_evaluated": len(replies),
        }
        new: State = {"floor": score, "turn": number, "replies": replies}
        return new, Judgement(score=score, parts=parts, metadata=metadata)

    def _checked(self, found: object) -> PublishedScore:
        """Return what the scorer gave if it can be used."""
        match found:
            case (Real() as raw, dict() as parts) if math.isfinite(raw):
                return float(raw), {str(name): float(part) for name, part in parts.items()}
        message = (
            f"{type(self.scorer).__name__}.score gave {found!r:.80}; it must give a finite score "
            "and a dict of its parts by name."
        )
        raise InvalidInputError(message)


def _abstain(state: State) -> tuple[State, Judgement]:
    return state, Judgement(score=state["floor"], abstained=Abstention.NO_REPLY)


def _check_scorer(scorer: object) -> None:
    if scorer is not None and (
        isinstance(scorer, type) or not callable(getattr(scorer, "score", None))
    ):
        message = (
            f"scorer is {scorer!r:.80}, which has no score(system_prompt, assistant_responses). "
            "Pass KeywordStrategy(), TokenOverlapStrategy() or ZonedCosine(embeddings)."
        )
        raise InvalidInputError(message)


def _check_decay_rate(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        message = (
            f"decay_rate is {value!r}, but must be a number above 0 and at most 1; "
            "1 means no decay."
        )
        raise InvalidInputError(message)


def with_parameters(
    strategy: Strategy, *, decay_rate: float | None, window_size: int | None
) -> Strategy:
    """Return the strategy with the parameters that are given, which only the formula takes.

    Raises:
        InvalidInputError: If one is given and the strategy is another, or its value is no good.
    """
    given = {"decay_rate": decay_rate, "window_size": window_size}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return strategy
    if not isinstance(strategy, PublishedFormulaStrategy):
        message = (
            f"{' and '.join(given)} acts only in the published formula; pass "
            "strategies=[PublishedFormulaStrategy()] to use it."
        )
        raise InvalidInputError(message)
    return strategy.with_parameters(decay_rate=decay_rate, window_size=window_size)
