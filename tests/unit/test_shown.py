"""What anybody said, shown as it was said and nothing more."""

import re

from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.shown import html_table, in_lines, on_a_line, shortened

STEERING = "\x1b\x07\x00\x7f\u202e\u2066\u200f\ufeff\ud800"


@given(st.text(), st.integers(1, 50))
def test_a_text_is_never_longer_than_asked(text, longest):
    """Whatever is said, what is shown has at most so many characters."""
    for show in (shortened, in_lines, on_a_line):
        assert len(show(text, longest)) <= longest


@given(st.text(max_size=30))
def test_what_was_said_is_shown(text):
    """But for white space and what steers a display, a short text is shown as it is."""
    said = "".join(c for c in text if c.isprintable() and not c.isspace())
    kept = "".join(c for c in on_a_line(text, 100) if c.isprintable() and not c.isspace())
    assert kept == said


def test_lines_are_kept_or_joined():
    """A text keeps its lines where there is room for them."""
    assert in_lines(" one\r\ntwo\rthree\n", 50) == "one\ntwo\nthree"
    assert on_a_line("one\r\n two\u2028three", 50) == "one two three"


def test_nothing_steers_a_display():
    """Escapes, bells, turned directions, marks and half characters become blanks."""
    for show in (in_lines, on_a_line):
        assert not set(show(f"a{STEERING}b", 50)) & set(STEERING)


def test_what_is_cut_ends_with_an_ellipsis():
    """A cut text says so, without a blank before it."""
    assert shortened("one two", 5) == "one…"
    assert shortened("one two", 7) == "one two"


@given(st.lists(st.text(max_size=40), min_size=3, max_size=3))
def test_cells_are_text(texts):
    """No text in a table becomes a tag."""
    page = html_table(texts[0], ("a", texts[1]), [(texts[2], 0.5)], note=texts[1])
    tags = set(re.findall(r"<(\w+)", page))
    assert tags <= {"div", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    assert "<td>0.50</td>" in page


def test_rows_without_a_head_begin_with_their_name():
    """A table without columns' names has rows with names; one without rows is its title."""
    assert '<tr><th scope="row">why</th><td>so</td></tr>' in html_table("T", (), [("why", "so")])
    assert html_table("T", ("a",), []) == "<div><strong>T</strong></div>"
