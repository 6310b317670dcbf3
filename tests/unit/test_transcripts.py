"""Transcripts are read in the shapes people keep them in, or refused in one sentence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import DriftTracker
from langchain_drift.conversation.turn import Turn
from langchain_drift.errors import InvalidInputError
from langchain_drift.transcripts import read_transcripts

OPENAI = [
    {"role": "system", "content": "You help with bank accounts."},
    {"role": "user", "content": "My balance?"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
    {"role": "tool", "content": "12"},
    {"role": "assistant", "content": [{"type": "text", "text": "It is 12 euros."}]},
]
LANGCHAIN = [
    {"type": "system", "data": {"content": "You help with bank accounts."}},
    {"type": "human", "data": {"content": "My balance?"}},
    {"type": "ai", "data": {"content": "It is 12 euros."}},
]


def serialised(kind, content):
    return {"lc": 1, "type": "constructor", "id": ["a", kind], "kwargs": {"content": content}}


SERIALISED = [
    serialised("SystemMessage", "You help with bank accounts."),
    serialised("HumanMessage", "My balance?"),
    serialised("AIMessage", "It is 12 euros."),
]
SHAREGPT = {
    "conversations": [
        {"from": "system", "value": "You help with bank accounts."},
        {"from": "human", "value": "My balance?"},
        {"from": "gpt", "value": "It is 12 euros."},
    ]
}
TURNS = {
    "purpose": "You help with bank accounts.",
    "turns": [{"user": "My balance?", "assistant": "It is 12 euros."}],
}


def read(text):
    return list(read_transcripts(text.splitlines(keepends=True)))


@pytest.mark.parametrize("value", [OPENAI, LANGCHAIN, SERIALISED, SHAREGPT, TURNS])
@pytest.mark.parametrize("indent", [None, 2])
def test_every_usual_shape_gives_the_same_turns(value, indent):
    """OpenAI, LangChain, ShareGPT and plain turns are one conversation, on one line or many."""
    (found,) = read(json.dumps(value, indent=indent))
    assert found.purpose == "You help with bank accounts."
    assert [(turn.user, turn.assistant) for turn in found.turns] == [
        ("My balance?", "It is 12 euros.")
    ]


def test_many_conversations_stand_in_a_list_or_on_lines():
    """A JSON list of conversations and JSONL of them give the same."""
    in_list = read(json.dumps([TURNS, SHAREGPT]))
    on_lines = read(f"{json.dumps(TURNS)}\n\n{json.dumps(SHAREGPT)}\n")
    assert [found.turns for found in in_list] == [found.turns for found in on_lines]
    assert len(in_list) == 2


def test_lines_of_turns_are_one_conversation():
    """JSONL of turns, with a byte order mark too, is a single conversation."""
    (found,) = read('\ufeff{"user": "a", "assistant": "b"}\n{"user": "c", "assistant": "d"}\n')
    assert len(found.turns) == 2
    assert found.purpose is None


def test_half_a_character_is_read_as_record_turn_reads_it():
    """Lone surrogates in a file are replaced, in texts, purposes, examples and ids alike."""
    turn = {"user": "Freeze \ud83d my card", "assistant": "\udc00 Done."}
    row = {"id": "\ud800", "purpose": "Cards \ud800", "examples": [turn], "turns": [turn]}
    (found,) = read(json.dumps(row))
    recorded = DriftTracker("Cards").record_turn(turn["user"], turn["assistant"])
    assert found.turns == (Turn.of(recorded.user_message, recorded.assistant_response),)
    assert found.turns[0].user == found.examples[0].user == "Freeze \ufffd my card"
    assert (found.id, found.purpose) == ("\ufffd", "Cards \ufffd")


def test_a_user_who_speaks_twice_is_one_turn():
    """Messages of the user before a reply are joined; the last ones without a reply are kept."""
    (found,) = read(
        json.dumps(
            [
                {"role": "user", "content": "Hello"},
                {"role": "user", "content": "My balance?"},
                {"role": "assistant", "content": "12"},
                {"role": "user", "content": "Thanks"},
            ]
        )
    )
    assert [turn.user for turn in found.turns] == ["Hello\nMy balance?", "Thanks"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "empty"),
        ("hello", "not JSON"),
        ('{"turns": [{"user": "a"', "not JSON"),
        (f"{json.dumps(TURNS)}\n{{broken\n", "line 2"),
        ('[{"role": "wizard", "content": "x"}]', "wizard"),
        ('{"x": 1}', "role"),
        ("[1, 2]", "no message"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_named(text, named):
    """Broken or foreign input is one error that says where or what."""
    with pytest.raises(InvalidInputError, match=named):
        read(text)


KEYS = st.sampled_from(["role", "content", "turns", "user", "id"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_read_or_refused(value):
    """No JSON value ends in anything but transcripts or `InvalidInputError`."""
    try:
        read(json.dumps(value))
    except InvalidInputError as error:
        assert str(error)
