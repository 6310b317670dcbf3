"""What callers of the tools pass; anything else is refused, a scope above all."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

LONGEST_TEXT = 1_000_000
"""Most characters of a text that is judged."""
_LONGEST_NAME = 512
_MOST_CHUNKS = 1_000


def _not_blank(text: str) -> str:
    if not text.strip():
        message = "it is blank"
        raise ValueError(message)
    return text


Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
Said = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT), AfterValidator(_not_blank)]


class Arguments(BaseModel):
    """Arguments of a tool."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NoArguments(Arguments):
    """A tool that takes nothing."""


class Observation(Arguments):
    """What a step led to."""

    action: Said = Field(description="What was done, in words, code, or as a tool call.")
    feedback: Text = Field(default="", description="What came back, such as an error message.")
    outcome: Text = Field(default="", description="What it led to.")


class Context(Arguments):
    """What is about to be done, by the published name."""

    context: Said = Field(description="The step you are about to take.")


class Step(Arguments):
    """What is about to be done."""

    action: Said = Field(description="The step you are about to take.")
    acknowledged: bool = Field(
        default=False, description="Whether the user has seen the warnings and agreed to go on."
    )


class Pruning(Arguments):
    """How to prune."""

    dry_run: bool = Field(default=False, description="Only tell what would be hidden.")


class SpokenTurn(Arguments):
    """One turn of a conversation."""

    system_prompt: Said = Field(description="What the conversation is for.")
    user: Text = Field(description="What the user said.")
    assistant: Text = Field(description="What the assistant answered.")
    conversation: str = Field(
        default="",
        max_length=_LONGEST_NAME,
        description="Its name, the same for all its turns, told in order; empty for a lone turn.",
    )


class GroundedAnswer(Arguments):
    """An answer and what it should stand on."""

    answer: Text = Field(description="The answer.")
    contexts: list[Text] = Field(max_length=_MOST_CHUNKS, description="The retrieved texts.")
    question: Text = Field(default="", description="The question; empty for none.")
