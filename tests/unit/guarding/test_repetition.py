"""Calls that go in circles, told from those that get on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.tool_guard.history import Call
from langchain_drift.tool_guard.outcome import Outcome
from langchain_drift.tool_guard.ranges import Range, read_range
from langchain_drift.tool_guard.repetition import Repeats, count_repeats, is_under_way

LONG = "the quick brown fox jumps over the lazy dog " * 6


def made(name, args, text="", *, failed=False):
    """Return a call that has run."""
    return Call(name, args, "call", "message", Outcome(failed, text))


def times(run):
    """Return how often the last call of a run has come to the same."""
    return count_repeats(run[:-1], run[-1]).times


def reads(*ranges):
    """Return reads of one file, each with a text of its own."""
    return [made("read_file", {"path": "a.py", **args}, f"lines {args}") for args in ranges]


def test_the_same_call_with_the_same_result_is_counted():
    """Equal arguments and an equal result are repetition, however often."""
    run = [made("bash", {"command": "git log | grep 449"})] * 58
    assert times(run[:3]) == 3
    assert times(run) == 58


def test_one_changed_bound_is_no_way_out():
    """Reading the same lines again with another end is repetition (bytedance/deer-flow#1905)."""
    assert times(reads({"end_line": 220}, {"end_line": 260}, {"end_line": 320})) == 3


def test_reading_on_is_none():
    """Reading page by page is no repetition (bytedance/deer-flow#5486)."""
    pages = [{"start_line": n, "end_line": n + 39} for n in range(1, 200, 40)]
    assert times(reads(*pages)) == 1
    assert times(reads(*[{"offset": n, "limit": 100} for n in range(0, 900, 100)])) == 1
    assert times(reads(*[{"page": n, "page_size": 20} for n in range(9)])) == 1
    assert times(reads(*[{"offset": n} for n in range(0, 900, 100)])) == 1


def test_one_changed_argument_is_no_way_out_of_a_failure():
    """Failing alike with one of several arguments changed is repetition."""
    run = [
        made("search", {"index": "orders", "limit": n}, "no such index", failed=True)
        for n in (10, 20, 50)
    ]
    assert times(run) == 3


def test_paging_through_a_failure_is_no_way_out():
    """Pages that all fail alike are one failure; so are receivers that cannot be reached."""
    run = [
        made("read_file", {"path": "b.py", "offset": n}, "no such file", failed=True)
        for n in range(0, 300, 100)
    ]
    assert times(run) == 3
    run = [
        made("send", {"to": name, "text": "hi"}, "server is down", failed=True) for name in "abc"
    ]
    assert times(run) == 3
    run = [made("send", {"to": name, "text": "hi"}, "sent") for name in "abc"]
    assert times(run) == 1


def test_a_cursor_that_does_not_move_is_repetition():
    """An opaque cursor that brings the same long page again gets nowhere; other pages get on."""
    run = [made("list", {"q": "x", "cursor": c}, LONG) for c in ("aa", "bb", "cc")]
    assert times(run) == 3
    run = [made("list", {"q": "x", "cursor": c}, c + LONG) for c in ("aa", "bb", "cc")]
    assert times(run) == 1


def test_reading_again_after_an_edit_gets_on():
    """Looking once more at what was changed meanwhile does not come to the same in a row."""
    run = []
    for number in range(5):
        run += reads({"start_line": 1, "end_line": 100 + number})
        run += [made("edit", {"patch": number}, "ok")]
    (call,) = reads({"start_line": 1, "end_line": 140})
    assert count_repeats(run, call).in_a_row == 1


def test_failing_alike_in_other_words_is_repetition():
    """A single argument that differs by a few words is the same try again."""
    words = ("find the refund policy page", "find refund policy page", "find a refund policy page")
    run = [made("browse", {"task": text}, "page not found", failed=True) for text in words]
    assert times(run) == 3
    other = made("browse", {"task": "open the calendar"}, "page not found", failed=True)
    assert times([*run, other]) == 1


def test_the_same_long_text_for_another_argument_is_repetition():
    """An argument that changes nothing about a long result is no way out."""
    run = [made("read", {"path": "a", "why": why}, LONG) for why in ("look", "again", "sure")]
    assert times(run) == 3


def test_a_batch_of_different_things_is_none():
    """Forty samples, or three files, done one by one get on (deer-flow#2511, deepagents#208)."""
    assert times([made("run_sample", {"sample": n}, "ok") for n in range(40)]) == 1
    assert times([made("attach", {"file": name}, "True") for name in "abc"]) == 1
    assert times([made("attach", {"to": 7, "file": name}, "True") for name in "abc"]) == 1


@pytest.mark.parametrize("text", ["pending", "status: RUNNING", "in progress", "40 % done"])
def test_waiting_is_none(text):
    """Asking again for what is under way is no repetition."""
    assert times([made("get_job", {"id": 7}, text)] * 30) == 1


def test_a_result_that_moves_on_is_none():
    """Equal calls whose results differ get on; only the last equal ones count."""
    run = [made("count", {}, f"{n} rows left") for n in (30, 20, 10, 10)]
    assert times(run[:3]) == 1
    assert times(run) == 2


def test_what_is_new_in_between_ends_the_row():
    """Editing and testing again gets on: the same failure is told, but not counted in a row."""
    test = made("run_tests", {}, "2 failed", failed=True)
    run = [call for n in range(5) for call in (test, made("edit", {"patch": n}, "ok"))]
    assert count_repeats(run, test) == Repeats(6, 1)
    again = [call for _ in range(5) for call in (test, made("look", {}, "same"))]
    assert count_repeats(again, test).in_a_row >= 5


def test_a_call_without_result_expects_what_came_before():
    """Before a call runs it is counted by what came of it before."""
    past = [made("bash", {"command": "ls"}, "empty")] * 4
    assert count_repeats(past, Call("bash", {"command": "ls"}, "c", "m")) == Repeats(4, 4)
    assert count_repeats(past, Call("bash", {"command": "pwd"}, "c", "m")) == Repeats(0, 0)


def test_addresses_and_long_numbers_do_not_hide_the_same_failure():
    """An error that differs in an address or a request id alone is the same."""
    run = [
        made("post", {"url": "/x"}, f"error 0x{n:x} in request {n}", failed=True)
        for n in (123456, 234567, 345678)
    ]
    assert times(run) == 3


def test_a_failure_is_not_under_way():
    """Only a short success says that something is not finished."""
    assert is_under_way(Outcome(failed=False, text="still running"))
    assert not is_under_way(Outcome(failed=True, text="still running"))
    assert not is_under_way(Outcome(failed=False, text="running " * 200))
    assert not is_under_way(None)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=30))
