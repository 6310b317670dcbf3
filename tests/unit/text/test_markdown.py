import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.text import to_prose, words

REPLY = """## Reset your **PIN**

1. Open the app and tap *Cards*.
2. Choose `Reset PIN`, see [our help page](https://help.example.com/pin?x=1).

![A padlock](lock.png)

> Never share it.

| Plan | Price |
|------|-------|
| Basic | **5** |

```python
user_name = "x"
```
"""


def test_a_reader_sees_every_word_and_no_marker():
    """Text, code, link texts, image descriptions and cells stay; markers and targets go."""
    assert to_prose(REPLY).splitlines() == [
        "Reset your PIN",
        "Open the app and tap Cards.",
        "Choose Reset PIN, see our help page.",
        "A padlock",
        "Never share it.",
        "Plan, Price",
        "Basic, 5",
        'user_name = "x"',
    ]


@pytest.mark.parametrize(
    "text",
    [
        "snake_case_name and __init__.py",
        "2 * 3 * 4 = 24",
        "2*3*4 and 2**3**4",
        "ls *.py *.js",
        "src/**/*.py and **/*.js",
        "#5 is next",
        "a < b and c > d",
        "write to jane_doe@example.com",
        "List<String> names",
        "Dear <your name>,",
        "[note]: this stays",
        "1985. What a year!",
        "42.",
        "-5 degrees",
        "Tom & Jerry",
        "C:\\temp\\x",
        "~/notes",
        "今天的**天气 不错",
    ],
)
def test_plain_text_is_not_destroyed(text):
    """What only looks like markdown stays as it is."""
    assert to_prose(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The **999** thousand", "The 999 thousand"),
        ("这是**重点**内容", "这是重点内容"),
        ("~~old~~ new", "old new"),
        ("snake\\_case", "snake_case"),
        ("a &amp; b", "a & b"),
        ("one<br>two <b>three</b>", "one two  three"),
        ("    indented by a user", "indented by a user"),
        ("<https://example.com/x>", "https://example.com/x"),
        ("- a\n  - b\n    1. c", "a\nb\nc"),
        ("Title\n=====\ntext", "Title\ntext"),
        ("", ""),
    ],
)
def test_markdown_becomes_prose(text, expected):
    """Each construct gives the words it shows."""
    assert to_prose(text) == expected


def test_text_without_a_marker_is_only_stripped():
    """The fast path changes nothing between the first and the last word."""
    assert to_prose("  Is it  open\n\n\nnow?  ") == "Is it  open\n\n\nnow?"


@pytest.mark.parametrize("prefix", ["> " * 100, "- " * 100, "1. " * 100])
def test_deep_nesting_hides_no_word(prefix):
    """Text nested deeper than the parser reads is still there."""
    assert "secret" in to_prose(prefix + "secret")


HOSTILE = [
    "[",
    "![",
    "*",
    "*a ",
    "_a ",
    "`",
    "`a",
    "<",
    "<b ",
    "> ",
    "- ",
    "1. ",
    "&",
    "|",
    "\\[",
    "~",
]


@pytest.mark.parametrize("pattern", [*HOSTILE, "[x]: \n", "- a\n", "|a|\n|-|\n", "<?", "# a\n"])
def test_hostile_text_takes_no_longer_than_plain_text(pattern):
    """A megabyte of any marker is read in about a second."""
    text = pattern * (1_000_000 // len(pattern))
    start = time.process_time()
    to_prose(text)
    assert time.process_time() - start < 3


@pytest.mark.parametrize("depth", [30, 3000])
def test_nested_lists_are_read_in_linear_time(depth):
    """Lists nested by indentation cost no more than their length."""
    text = "\n".join("  " * level + "- item" for level in range(depth))[:1_000_000]
    start = time.process_time()
    assert "item" in to_prose(text)
    assert time.process_time() - start < 3


@given(st.text(max_size=300))
def test_never_raises(text):
    """Any text gives a text."""
    assert isinstance(to_prose(text), str)


@given(st.text(alphabet="ab1 \n*_`#>[]()!-+.|~<&\\", max_size=60))
def test_never_raises_on_markers(text):
    """Any heap of markers gives a stripped text."""
    assert to_prose(text) == to_prose(text).strip()


@given(st.lists(st.from_regex(r"[A-Za-z0-9_]{1,8}[.,?!]?", fullmatch=True), max_size=20))
def test_keeps_every_word_of_plain_text(tokens):
    """No alphanumeric word of a plain text is lost, and reading twice changes nothing more."""
    text = " ".join(["so", *tokens])
    prose = to_prose(text)
    assert words(prose) == words(text)
    assert to_prose(prose) == prose
