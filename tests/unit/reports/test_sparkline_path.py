"""Scores as the path of a small picture."""

import re

from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.reports.sparkline import MOST_POINTS, dots_path, line_path

SCORES = st.lists(st.none() | st.floats(0, 100), max_size=400)


def points(path):
    return [(float(x), int(y)) for x, y in re.findall(r"[ML]([\d.]+) (\d+)", path)]


def test_a_line_begins_left_and_ends_right():
    """Scores are spread over the width; 100 is at the top."""
    assert line_path([100, 0, 50]) == "M0 0L50 100L100 50"
    assert line_path([70]) == "M50 30h0"
    assert line_path([]) == ""


def test_a_missing_score_is_a_gap():
    """The line is lifted where there is no score."""
    assert line_path([100, None, 0, 50]) == "M0 0M66.7 100L100 50"
    assert line_path([None]) == ""


def test_dots_stand_on_the_line():
    """A chosen score is a dot; one that is missing cannot be."""
    assert dots_path([100, 0, None], [False, True, True]) == "M50 100h0"


@given(SCORES)
def test_a_path_stays_in_its_picture(scores):
    """Every point is within the picture, in order, and there are not too many."""
    found = points(line_path(scores))
    assert all(0 <= x <= 100 and 0 <= y <= 100 for x, y in found)
    assert [x for x, _ in found] == sorted(x for x, _ in found)
    assert len(found) <= MOST_POINTS


def test_a_long_conversation_keeps_its_worst_turns():
    """Whatever is left out of a long line, its lowest score is not."""
    scores = [90.0] * 5_000
    scores[2_345] = 3.0
    assert min(100 - y for _, y in points(line_path(scores))) == 3
