import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.text import substance


def value(words):
    """Return the documented formula for a number of words."""
    return 1 - math.exp(-((words / 1.6) ** 2))


@pytest.mark.parametrize(
    "text",
    [
        "Yes.",
        "19.99%.",
        "Thanks!",
        "ok do that",
        "42",
        "🎉",
        "",
        "You're welcome! Have a great day!",
        "Is there anything else I can help you with?",
        "谢谢",
        "好的",
        "はい",
        "ありがとうございます",
        "ja, bitte",
    ],
)
def test_small_talk_and_bare_values_say_nothing(text):
    """What could belong to any topic has next to no substance."""
    assert substance(text) <= 0.1


@pytest.mark.parametrize("text", ["and the blue one?", "What about tomorrow?", "Cancel"])
def test_one_word_says_little(text):
    """One content word leaves the topic open."""
    assert substance(text) <= 0.35


@pytest.mark.parametrize(
    "text",
    [
        "My credit card was stolen yesterday.",
        "I can help you reset your PIN in the app.",
        "The capital of France is Paris.",
        "Meine Kreditkarte wurde gestern gestohlen.",
        "我昨天丢失了信用卡",
        "Где находится ближайший банкомат?",
    ],
)
def test_a_full_sentence_says_enough(text):
    """A sentence about something can be judged."""
    assert substance(text) > 0.9


def test_the_formula_by_hand():
    """Two content words give 1 - exp(-(2 / 1.6)²) = 0.7904, repeated words count once."""
    assert substance("cancel the card") == pytest.approx(0.79039, abs=1e-5)
    assert substance("cancel the card, the CARD, the cards") == pytest.approx(value(2))
    assert substance("信用卡") == pytest.approx(value(1.5))
    assert substance("no card") == pytest.approx(value(1))


@given(st.text(), st.text())
def test_substance_is_a_share_that_grows(text, more):
    """The value lies in [0, 1] and never falls when a line is added."""
    alone, together = substance(text), substance(f"{text}\n{more}")
    assert 0 <= alone <= together + 1e-12 <= 1 + 1e-12
