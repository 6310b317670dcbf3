"""The composite: several strategies, averaged."""

import asyncio
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from numbers import Real
from typing import cast

from langchain_drift.conversation.published_contract import PublishedScore
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.result import Abstention
from langchain_drift.conversation.strategy import Judgement, State, Strategy
from langchain_drift.conversation.turn import Turn
from langchain_drift.errors import InvalidInputError


class CompositeStrategy(Strategy):
    """The weighted mean of the strategies that judge a turn.

    Those that abstain are left out of the mean; if all abstain, so does the composite. If one
    sees a refusal, the turn is a refusal. In both cases the running score stays.

    Args:
        strategies: At least one strategy. Of the same name, the second is shown as `name_2`.
        weights: One weight for each, not negative; they are scaled to sum to 1. By default equal.

    Raises:
        InvalidInputError: If there is no strategy, one is none, or the weights do not fit.
    """

    name = "composite"

    def __init__(
        self, strategies: Iterable[Strategy], weights: Sequence[float] | None = None
    ) -> None:
        self.strategies = _checked_strategies(strategies)
        self.weights = _normalised(weights, len(self.strategies))
        self._keys = _distinct([strategy.name for strategy in self.strategies])

    def start(self) -> State:
        """Return the state before the first turn."""
        return {"score": 100.0, "states": [strategy.start() for strategy in self.strategies]}

    def step(self, purpose: Purpose, state: State, turn: Turn) -> tuple[State, Judgement]:
        """Judge a turn by each strategy."""
        states = self._states(state)
        pairs = zip(self.strategies, states, strict=True)
        return self._mix(state, [one.step(purpose, inner, turn) for one, inner in pairs])

    async def astep(self, purpose: Purpose, state: State, turn: Turn) -> tuple[State, Judgement]:
        """Judge a turn by all strategies at once, without blocking the event loop."""
        states = self._states(state)
        pairs = zip(self.strategies, states, strict=True)
        steps = (one.astep(purpose, inner, turn) for one, inner in pairs)
        return self._mix(state, await asyncio.gather(*steps))

    def score(self, system_prompt: str, assistant_responses: Sequence[str]) -> PublishedScore:
        """Score replies by the published contract, which every strategy must then offer.

        Raises:
            InvalidInputError: If a strategy does not offer `score`.
        """
        methods = [_score_method(strategy) for strategy in self.strategies]
        scores = [method(system_prompt, assistant_responses)[0] for method in methods]
        mean = _mean(scores, self.weights)
        names = _distinct([*(strategy.name for strategy in self.strategies), self.name])
        pairs = zip(names, [*scores, mean], strict=True)
        return mean, {name: round(score, 2) for name, score in pairs}

    def _states(self, state: State) -> list[State]:
        states: list[State] = state["states"]
        if len(states) != len(self.strategies):
            message = (
                f"The state is of {len(states)} strategies, this composite has "
                f"{len(self.strategies)}. Begin again with start()."
            )
            raise InvalidInputError(message)
        return states

    def _mix(
        self, state: State, stepped: Sequence[tuple[State, Judgement]]
    ) -> tuple[State, Judgement]:
        judgements = [judgement for _, judgement in stepped]
        named = list(zip(self._keys, judgements, strict=True))
        refused = any(judgement.refused for judgement in judgements)
        score, abstained = self._vote(judgements)
        if refused or abstained:
            score = state["score"]
        judgement = Judgement(
            score=score,
            parts={key: one.score for key, one in named},
            metadata={key: one.metadata for key, one in named if one.metadata},
            evidence=next((one.evidence for one in judgements if one.evidence), None),
            abstained=None if refused else abstained,
            refused=refused,
        )
        return {"score": score, "states": [inner for inner, _ in stepped]}, judgement

    def _vote(self, judgements: Sequence[Judgement]) -> tuple[float, Abstention | None]:
        """Return the mean of those that judge, or why none does; a weight of 0 has no vote."""
        pairs = zip(judgements, self.weights, strict=True)
        entitled = [(judgement, weight) for judgement, weight in pairs if weight]
        voting = [(one, weight) for one, weight in entitled if not one.abstained]
        if not voting:
            return 0.0, entitled[0][0].abstained
        return _mean([one.score for one, _ in voting], [weight for _, weight in voting]), None


def _score_method(strategy: Strategy) -> Callable[[str, Sequence[str]], PublishedScore]:
    method = getattr(strategy, "score", None)
    if not callable(method):
        message = (
            f"{type(strategy).__name__} has no score(system_prompt, assistant_responses) of the "
            "published contract; use the composite as a strategy of its own."
        )
        raise InvalidInputError(message)
    return cast("Callable[[str, Sequence[str]], PublishedScore]", method)


def _mean(scores: Sequence[float], weights: Sequence[float]) -> float:
    products = (score * weight for score, weight in zip(scores, weights, strict=True))
    return min(math.fsum(products) / math.fsum(weights), 100.0)


def _checked_strategies(strategies: Iterable[Strategy]) -> tuple[Strategy, ...]:
    checked = tuple(strategies)
    if not checked:
        message = "strategies is empty; a composite needs at least one strategy."
        raise InvalidInputError(message)
    for index, strategy in enumerate(checked):
        if not isinstance(strategy, Strategy):
            message = (
                f"Strategy {index} is {strategy!r:.80}, but must be a Strategy object, such as "
                "PurposeStrategy()."
            )
            raise InvalidInputError(message)
    return checked


def _normalised(weights: Sequence[float] | None, size: int) -> tuple[float, ...]:
    """Return the weights, scaled to sum to 1."""
    given = (1.0,) * size if weights is None else tuple(weights)
    if len(given) != size:
        message = f"There are {len(given)} weights for {size} strategies; pass one for each."
        raise InvalidInputError(message)
    fits = all(isinstance(weight, Real) and weight >= 0 for weight in given)
    total = sum(given) if fits else 0.0
    if not 0 < total < math.inf:
        message = (
            f"weights is {list(given)}, but must be finite numbers, none negative and one of them "
            "above 0."
        )
        raise InvalidInputError(message)
    return tuple(weight / total for weight in given)


def _distinct(names: Iterable[str]) -> list[str]:
    """Return the names, each made unique: the second `purpose` becomes `purpose_2`."""
    found: list[str] = []
    for name in names:
        candidates = (f"{name}_{number}" if number > 1 else name for number in count(1))
        found.append(next(candidate for candidate in candidates if candidate not in found))
    return found
