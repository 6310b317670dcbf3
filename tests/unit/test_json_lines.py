"""JSON lines: values with their places, or one error that names the line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.errors import InvalidInputError
from langchain_drift.json_lines import decode, file_lines, parse_json, read_values


def values(text):
    return list(read_values(text.splitlines(keepends=True), "x"))


@pytest.mark.parametrize("indent", [None, 1])
def test_one_value_may_stand_on_one_line_or_many(indent):
    """A JSON text is one value however it is broken into lines."""
    value = {"a": [1, {"b": "é"}]}
    assert [found for _, found in values(json.dumps(value, indent=indent))] == [value]


def test_lines_are_yielded_before_the_rest_is_read():
    """A value comes as soon as its line is there, so a file of any length can be read."""

    def endless():
        while True:
            yield b'{"a": 1}\n'

    found = read_values(endless(), "x")
    assert [next(found) for _ in range(2)] == [("x, line 1", {"a": 1}), ("x, line 2", {"a": 1})]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"a": 1}\n\n{"b": \n{"c": 2}\n', r"x, line 3 is not JSON: Expecting value at column 6"),
        ('{"a": 1\n{"b": 2}\n', r"x, line 1 is not JSON: .* at column 8"),
        ('[{"a": \n[{"b": 2}]\n', r"x, line 1 is not JSON"),
        ('\n\n{"a": 1,}\n', r"x, line 3 is not JSON: .* at column 9"),
        ('{\n "a": 1,\n "b" 2\n}', r"x, line 3 is not JSON: .* at column 6"),
        ('{"a": 1}\n' + "[" * 100_000, r"x, line 2 is not JSON .* nested too deeply"),
        ('{"a": 1}\n' + "1" * 5000, r"x, line 2 is not JSON .* too many digits"),
        ("\ud83d", r"line 1 is not JSON"),
        ("turn,user\n1,Hello\n", r"line 1 is not JSON: .*; give JSON, or JSONL with a value"),
    ],
)
def test_what_is_broken_is_named_by_its_line(text, named):
    """The line and column are those a person sees in an editor."""
    with pytest.raises(InvalidInputError, match=named):
        values(text)


def test_a_pair_of_surrogates_is_one_character():
    """Escapes that make up a whole character are read as it."""
    assert parse_json('"\\ud83d\\ude00"', "x") == "😀"


@pytest.mark.parametrize("half", ["\\ud83d", "\\uDC00", "\ud83d"])
def test_half_a_character_is_replaced(half):
    """A lone surrogate, escaped or not, in a key or a value, is read as the replacement."""
    text = f'{{"a{half}": [1, "{half} é", NaN]}}'
    ((_, found),) = read_values([text], "x")
    assert list(found) == ["a\ufffd"]
    assert found["a\ufffd"][:2] == [1, "\ufffd é"]


def test_what_looks_like_half_a_character_is_kept():
    """A backslash before `ud` is a backslash."""
    assert parse_json(json.dumps("C:\\udo"), "x") == "C:\\udo"


def test_bytes_must_be_utf_8_and_may_begin_with_a_mark():
    """A byte order mark is dropped; another encoding is an error that names the line."""
    assert list(decode([b"\xef\xbb\xbfa\n", b"b"], "x")) == ["a\n", "b"]
    with pytest.raises(InvalidInputError, match=r"x, line 2 is not UTF-8 \(byte 3\)"):
        list(decode([b"a\n", b"caf\xe9"], "x"))
    with pytest.raises(InvalidInputError, match="line 1 is not UTF-8"):
        list(decode(["[1]".encode("utf-16")], "x"))


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    """A missing file and a folder are errors of the package."""
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(InvalidInputError, match=f"{path} cannot be read"):
            list(file_lines(path))


@given(st.lists(st.text(max_size=20) | st.binary(max_size=20), max_size=4))
def test_any_lines_are_read_or_refused(lines):
    """No lines end in anything but values or `InvalidInputError`."""
    try:
        found = list(read_values(lines, "x"))
    except InvalidInputError as error:
        assert str(error).startswith("x")
    else:
        assert all(where.startswith("x") for where, _ in found)
