import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.text.hedges import without_hedge


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("I'm not sure, but it opens at nine.", "it opens at nine."),
        ("Well, I’m not entirely sure but it is red.", "it is red."),
        ("I am not sure how it works, however it is cheap.", "it is cheap."),
        ("Not sure, but the capital is Paris.", "the capital is Paris."),
        ("I don't know who the mayor is, but Paris is the capital.", "Paris is the capital."),
        ("We can't say exactly, but it costs 5 euros.", "it costs 5 euros."),
    ],
)
def test_a_hedge_is_taken_off(sentence, said):
    """What stands behind "I'm not sure, but" is what is said."""
    assert without_hedge(sentence) == said


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm not sure.",
        "I don't know.",
        "I don't know if it is open, closed or under repair.",
        "It is not sure, but likely.",
        "Paris is the capital.",
        "",
    ],
)
def test_what_is_no_hedge_stays(sentence):
    """A bare doubt, and what does not open with one, is returned as it is."""
    assert without_hedge(sentence) == sentence


@given(st.text())
def test_a_hedge_is_an_opening(text):
    """Whatever the text, what is returned is its end."""
    assert text.endswith(without_hedge(text))
