import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import InvalidInputError
from langchain_drift.mistakes.action import read_action, tool_of

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
CALL = {"order_id": 7, "reason": "ordered by mistake", "items": [1, {"sku": "A"}]}


@given(st.dictionaries(st.text(max_size=6), values, max_size=4))
def test_a_tool_call_is_the_same_however_it_is_written(args):
    """Order of arguments, spacing and the form of the call do not matter; the values do."""
    backwards = dict(reversed(args.items()))
    forms = [
        {"name": "refund", "args": args},
        {"name": "refund", "arguments": json.dumps(backwards)},
        {"type": "function", "function": {"name": "refund", "arguments": args}},
        f"refund {json.dumps(args)}",
        f"refund  {json.dumps(backwards, indent=1, ensure_ascii=False)}",
        json.dumps({"args": backwards, "name": "refund"}),
    ]
    keys = {read_action(form).key for form in forms}
    assert len(keys) == 1
    assert all(read_action(form).tool == "refund" for form in forms)
    assert read_action({"name": "refund", "args": {**args, "one more": 1}}).key not in keys


def test_another_value_or_tool_is_another_call():
    """One changed argument, or another name, makes another action."""
    keys = {
        read_action({"name": name, "args": {**CALL, "order_id": number}}).key
        for name in ("refund", "cancel")
        for number in (7, 8, "7")
    }
    assert len(keys) == 6


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Delete the temp directory.", "  delete the TEMP   directory"),
        ("SELECT *\n  FROM users", "select * from Users"),
        ("Search[Alien (film)]", "search[alien (film)]"),
    ],
)
def test_spelling_does_not_matter(one, other):
    """Capitals, white space and a final full stop make no other action."""
    assert read_action(one).key == read_action(other).key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("wget -o log http://x.org/a", "wget -O log http://x.org/a"),
        ("do deploy on Friday", "do not deploy on Friday"),
        ("rm -r a", "rm -r b"),
        ("service timed out", "service time"),
    ],
)
def test_what_matters_is_kept(one, other):
    """Flags keep their case, and no word is dropped."""
    assert read_action(one).key != read_action(other).key


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("Search[Alien]", "Search"),
        ("open_file('a.py', line=3)", "open_file"),
        ('refund {"a": 1}', "refund"),
        ('{"name": "refund", "args": {}}', "refund"),
        ("SELECT name FROM users", ""),
        ('{"a": 1}', ""),
        ("ls -l", ""),
    ],
)
def test_the_tool_of_a_call(text, tool):
    """A call in any of the usual forms names its tool; a command or data names none."""
    assert tool_of(text) == tool


@pytest.mark.parametrize("action", [None, 7, {"args": {}}, {"name": "a", "args": "no json"}, ["a"]])
def test_what_is_no_action_is_refused(action):
    """The error names the value and shows what is expected."""
    with pytest.raises(InvalidInputError, match="must be a string or a tool call"):
        read_action(action)


def test_a_huge_action_is_refused():
    """More than a million characters are data, not an action."""
    with pytest.raises(InvalidInputError, match="1000001 characters"):
        read_action("x" * 1_000_001)


@pytest.mark.parametrize("unit", ["x", "'", "[", "a.", "/a", "- ", '{"a":', "\\", "𐐀", "\n"])
def test_a_hundred_kilobytes_are_read_in_bounded_time(unit):
    """No text makes reading slow."""
    start = time.perf_counter()
    read_action((unit * 100_000)[:100_000])
    assert time.perf_counter() - start < 2


def test_an_empty_step_is_an_action():
    """An empty step can be repeated, but it means nothing to compare."""
    assert read_action("").key == read_action(" \n").key
    assert read_action("").is_code
    assert read_action("").terms == frozenset()
