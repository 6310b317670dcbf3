"""The published contract: a prompt and the replies so far in, a score from 0 to 100 out."""

from collections.abc import Sequence
from typing import Protocol

from langchain_drift.conversation.purpose import Purpose
from langchain_drift.errors import InvalidInputError

PublishedScore = tuple[float, dict[str, float]]
"""A score from 0 to 100 and the scores it is made of, by name and rounded to cents."""


class PublishedScorer(Protocol):
    """Whatever scores replies against a prompt as the published strategies do."""

    def score(self, system_prompt: str, assistant_responses: Sequence[str]) -> PublishedScore:
        """Return how well the replies fit the prompt."""
        ...


def initial_context(purpose: Purpose) -> str:
    """Return the prompt with its examples below it: what replies are scored against."""
    shots = [f"\nUser: {shot.user}\nAssistant: {shot.assistant}" for shot in purpose.examples]
    return "".join([purpose.prompt, *shots])


def join_replies(assistant_responses: Sequence[str]) -> str:
    """Return the replies as one text, oldest first.

    Raises:
        InvalidInputError: If they are a single string, or one of them is no string.
    """
    if isinstance(assistant_responses, str):
        message = (
            f"assistant_responses is the string {assistant_responses[:40]!r}; pass a list of "
            "replies: [reply]."
        )
        raise InvalidInputError(message)
    for index, reply in enumerate(assistant_responses):
        if not isinstance(reply, str):
            message = (
                f"Reply {index} is {reply!r:.40} of type {type(reply).__name__}; replies must be "
                "strings. Pass its text, or leave it out."
            )
            raise InvalidInputError(message)
    return " ".join(assistant_responses)