def test_ranges_that_follow_one_another_never_repeat(lengths):
    """However long the pages are, reading on is never repetition."""
    ranges, start = [], 0
    for length in lengths:
        ranges.append({"start": start, "end": start + length - 1})
        start += length
    assert times(reads(*ranges)) == 1


@given(
    st.lists(st.sampled_from("abc"), max_size=30),
    st.lists(st.sampled_from(["x", "y"]), min_size=30, max_size=30),
)
def test_counts_are_bounded_by_the_run(names, texts):
    """No call is counted more often than it was made, and in a row never more than in all."""
    run = [made("tool", {"a": n}, t) for n, t in zip(names, texts, strict=False)]
    call = made("tool", {"a": "a"}, "x")
    counted = count_repeats(run, call)
    assert 1 <= counted.in_a_row <= counted.times <= 1 + names.count("a")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"start_line": 1, "end_line": 40}, Range(1, 40)),
        ({"startLine": "1", "endLine": "40"}, Range(1, 40)),
        ({"end_line": 40}, Range(0, 40)),
        ({"offset": 100, "limit": 50}, Range(100, 149)),
        ({"limit": 50}, Range(0, 49)),
        ({"offset": 100}, Range(100, 100)),
        ({"page": 3, "page_size": 20}, Range(3, 3)),
        ({"path": "a"}, None),
        ({"start": "monday"}, None),
        ({"start": True}, None),
    ],
)
def test_ranges_are_read_by_the_names_of_their_bounds(args, expected):
    """Starts, ends, lengths and pages are known by name; anything else is no range."""
    assert read_range(args) == expected
