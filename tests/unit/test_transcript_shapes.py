"""The rarer shapes of transcripts, and what is said of those that cannot be used."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_drift.conversation.turn import FewShotExample
from langchain_drift.errors import InvalidInputError
from langchain_drift.transcripts import read_transcripts


def read(*values, indent=None):
    text = "\n".join(json.dumps(value, indent=indent) for value in values)
    return list(read_transcripts(text.splitlines(keepends=True)))


def said(*values):
    """Return the turns of the only conversation as pairs."""
    (found,) = read(*values)
    return [(turn.user, turn.assistant) for turn in found.turns]


def message(role, content, **more):
    return {"role": role, "content": content, **more}


def test_an_assistant_who_begins_has_an_empty_user():
    """A reply without a question before it is a turn of its own."""
    chat = [message("assistant", "Welcome"), message("assistant", "How can I help?")]
    assert said(chat) == [("", "Welcome"), ("", "How can I help?")]


def test_turns_without_a_reply_stay_apart():
    """Turns are taken as they are; only messages are joined."""
    turns = [{"user": "a", "assistant": ""}, {"user": "b", "assistant": None}, {"user": "c"}]
    assert said(turns) == [("a", ""), ("b", ""), ("c", "")]


def test_messages_before_a_turn_keep_their_place():
    """A message that waits for a reply comes before the turn that follows it."""
    mixed = [message("user", "a"), {"user": "b", "assistant": "c"}]
    assert said(mixed) == [("a", ""), ("b", "c")]


def test_a_message_with_a_user_name_is_a_message():
    """A field `user` beside a content does not make a message a turn."""
    assert said([message("user", "a", user="id-7"), message("assistant", "b")]) == [("a", "b")]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "chat", "data": {"role": "user", "content": "a"}},
        {"lc": 1, "id": ["x", "ChatMessage"], "kwargs": {"role": "user", "content": "a"}},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
        {"from": "user", "value": "a"},
        {"type": "HumanMessageChunk", "content": "a"},
        {"role": "User", "content": "a"},
        {"from": "HUMAN", "value": "a"},
        {"type": "human", "content": ["a"]},
    ],
)
def test_a_user_is_known_in_every_dress(part):
    """Roles of LangChain, the Responses API and ShareGPT are read."""
    assert said([part, {"from": "chatgpt", "value": "b"}]) == [("a", "b")]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "function_call", "name": "f", "arguments": "{}"},
        {"type": "tool", "data": {"content": "42"}},
        {"from": "observation", "value": "42"},
        {"role": "assistant", "content": [{"type": "image_url", "image_url": "x"}]},
        {"role": "user", "content": " "},
    ],
)
def test_what_says_nothing_is_skipped(part):
    """Tools, images and blank messages are no turns."""
    assert said([message("user", "a"), part, message("assistant", "b")]) == [("a", "b")]


def test_lines_of_messages_are_one_conversation():
    """JSONL of messages gives a single conversation with its system message."""
    (found,) = read(message("system", "s"), message("user", "a"), message("assistant", "b"))
    assert (found.purpose, len(found.turns)) == ("s", 1)


def test_lists_of_conversations_may_stand_on_lines():
    """Conversations are numbered through, however lines and lists divide them."""
    chat = [{"user": "a", "assistant": "b"}]
    assert [found.id for found in read([chat, chat], chat, {"turns": chat})] == list("1234")


def test_what_a_conversation_says_of_itself_is_kept():
    """Its id, its purpose before a system message, and its examples are taken."""
    row = {
        "id": 7,
        "system_prompt": "p",
        "examples": [{"user": "u", "assistant": None}],
        "messages": [message("system", "s"), message("user", "a")],
    }
    (found,) = read(row, indent=2)
    assert (found.id, found.purpose) == ("7", "p")
    assert found.examples == (FewShotExample(user="u"),)
    assert [each.id for each in read({**row, "id": None})] == ["1"]


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ([[message("user", "a"), message("user", 5)]], r"line 1, part 2: The user .* not int"),
        ([[message("assistant", {"a": 1})]], r"line 1, part 1: The assistant .* not dict"),
        ([{"turns": [{"user": [3]}]}], r"line 1, part 1: A content block"),
        ([message("user", "a"), message("wizard", "b")], r"line 2 has the unknown role 'wizard'"),
        ([{"turns": []}, {"x": 1}], r"line 2 is no conversation: \{'x': 1\}"),
        ([[{"turns": []}, [3]]], r"line 1, conversation 2, part 1 is no message: 3"),
        ([{"turns": [], "examples": 5}], r"Conversation 1: examples must be a list .*not 5"),
        ([{"turns": [], "examples": [{"user": ""}]}], r"example 1 must be .* not \{'user': ''\}"),
        ([message(["user"], "a")], r"unknown role \['user'\]"),
        (
            [{"prompt": "a", "response": "b"}],
            r"line 1 is no message, for it has no role.*assistant",
        ),
        ([{"messages": "x"}], r"line 1 is no message, for it has no role: \{'messages': 'x'\}"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_place(values, named):
    """An error names the line, the part and what stands there."""
    with pytest.raises(InvalidInputError, match=named):
        read(*values)


def test_a_deep_value_is_named_without_its_depth():
    """The error for a value nested to the limit of JSON is short."""
    with pytest.raises(InvalidInputError) as caught:
        list(read_transcripts(["[" * 900 + "]" * 900]))
    assert len(str(caught.value)) < 400


KEYS = st.sampled_from(
    [
        *("role", "content", "turns", "messages", "conversations", "user", "assistant", "id"),
        *("from", "value", "type", "data", "kwargs", "examples", "purpose", "text"),
    ]
)
TEXTS = st.sampled_from(["user", "assistant", "system", "human", "gpt", "tool", "chat", "\ud800"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=24,
)


@settings(max_examples=400)
@given(st.lists(JSON, max_size=3), st.integers(0, 40), st.sampled_from([None, 1]))
def test_any_json_whole_or_cut_is_read_or_refused(rows, cut, indent):
    """No JSON, truncated anywhere, ends in anything but transcripts or `InvalidInputError`."""
    text = "\n".join(json.dumps(row, indent=indent) for row in rows)
    try:
        found = list(read_transcripts(text[: len(text) - cut].splitlines(keepends=True)))
    except InvalidInputError as error:
        assert str(error)
    else:
        assert all(isinstance(turn.user, str) for each in found for turn in each.turns)
