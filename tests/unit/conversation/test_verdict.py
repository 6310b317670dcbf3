import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import DriftScore, DriftVerdict

BANDS = [
    (100, "fresh"),
    (90, "fresh"),
    (89.999, "mild"),
    (75, "mild"),
    (74.999, "moderate"),
    (55, "moderate"),
    (54.999, "severe"),
    (35, "severe"),
    (34.999, "critical"),
    (0, "critical"),
]


@pytest.mark.parametrize(("score", "verdict"), BANDS)
def test_the_lower_bound_belongs_to_the_band(score, verdict):
    """The bands begin at 90, 75, 55, 35 and 0, and the bound belongs to the upper one."""
    assert DriftVerdict.from_score(score) == verdict
    assert DriftScore(score=score).verdict == verdict


@given(st.floats(0, 100), st.floats(0, 100))
def test_a_higher_score_never_has_a_worse_verdict(one, other):
    """The verdicts are in the order of the scores."""
    order = [verdict.value for verdict in DriftVerdict]
    low, high = sorted((one, other))
    assert order.index(DriftVerdict.from_score(low)) >= order.index(DriftVerdict.from_score(high))


@given(st.floats(0, 100))
def test_the_alarm_is_severe_or_worse(score):
    """An alarm is the two worst bands, a needed reset the worst one, effective is no alarm."""
    drift = DriftScore(score=score)
    assert drift.is_alarm() == (drift.verdict in ("severe", "critical"))
    assert drift.is_effective != drift.is_alarm()
    assert drift.needs_reset == (drift.verdict == "critical")


def test_another_threshold_can_be_asked():
    """`is_alarm` takes a threshold, of the call or of the score."""
    assert DriftScore(score=60).is_alarm(70)
    assert DriftScore(score=60, threshold=70).is_alarm()
    assert not DriftScore(score=60, threshold=70).is_alarm(0)


@pytest.mark.parametrize("score", [-0.1, 100.1, float("nan"), float("inf")])
def test_a_score_out_of_range_is_refused(score):
    """A score is a number from 0 to 100."""
    with pytest.raises(ValueError, match="score"):
        DriftScore(score=score)


def test_a_score_as_plain_json_names_its_verdict():
    """`to_dict` holds what is derived beside what is stored."""
    found = DriftScore(score=40, session_id="s").to_dict()
    assert (found["verdict"], found["is_effective"], found["needs_reset"]) == (
        "severe",
        False,
        False,
    )
