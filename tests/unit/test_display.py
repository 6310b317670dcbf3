"""How conversations show themselves."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import DriftCallbackHandler, DriftScore, DriftTracker, TurnResult
from langchain_drift.display import Table, sparkline

HOSTILE = "<script>alert('loan')</script><img src=x onerror=\"go()\">&\x1b[31mred\x07\u202e\nnext"


class Tags(HTMLParser):
    """Collects the tags of a page and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, attrs))

    def handle_data(self, data):
        self.text.append(data)


def result(number, score=90.0, user="ask", why="because"):
    drift = None if score is None else DriftScore(score=score, turn_number=number)
    return TurnResult(user_message=user, assistant_response="ok", drift=drift, explanation=why)


def test_a_sparkline_goes_with_the_scores():
    """The worst score is the lowest bar, the best the highest, none is a dot."""
    assert sparkline([0, 50, 100, None]) == "▁▅█·"
    assert sparkline([]) == ""


@given(st.lists(st.floats(0, 100), min_size=2, max_size=20))
def test_a_higher_score_is_no_lower_bar(scores):
    """Bars are ordered as scores are."""
    bars = sparkline(sorted(scores))
    assert list(bars) == sorted(bars)
    assert len(bars) == len(scores)


def test_a_tracker_shows_its_turns():
    """A tracker shows a sparkline and a line a turn."""
    tracker = DriftTracker("Help customers with savings accounts, credit cards and loans.")
    assert repr(tracker) == "DriftTracker: 0 turns"
    for user, assistant in [
        ("What do I need for a loan?", "Proof of income and a down payment for the loan."),
        ("What's a good pasta recipe?", "Try carbonara: eggs, parmesan, pancetta and pepper."),
    ]:
        tracker.record_turn(user, assistant)
    head, columns, first, second = repr(tracker).splitlines()
    assert re.fullmatch(r"DriftTracker: 2 turns  [▁-█]{2}", head)
    assert columns.split() == ["turn", "score", "verdict", "user", "why"]
    assert "What do I need for a loan?" in first
    assert "What's a good pasta recipe?" in second
    assert "<td>What&#x27;s a good pasta recipe?</td>" in tracker._repr_html_()
    tracker.reset()
    assert repr(tracker) == "DriftTracker: 0 turns"


def test_a_long_conversation_shows_its_end():
    """Of many turns the last are shown, and how many came before."""
    table = Table.of("Chat", [result(number) for number in range(1, 41)], total=1_000)
    lines = table.to_text().splitlines()
    assert lines[0].startswith("Chat: 1000 turns  ")
    assert lines[1] == "… 990 earlier"
    assert len(lines) == 13
    assert lines[-1].startswith("40 ")


def test_turns_without_a_score_are_shown():
    """A turn that was not scored is a dot and has no number."""
    table = Table.of("Chat", [result(1, None, why=None)])
    assert "·" in table.to_text()
    assert "<td></td><td></td><td></td><td>ask</td><td></td>" in table.to_html()


def test_hostile_text_is_text_in_html():
    """Whatever people and models say becomes no tag and no attribute."""
    table = Table.of("Chat", [result(1, user=HOSTILE, why=HOSTILE)], threads=[HOSTILE])
    page = Tags(table.to_html())
    known = {"div", "strong", "code", "table", "thead", "tbody", "tr", "th", "td"}
    assert {tag for tag, _ in page.tags} <= known
    assert all(attrs == [] for _, attrs in page.tags)
    assert any("<script>" in text for text in page.text)


@pytest.mark.parametrize("show", [Table.to_text, Table.to_html])
def test_hostile_text_steers_no_display(show):
    """No escape sequence, bell, line break or turned direction reaches a terminal or a page."""
    table = Table.of("Chat", [result(1, user=HOSTILE, why=HOSTILE)], threads=[HOSTILE])
    assert not set(show(table)) & set("\x1b\x07\u202e\r\t\x00")
    assert len(Table.of("Chat", [result(1, user=HOSTILE)]).to_text().splitlines()) == 3


@given(st.text(max_size=200))
def test_any_text_stands_on_one_line(text):
    """Whatever is said, a turn is one line of the table."""
    table = Table.of("Chat", [result(1, user=text, why=text)])
    assert len(table.to_text().splitlines()) == 3
    assert {tag for tag, _ in Tags(table.to_html()).tags} <= {
        *("div", "strong", "code", "table", "thead", "tbody", "tr", "th", "td")
    }


def test_wide_characters_keep_the_columns():
    """Characters that take two places are counted as two."""
    rows = [result(1, user="貸款需要什麼"), result(2, user="loan")]
    _, _, first, second = Table.of("Chat", rows).to_text().splitlines()
    assert first.index("because") == second.index("because") - len("貸款需要什麼")


def test_a_handler_names_conversations_if_there_are_several():
    """A handler of one conversation needs no column for it, and its thread prints as a table."""
    handler = DriftCallbackHandler("You help.")
    assert repr(handler) == "DriftCallbackHandler: 0 turns"
    assert handler._repr_html_() == (
        "<div><strong>DriftCallbackHandler: 0 turns</strong> <code></code></div>"
    )
    assert str(handler.thread("a")) == "a: 0 turns"
    several = Table.of("H", [result(1), result(1)], threads=["a", "b"])
    assert several.head[0] == "thread"
    assert [row[0] for row in several.rows] == ["a", "b"]
