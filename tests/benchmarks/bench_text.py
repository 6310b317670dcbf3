"""Times of the text functions: `pytest tests/benchmarks/bench_text.py -s` prints them."""

import time

import pytest

from langchain_drift.text import (
    DefaultTextAnalyzer,
    content_words,
    critical_terms,
    detect_language,
    passages,
    sentences,
    substance,
    to_prose,
    words,
)

PLAIN = "I would like to know how the booking of my cards changed since 5 May, please. " * 10
REPLY = """Here is how you can **reset your PIN**:

1. Open the app and go to *Settings*.
2. Tap **Cards**, choose the card and select `Reset PIN`.

If you get stuck, see [our help page](https://help.example.com/pin) or call us.
""" + PLAIN.replace(". ", ".\n\n", 3)
BUDGETS = {
    to_prose: (REPLY, 0.3),
    words: (PLAIN, 0.1),
    content_words: (PLAIN, 0.15),
    sentences: (PLAIN, 0.1),
    passages: (PLAIN, 0.1),
    substance: (PLAIN, 0.2),
    detect_language: (PLAIN, 0.15),
    critical_terms: (PLAIN, 1.0),
    DefaultTextAnalyzer().entities: (PLAIN, 1.0),
}
HOSTILE = [
    "[",
    "![",
    "*a ",
    "`",
    "> ",
    "- a\n",
    "<",
    "_",
    "1,",
    "a. ",
    "'a ",
    '"',
    "我",
    "A1-",
    "x@",
    "no ",
    "\n",
    "http://",
]
# Machines differ: a budget is missed only by this factor.
TOLERANCE = 3


def milliseconds(function, text, repeat):
    """Return the best of some processor times, in milliseconds."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        function(text)
        best = min(best, time.process_time() - start)
    return best * 1000


@pytest.mark.parametrize("function", BUDGETS, ids=lambda function: function.__name__)
def test_a_turn_of_chat_keeps_its_budget(function):
    """About 150 words take a fraction of a millisecond."""
    text, budget = BUDGETS[function]
    function(text)
    taken = milliseconds(function, text, repeat=50)
    print(f"{function.__name__}: {taken:.3f} ms for {len(text.split())} words")  # noqa: T201 - what a benchmark is for
    assert taken < budget * TOLERANCE


@pytest.mark.parametrize("pattern", HOSTILE)
@pytest.mark.parametrize("function", BUDGETS, ids=lambda function: function.__name__)
def test_hostile_text_takes_linear_time(function, pattern):
    """Twice the text takes about twice the time."""
    single, double = (pattern * (size // len(pattern)) for size in (100_000, 200_000))
    ratio = milliseconds(function, double, repeat=3) / max(
        milliseconds(function, single, repeat=3), 2
    )
    assert ratio < 3


@pytest.mark.parametrize("pattern", ["x", "A sentence of words. ", ". ", "![", "\n"])
def test_a_megabyte_is_read_in_time(pattern):
    """Prose takes about a second, passages a fifth."""
    text = pattern * (1_000_000 // len(pattern))
    assert milliseconds(to_prose, text, repeat=1) < 1000 * TOLERANCE
    assert milliseconds(passages, text, repeat=1) < 200 * TOLERANCE
