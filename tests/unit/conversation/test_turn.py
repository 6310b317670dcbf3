import pytest
from pydantic import ValidationError

from langchain_drift import FewShotExample, InvalidInputError
from langchain_drift.conversation.turn import Turn

BLOCKS = [
    {"type": "text", "text": "Your card "},
    {"type": "image_url", "image_url": {"url": "https://bank.test/card.png"}},
    {"type": "tool_use", "id": "1", "name": "freeze", "input": {"card": 1}},
    "is ",
    {"type": "text", "text": "frozen."},
]


@pytest.mark.parametrize("text", ["", " ", "Freeze my card.", "冻结我的卡", "a\x00b", "\u200fשלום"])
def test_a_string_is_kept_as_it_is(text):
    """A string is the text of the message, untouched."""
    assert Turn.of(text, text) == Turn(user=text, assistant=text)


def test_none_is_an_empty_text():
    """A message without content, such as a tool call, has no text."""
    assert Turn.of(None, None) == Turn(user="", assistant="")


def test_the_text_of_content_blocks_is_joined():
    """Text blocks and strings are joined in order; images and tool calls have no text."""
    assert Turn.of([], BLOCKS) == Turn(user="", assistant="Your card is frozen.")


@pytest.mark.parametrize("text", [None, 3, {"value": "x"}])
def test_a_block_whose_text_is_no_string_has_no_text(text):
    """A block whose `text` is something else adds nothing."""
    assert Turn.of([{"type": "text", "text": text}], "a").user == ""


@pytest.mark.parametrize("content", [1, 1.5, b"bytes", {"text": "x"}, ("a",), object(), True])
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_another_kind_of_message_is_refused_by_name(content, role):
    """A message of another kind is an error that names the role and the kind."""
    given = {"user": "a", "assistant": "b"} | {role: content}
    with pytest.raises(InvalidInputError, match=role) as caught:
        Turn.of(**given)
    assert type(content).__name__ in str(caught.value)


@pytest.mark.parametrize("block", [1, None, ["a"], b"bytes"])
def test_another_kind_of_block_is_refused_by_name(block):
    """A content block of another kind is an error that names the role and the kind."""
    with pytest.raises(InvalidInputError, match="assistant") as caught:
        Turn.of("a", ["text", block])
    assert type(block).__name__ in str(caught.value)


def test_prose_has_no_markdown_marks():
    """Markdown marks are removed from both sides and the words stay."""
    turn = Turn(user="**Freeze** my `card`", assistant="# Done\n\n- It is *frozen*.").to_prose()
    assert not set("*`#") & set(turn.user + turn.assistant)
    assert "Freeze my card" in turn.user
    assert "It is frozen." in turn.assistant


def test_a_turn_cannot_be_changed():
    """A turn is frozen."""
    with pytest.raises(ValidationError):
        Turn(user="a").user = "b"


def test_an_example_needs_a_user_text():
    """An example exchange may lack the reply but not the user's text."""
    assert FewShotExample(user="Freeze my card").assistant == ""
    with pytest.raises(ValidationError, match="user"):
        FewShotExample(user="")


def test_half_a_character_pair_can_be_stored():
    """A lone surrogate becomes the replacement character, and a split pair its character."""
    turn = Turn.of("a \ud800 b", [{"type": "text", "text": "\ud83d"}, "\ude00"])
    assert turn.user == "a \ufffd b"
    assert turn.assistant == "\U0001f600"
    assert turn.model_dump_json()
