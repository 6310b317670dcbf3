import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.errors import InvalidInputError
from langchain_drift.text import Passages, passages

SENTENCE = "The booking of your card was changed on Monday. "


def test_a_short_text_is_one_passage():
    """Up to `size` characters nothing is cut."""
    assert passages(" Hello there. ") == Passages(("Hello there.",), 1.0)


def test_a_blank_text_has_no_passage():
    """Nothing to read is no passage, and nothing of it is missing."""
    assert passages(" \n ") == Passages((), 1.0)


def test_a_long_text_is_cut_at_sentence_ends():
    """Every passage but the last is made of whole sentences."""
    result = passages(SENTENCE * 50, limit=4, size=900)
    assert result.coverage == 1.0
    assert all(text.endswith("Monday.") and len(text) <= 900 for text in result.texts)


def test_passages_are_spread_from_first_to_last():
    """Of too many pieces the first, the last and some between are taken."""
    text = "".join(f"This is sentence number {number} of many. " for number in range(1000))
    result = passages(text, limit=3, size=300)
    assert len(result.texts) == 3
    assert "number 0 " in result.texts[0]
    assert "number 5" in result.texts[1] or "number 4" in result.texts[1]
    assert "number 999 " in result.texts[2]
    assert 0 < result.coverage < 0.05


def test_without_a_sentence_end_words_stay_whole():
    """A text of words alone is cut between them."""
    result = passages("word " * 400, limit=10, size=101)
    assert {word for text in result.texts for word in text.split()} == {"word"}


def test_one_endless_word_is_cut():
    """A word longer than a passage is cut anywhere."""
    result = passages("x" * 1000, limit=10, size=300)
    assert [len(text) for text in result.texts] == [300, 300, 300, 100]
    assert result.coverage == 1.0


def test_one_passage_of_many_is_the_first():
    """With a limit of one the beginning is taken."""
    assert passages("abcdefgh", limit=1, size=3).texts == ("abc",)


@pytest.mark.parametrize("bounds", [{"limit": 0}, {"size": 0}, {"size": -1}])
def test_senseless_bounds_are_refused(bounds):
    """At least one passage of at least one character."""
    with pytest.raises(InvalidInputError, match="at least 1"):
        passages("text", **bounds)


@given(st.text(max_size=400), st.integers(1, 6), st.integers(1, 50))
def test_passages_keep_their_bounds(text, limit, size):
    """Any text gives at most `limit` passages of at most `size` characters, in order."""
    result = passages(text, limit=limit, size=size)
    assert len(result.texts) <= limit
    assert all(0 < len(passage) <= size for passage in result.texts)
    assert 0 < result.coverage <= 1.0
    position = 0
    for passage in result.texts:
        position = text.index(passage, position) + len(passage)


@given(st.text(max_size=400), st.integers(1, 50))
def test_enough_passages_cover_everything(text, size):
    """Without a limit that bites no character but white space is lost."""
    result = passages(text, limit=len(text) + 1, size=size)
    assert result.coverage == 1.0
    assert "".join("".join(result.texts).split()) == "".join(text.split())


@pytest.mark.parametrize("pattern", ["x", SENTENCE, ". ", "\n", " a", "。", "a."])
def test_a_megabyte_is_cut_at_once(pattern):
    """Cutting a megabyte takes a fraction of a second."""
    text = pattern * (1_000_000 // len(pattern))
    start = time.process_time()
    passages(text)
    assert time.process_time() - start < 1
