"""Ranking and decision metrics; each is None where there is nothing to count."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict

from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError

_SEED = 20261130
_TAILS = (2.5, 97.5)
# As many standard deviations hold 95 % of a normal distribution.
_Z = 1.96


class Decision(BaseModel):
    """How good yes/no decisions are.

    Attributes:
        tpr: Share of the positives that were flagged.
        fpr: Share of the negatives that were flagged.
        precision: Share of the flagged that are positive.
        balanced_accuracy: Mean of the shares of positives and of negatives decided rightly.
        n_pos: Number of positives.
        n_neg: Number of negatives.
    """

    model_config = ConfigDict(frozen=True)

    tpr: float | None
    fpr: float | None
    precision: float | None
    balanced_accuracy: float | None
    n_pos: int
    n_neg: int


def auroc(scores: ArrayLike, positive: ArrayLike) -> float | None:
    """Return the probability that a positive outranks a negative, ties counted half.

    Args:
        scores: Numbers, high for positive.
        positive: Whether each of them is positive.

    Returns:
        0 to 1, or None if there are no positives or no negatives.

    Raises:
        InvalidInputError: If the two differ in length or a score is not a number.
    """
    values, truth = _checked(scores, positive)
    _, places = np.unique(values, return_inverse=True)
    return _weighted(places, truth, np.ones(len(values)))


def bootstrap_auroc(
    scores: ArrayLike,
    positive: ArrayLike,
    groups: ArrayLike,
    *,
    draws: int = 400,
    seed: int = _SEED,
) -> tuple[float, float] | None:
    """Return the 95 % interval of the AUROC, resampling whole groups.

    Turns of one conversation depend on each other, so the conversations are drawn, not the turns.

    Args:
        scores: Numbers, high for positive.
        positive: Whether each of them is positive.
        groups: The group each belongs to, say the number of its conversation.
        draws: How often the groups are drawn.
        seed: Makes the draws the same every time.

    Returns:
        The two ends, or None if there are no positives or no negatives.

    Raises:
        InvalidInputError: If lengths differ, a score is not a number or draws is below 1.
    """
    values, truth = _checked(scores, positive)
    _, members = np.unique(np.asarray(groups), return_inverse=True)
    _check_draws(draws, members, values)
    _, places = np.unique(values, return_inverse=True)
    rng, n_groups = np.random.default_rng(seed), int(members.max(initial=-1)) + 1
    drawn = (_draw(rng, n_groups)[members] for _ in range(draws if n_groups else 0))
    found = [_weighted(places, truth, weights) for weights in drawn]
    kept = [value for value in found if value is not None]
    if not kept:
        return None
    low, high = np.percentile(kept, _TAILS)
    return float(low), float(high)


def decide(flags: ArrayLike, positive: ArrayLike) -> Decision:
    """Count how good yes/no decisions are.

    Args:
        flags: Whether each was decided to be positive.
        positive: Whether it is.

    Raises:
        InvalidInputError: If the two differ in length.
    """
    said, truth = _checked(flags, positive)
    flagged = said.astype(bool)
    n_pos, n_neg = int(truth.sum()), int((~truth).sum())
    right = int((flagged & truth).sum())
    tpr = share(right, n_pos)
    fpr = share(int((flagged & ~truth).sum()), n_neg)
    return Decision(
        tpr=tpr,
        fpr=fpr,
        precision=share(right, int(flagged.sum())),
        balanced_accuracy=None if tpr is None or fpr is None else (tpr + 1 - fpr) / 2,
        n_pos=n_pos,
        n_neg=n_neg,
    )


def share(hits: int, total: int) -> float | None:
    """Return `hits / total`, or None if there is nothing to count."""
    return hits / total if total else None


def share_interval(rate: float | None, total: int) -> tuple[float, float] | None:
    """Return the 95 % interval of a share of independent cases, after Wilson.

    Args:
        rate: The share, 0 to 1; None if there is nothing to count.
        total: The number of cases.
    """
    if rate is None or not total:
        return None
    scale = 1 + _Z**2 / total
    middle = (rate + _Z**2 / (2 * total)) / scale
    half = _Z * sqrt(rate * (1 - rate) / total + _Z**2 / (4 * total**2)) / scale
    return max(0.0, middle - half), min(1.0, middle + half)


def mean(flags: Sequence[bool]) -> float | None:
    """Return the share of flags that are set, or None if there are none."""
    return share(sum(flags), len(flags))


def _weighted(
    places: NDArray[np.intp], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> float | None:
    """Return the AUROC of ranked values that count `weights` times each."""
    found = np.bincount(places, weights * positive)
    against = np.bincount(places, weights * ~positive)
    pairs = float(found.sum() * against.sum())
    if not pairs:
        return None
    below = np.cumsum(against) - against / 2
    return float(found @ below) / pairs


def _draw(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Return how often each of n groups is drawn in n draws with replacement."""
    return np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)


def _checked(
    scores: ArrayLike, positive: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    values, truth = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    if values.ndim != 1 or values.shape != truth.shape:
        message = (
            f"Values of shape {values.shape} cannot be held against labels of shape "
            f"{truth.shape}; give one flat list of each, equally long."
        )
        raise InvalidInputError(message)
    if np.isnan(values).any():
        message = f"The value at {int(np.isnan(values).argmax())} is NaN; give numbers only."
        raise InvalidInputError(message)
    return values, truth


def _check_draws(draws: int, members: NDArray[np.intp], values: NDArray[np.float64]) -> None:
    if members.shape != values.shape:
        message = (
            f"There are {members.size} groups for {values.size} scores; give one group a score."
        )
        raise InvalidInputError(message)
    check_count("draws", draws)
