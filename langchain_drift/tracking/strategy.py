"""The one strategy of a tracker, made of the parameters of the published packages."""

from collections.abc import Sequence

from langchain_drift.conversation.composite import CompositeStrategy
from langchain_drift.conversation.marker import with_marker
from langchain_drift.conversation.published import with_parameters
from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.strategy import Strategy
from langchain_drift.errors import InvalidInputError


def make_strategy(
    strategies: Sequence[Strategy] | None,
    marker: str | None,
    *,
    decay_rate: float | None,
    window_size: int | None,
) -> Strategy:
    """Return one strategy; several are averaged.

    Raises:
        InvalidInputError: If a parameter has a value it cannot take.
    """
    strategy = _one(strategies, marker)
    return with_parameters(strategy, decay_rate=decay_rate, window_size=window_size)


def _one(strategies: Sequence[Strategy] | None, marker: str | None) -> Strategy:
    if strategies is None:
        return PurposeStrategy(off_topic_marker=marker)
    if isinstance(strategies, Strategy | str) or not isinstance(strategies, Sequence):
        message = f"strategies must be a list of strategies, not {strategies!r}."
        raise InvalidInputError(message)
    if not strategies:
        message = "strategies must not be empty; leave it out for the default."
        raise InvalidInputError(message)
    for strategy in strategies:
        if not isinstance(strategy, Strategy):
            message = f"strategies must hold Strategy objects, not {strategy!r}."
            raise InvalidInputError(message)
    strategies = with_marker(strategies, marker)
    return strategies[0] if len(strategies) == 1 else CompositeStrategy(strategies)
