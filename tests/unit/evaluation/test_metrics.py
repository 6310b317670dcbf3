"""Ranking and decision metrics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.errors import InvalidInputError
from langchain_drift.evaluation.metrics import auroc, bootstrap_auroc, decide

SCORED = st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=1, max_size=40)


def split(scored):
    """Return scores and truths of pairs."""
    return [float(score) for score, _ in scored], [truth for _, truth in scored]


def test_auroc_counts_pairs_and_halves_ties():
    """Of four pairs one is won, two are tied and one is lost."""
    assert auroc([3, 1, 3, 1], [True, True, False, False]) == pytest.approx(0.5)
    assert auroc([3, 2, 2, 1], [True, True, False, False]) == pytest.approx(0.875)


@pytest.mark.parametrize("truth", [[], [True, True], [False]])
def test_auroc_of_one_class_is_none(truth):
    """Without both classes there is nothing to rank."""
    assert auroc([0.5] * len(truth), truth) is None
    assert bootstrap_auroc([0.5] * len(truth), truth, range(len(truth))) is None


@given(SCORED)
def test_auroc_equals_the_count_over_all_pairs(scored):
    """The ranked form is the definition: won pairs plus half of the ties."""
    scores, truth = split(scored)
    pairs = [
        (a > b) + (a == b) / 2
        for a, hit in zip(scores, truth, strict=True)
        if hit
        for b, other in zip(scores, truth, strict=True)
        if not other
    ]
    expected = pytest.approx(sum(pairs) / len(pairs)) if pairs else None
    assert auroc(scores, truth) == expected


@given(SCORED)
def test_reversed_scores_give_the_complement(scored):
    """Turning the ranking round turns the AUROC round."""
    scores, truth = split(scored)
    found = auroc(scores, truth)
    turned = auroc([-score for score in scores], truth)
    assert turned == (None if found is None else pytest.approx(1 - found))


@given(SCORED)
def test_interval_is_ordered_and_reproducible(scored):
    """The interval lies in 0 to 1, low end first, and is the same every time."""
    scores, truth = split(scored)
    groups = [i // 3 for i in range(len(scores))]
    found = bootstrap_auroc(scores, truth, groups, draws=20)
    assert found == bootstrap_auroc(scores, truth, groups, draws=20)
    assert found is None or 0 <= found[0] <= found[1] <= 1


def test_interval_resamples_whole_groups():
    """It equals the percentiles of AUROCs of drawn groups, computed the long way."""
    rng = np.random.default_rng(1)
    scores, truth = rng.normal(size=60).round(1), rng.random(60) < 0.4
    groups = np.repeat(np.arange(12), 5)
    draws, again = [], np.random.default_rng(7)
    for _ in range(50):
        drawn = again.integers(0, 12, 12)
        picked = np.concatenate([np.flatnonzero(groups == group) for group in drawn])
        draws.append(auroc(scores[picked], truth[picked]))
    expected = pytest.approx(tuple(np.percentile(draws, [2.5, 97.5])))
    assert bootstrap_auroc(scores, truth, groups, draws=50, seed=7) == expected


def test_identical_groups_leave_no_doubt():
    """Groups that are all the same give an interval of no width."""
    found = bootstrap_auroc([2, 1, 0] * 9, [True, False, True] * 9, np.repeat(range(9), 3))
    assert found == pytest.approx((0.5, 0.5))


def test_decisions_are_counted_by_hand():
    """Two of three positives and one of two negatives flagged."""
    found = decide([True, True, False, True, False], [True, True, True, False, False])
    assert (found.n_pos, found.n_neg) == (3, 2)
    assert found.tpr == pytest.approx(2 / 3)
    assert found.fpr == pytest.approx(1 / 2)
    assert found.precision == pytest.approx(2 / 3)
    assert found.balanced_accuracy == pytest.approx(7 / 12)


def test_decisions_about_nothing_are_none():
    """A rate without a denominator is None, not 0."""
    found = decide([False], [False])
    assert (found.tpr, found.precision, found.balanced_accuracy) == (None, None, None)
    assert found.fpr == 0


def test_unusable_numbers_are_refused():
    """Lengths that differ, NaN and zero draws are named."""
    with pytest.raises(InvalidInputError, match="equally long"):
        auroc([1.0], [True, False])
    with pytest.raises(InvalidInputError, match="at 1 is NaN"):
        auroc([1.0, float("nan")], [True, False])
    with pytest.raises(InvalidInputError, match="1 groups for 2 scores"):
        bootstrap_auroc([1, 2], [True, False], [0])
    with pytest.raises(InvalidInputError, match="draws is 0"):
        bootstrap_auroc([1, 2], [True, False], [0, 1], draws=0)
