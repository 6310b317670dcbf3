"""How much of each text fits."""

from html import escape

from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.reports.budget import html_size, longest_fitting

TEXTS = st.lists(st.text(max_size=60), max_size=20)


@given(TEXTS, st.integers(0, 1_000))
def test_what_is_cut_fits_and_no_less_is_shown_than_would(texts, room):
    """The length is the greatest at which the texts fit, each character at its text's mean."""
    means = [(len(text), html_size(text) / len(text)) for text in texts if text]

    def size(longest):
        return sum(min(length, longest) * mean for length, mean in means)

    found = longest_fitting(texts, room, most=60)
    assert size(found) <= room + 1e-6
    assert found == 60 or size(found + 1) > room - len(texts)


@given(TEXTS)
def test_with_room_for_all_nothing_is_cut(texts):
    """Where everything fits the length is the greatest that was asked for."""
    assert longest_fitting(texts, sum(map(html_size, texts)), most=60) == 60


def test_short_texts_leave_their_share_to_long_ones():
    """A long text takes what the short ones do not need."""
    assert longest_fitting(["ab", "c" * 100], 52, most=1_000) == 50


def test_escaped_and_wide_characters_count_as_they_are_written():
    """A character takes as many bytes as in the page."""
    assert html_size("<貸") == len(escape("<貸").encode()) == 7
    assert longest_fitting(["<" * 10], 20, most=10) == 5
