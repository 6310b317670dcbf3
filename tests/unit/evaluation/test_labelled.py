"""Labelled conversations and how they are read."""

import json

import pytest
from pydantic import ValidationError

from langchain_drift.errors import InvalidInputError
from langchain_drift.evaluation import LabelledConversation, LabelledTurn, read_labelled


def row(labels=("on",), **more):
    """Return a row of the file format with one turn a label."""
    turns = [{"user": f"u{i}", "assistant": "a", "label": each} for i, each in enumerate(labels)]
    return {"id": "x", "purpose": "Help with banking.", "turns": turns, **more}


def read(*rows):
    """Return the conversations of rows."""
    return list(read_labelled(json.dumps(each) for each in rows))


@pytest.mark.parametrize(
    ("labels", "depart", "back"),
    [
        (["on", "on"], None, None),
        (["on", "off", "off"], 1, None),
        (["on", "off", "neutral", "adjacent", "on", "off"], 1, 4),
        (["off"], 0, None),
        ([], None, None),
    ],
)
def test_departure_and_return_follow_from_the_labels(labels, depart, back):
    """A conversation leaves at its first off turn and returns at the first later on turn."""
    found = read(row(labels))[0]
    assert (found.depart, found.back) == (depart, back)


def test_given_departure_and_return_win():
    """What the row says of departure and return is kept, null included."""
    labels = ["on", "off", "on", "off", "on"]
    found = read(row(labels, depart=3), row(labels, depart=1, back=4), row(labels, depart=None))
    assert [(each.depart, each.back) for each in found] == [(3, 4), (1, 4), (None, None)]


def test_a_dumped_conversation_reads_back_equal():
    """Writing a conversation as JSON and reading it loses nothing."""
    turns = (LabelledTurn(user="u", label="on"), LabelledTurn(user="v", label="off", ack=True))
    whole = LabelledConversation(id="1", purpose="p", turns=turns)
    assert list(read_labelled([whole.model_dump_json()])) == [whole]


def test_conversations_are_frozen():
    """A label cannot be changed after reading."""
    with pytest.raises(ValidationError, match="frozen"):
        read(row())[0].turns[0].label = "off"


def test_a_file_is_read_as_it_is_consumed(tmp_path):
    """The first conversation comes before a later broken line is met; blank lines are skipped."""
    path = tmp_path / "chats.jsonl"
    path.write_text(f"\ufeff{json.dumps(row())}\n\n{{broken\n", encoding="utf-8")
    found = read_labelled(path)
    assert next(found).id == "x"
    with pytest.raises(InvalidInputError, match=r"chats\.jsonl, line 3 is not JSON"):
        next(found)


def test_labels_may_stand_beside_the_turns():
    """Labels in a list of their own are those of the turns in order; other keys are ignored."""
    given = {
        "purpose": "p",
        "turns": [{"user": "u", "intent": "x"}, {"user": "v"}],
        "labels": ["on", "off"],
        "examples": None,
        "lang": "en",
    }
    found = read(given)[0]
    assert found.id == "1"
    assert [turn.label for turn in found.turns] == ["on", "off"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (row(labels=["on", "of"]), r"line 1, turns\.1\.label: .*not 'of'"),
        ({"turns": []}, r"line 1, purpose: Field required"),
        ([1], r"line 1 holds \[1\]"),
        ({**row(), "labels": ["on", "off"]}, "line 1 has 2 labels for 1 turns"),
        ({**row(), "labels": ["off"]}, "labelled 'on' and in labels 'off'"),
        ({**row(), "labels": "on"}, "must be lists"),
        (row(depart=4), "depart is 4; give the index of one of the 1 turns"),
        (row(["on", "off"], depart=1, back=1), "back is 1 and depart 1 in 2 turns"),
        ({**row(), "turns": [3], "labels": ["on"]}, r"turns\.0: .*not 3"),
    ],
)
def test_an_unusable_row_is_named_with_its_value(given, expected):
    """An error names the line, the place and what stands there."""
    with pytest.raises(InvalidInputError, match=expected):
        read(given)


def test_an_unreadable_file_is_named(tmp_path):
    """A missing file and one in another encoding are errors of the package."""
    with pytest.raises(InvalidInputError, match=r"none\.jsonl cannot be read"):
        list(read_labelled(str(tmp_path / "none.jsonl")))
    (tmp_path / "latin.jsonl").write_bytes(b'{"id": "\xe9"}')
    with pytest.raises(InvalidInputError, match="is not UTF-8"):
        list(read_labelled(tmp_path / "latin.jsonl"))


def test_json_of_any_depth_is_answered_with_an_error():
    """Brackets without end do not crash the reader."""
    with pytest.raises(InvalidInputError, match="line 1 is not JSON"):
        list(read_labelled(["[" * 200_000]))
