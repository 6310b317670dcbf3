"""A turn: what the user said and what the assistant answered."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from langchain_drift.characters import whole_characters
from langchain_drift.errors import InvalidInputError
from langchain_drift.text import to_prose


class Turn(BaseModel):
    """One exchange of a conversation, as plain text.

    Attributes:
        user: What the user said; empty if unknown.
        assistant: What the assistant answered; empty if it said nothing (a tool call, say).
    """

    model_config = ConfigDict(frozen=True)

    user: str = ""
    assistant: str = ""

    @classmethod
    def of(cls, user: object, assistant: object) -> Self:
        """Make a turn of message contents: strings, `None`, or LangChain/OpenAI content blocks.

        Half a surrogate pair, which no file can hold, becomes the replacement character.

        Raises:
            InvalidInputError: If a content is of another kind.
        """
        return cls(user=_text_of(user, "user"), assistant=_text_of(assistant, "assistant"))

    def to_prose(self) -> "Turn":
        """Return the turn with Markdown marks removed from both texts."""
        return Turn(user=to_prose(self.user), assistant=to_prose(self.assistant))


class FewShotExample(BaseModel):
    """An example exchange that shows what the purpose looks like in practice.

    Attributes:
        user: What a user says.
        assistant: What the assistant answers.
    """

    model_config = ConfigDict(frozen=True)

    user: str = Field(min_length=1)
    assistant: str = ""


def _text_of(content: object, role: str) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return whole_characters(content)
    if isinstance(content, list):
        return whole_characters("".join(_block_text(block, role) for block in content))
    message = (
        f"The {role} message must be a string, None or a list of content blocks, "
        f"not {type(content).__name__}; pass its text."
    )
    raise InvalidInputError(message)


def _block_text(block: object, role: str) -> str:
    """Return the text of one content block; images, audio and tool calls have none."""
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        message = (
            f"A content block of the {role} message must be a string or a dict, "
            f"not {type(block).__name__}."
        )
        raise InvalidInputError(message)
    text = block.get("text", "")
    return text if isinstance(text, str) else ""
