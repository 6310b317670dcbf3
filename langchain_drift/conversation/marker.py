"""The off-topic marker: words that mark a refusal, set in strategies that look for refusals."""

from collections.abc import Sequence
from copy import copy

from langchain_drift.conversation.composite import CompositeStrategy
from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.refusal import MARKER
from langchain_drift.conversation.strategy import Strategy
from langchain_drift.errors import InvalidInputError


def with_marker(strategies: Sequence[Strategy], marker: str | None) -> Sequence[Strategy]:
    """Return strategies that look for this marker instead of their own.

    Args:
        strategies: Strategies; they are not changed.
        marker: Words the assistant is told to say when it declines; None for none. The default
            one leaves each strategy its own.

    Raises:
        InvalidInputError: If there is a marker and no strategy looks for one.
    """
    if marker == MARKER:
        return strategies
    if marker is not None and not any(map(_looks, strategies)):
        names = " and ".join(dict.fromkeys(type(strategy).__name__ for strategy in strategies))
        message = (
            f"off_topic_marker is {marker!r:.80}, but {names} does not look for refusals; leave "
            "it out, or pass a PurposeStrategy among the strategies."
        )
        raise InvalidInputError(message)
    return [_marked(strategy, marker) for strategy in strategies]


def _looks(strategy: Strategy) -> bool:
    if isinstance(strategy, CompositeStrategy):
        return any(map(_looks, strategy.strategies))
    return isinstance(strategy, PurposeStrategy)


def _marked(strategy: Strategy, marker: str | None) -> Strategy:
    if isinstance(strategy, CompositeStrategy):
        mixed = copy(strategy)
        mixed.strategies = tuple(_marked(inner, marker) for inner in strategy.strategies)
        return mixed
    if isinstance(strategy, PurposeStrategy):
        marked = copy(strategy)
        marked.off_topic_marker = marker
        return marked
    return strategy
