"""Text of strangers has no power over a terminal or a spreadsheet."""

import csv
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from langchain_drift.cli.harmless import cell, clean
from langchain_drift.cli.table import show_turns, sparkline
from langchain_drift.conversation.result import DriftScore, TurnResult

HOSTILE = st.text(st.sampled_from("=+-@\t\r\n \x1b\x07\x9b[]m3\u202e\u200b＝a"), max_size=12)


@given(HOSTILE | st.text(st.characters()))
def test_clean_text_is_one_line_without_control_characters(text):
    """No control character and no line break is left, and cleaning again changes nothing."""
    found = clean(text)
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in found)
    assert len(found.splitlines()) <= 1
    assert "\u202e" not in found
    assert clean(found) == found


@given(HOSTILE)
def test_no_cell_is_a_formula(text):
    """A cell never begins, after blanks, with what a spreadsheet would run."""
    written = io.StringIO()
    csv.writer(written).writerow([cell(text), "next"])
    (row,) = csv.reader(io.StringIO(written.getvalue(), newline=""))
    assert row[1:] == ["next"]
    assert not row[0].lstrip().startswith(("=", "+", "-", "@", "＝"))
    assert "\x1b" not in row[0]


def test_a_plain_cell_stays_as_it_is():
    """Lines, tabs inside and a minus inside are kept."""
    assert cell("a\n\tb - c") == "a\n\tb - c"


@pytest.mark.parametrize("text", ["[red]x[/red]", "[/]", "[link=file:///x]y", ":smile:", "\\[b]"])
def test_markup_is_shown_as_it_was_written(text):
    """Rich markup in a title, a message or a reason is text."""
    console = Console(file=io.StringIO(), width=200, force_terminal=True, highlight=False)
    result = TurnResult(
        user_message=text, assistant_response="", drift=DriftScore(score=80), explanation=text
    )
    show_turns(console, text, [result])
    shown = console.file.getvalue()
    assert shown.count(text) == 3
    assert "\x1b]8" not in shown


def test_escape_sequences_do_not_reach_the_terminal():
    """A message cannot move the cursor, set the title or turn the text round."""
    console = Console(file=io.StringIO(), width=200, color_system=None, highlight=False)
    text = "a\x1b[2Jb\x1b]0;title\x07c\x9b1md\u202ee\rf\x00g"
    result = TurnResult(user_message=text, assistant_response="", drift=DriftScore(score=80))
    show_turns(console, text, [result])
    shown = console.file.getvalue()
    assert not set(shown) & set("\x1b\x07\x9b\u202e\r\x00")


def test_a_turn_without_a_score_is_shown():
    """A turn that still waits for its score has a dash."""
    console = Console(file=io.StringIO(), width=100, color_system=None)
    show_turns(console, "t", [TurnResult(user_message="a", assistant_response="b")])
    assert "–" in console.file.getvalue()


def test_the_sparkline_spans_the_bars():
    """The lowest score has the lowest bar, the highest the highest, between them they rise."""
    assert sparkline([0, 12.5, 50, 99, 100]) == "▁▂▅██"
    assert sparkline([]) == ""
