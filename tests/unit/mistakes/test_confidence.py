import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.mistakes.confidence import confidence, published_confidence, recency

weights = st.floats(0, 1000)


@pytest.mark.parametrize(
    ("strength", "failing", "working", "expected"),
    [
        (1, 1, 0, 2 / 3),
        (2, 2, 0, 7 / 9),
        (5, 5, 0, 8 / 9),
        (1, 1, 1, 1 / 3),
        (0.25, 0.25, 1, 13 / 45),
        (0, 0, 3, 0),
        (1, 0, 0, 0),
    ],
)
def test_worked_numbers(strength, failing, working, expected):
    """The formula gives what it gives by hand."""
    assert confidence(strength, failing, working) == pytest.approx(expected)


@given(weights, weights, weights)
def test_confidence_is_a_share(strength, failing, working):
    """Confidence lies between 0 and 1."""
    assert 0 <= confidence(strength, failing, working) <= 1


@given(st.floats(0.01, 100), weights, weights)
def test_a_success_never_raises_a_warning(strength, working, more):
    """More successes give at most the same confidence."""
    before = confidence(strength, strength, working)
    assert confidence(strength, strength, working + more) <= before + 1e-12


@given(st.floats(0.01, 100), st.floats(0.01, 100))
def test_more_mistakes_alone_make_surer(strength, more):
    """Where nothing worked, every further mistake raises confidence."""
    total = strength + more
    assert confidence(total, total, 0) > confidence(strength, strength, 0)


def test_age_takes_a_share():
    """A mistake of today weighs 1, one of a month ago half of what age can take less."""
    assert recency(100, 100, 0.15) == 1
    assert recency(0, 30 * 86_400, 0.15) == pytest.approx(1 - 0.075)
    assert recency(0, 3000 * 86_400, 0.15) == pytest.approx(0.85)
    assert recency(200, 100, 0.5) == 1


def test_the_published_worked_number():
    """Seen twice, similarity .81, yesterday, weight .15: the published documentation says 0.81."""
    assert published_confidence(2, 2, 0.81, 1, 0.15) == pytest.approx(0.8054, abs=0.0001)


@pytest.mark.parametrize(
    ("seen", "days", "expected"),
    [
        (1, 0, 0.85 * (0.65 * 0.6 + 0.35) + 0.15),
        (3, 7, 0.85 * (0.65 * 0.85 + 0.35) + 0.15 * 0.85),
        (5, 30, 0.85 * (0.65 * 0.95 + 0.35) + 0.15 * 0.7),
        (9, 31, 0.85 * (0.65 * 0.95 + 0.35) + 0.15 * 0.5),
    ],
)
def test_the_published_steps(seen, days, expected):
    """Frequency and age count in steps."""
    assert published_confidence(seen, seen, 1.0, days, 0.15) == pytest.approx(expected)
