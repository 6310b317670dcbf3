"""What was said of a call when the model proposed it, kept until a person has decided."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired

from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from typing_extensions import TypedDict

from langchain_drift.mistakes.action import read_action
from langchain_drift.tool_guard.acknowledgement import Answer, Question, describe
from langchain_drift.tool_guard.history import Call, answered_ids
from langchain_drift.tool_guard.judged import Judged


class FrozenReview(TypedDict):
    """What was said of a call; it does not change while a person thinks.

    Attributes:
        action: The key of the call.
        stops: Whether a person is to be asked.
        prompt: What the model is to read with the result.
        warnings: See `MistakeWarning`, as plain JSON.
        reinforcements: See `Reinforcement`, as plain JSON.
        answer: What the person decided.
    """

    action: str
    stops: bool
    prompt: str
    warnings: list[dict[str, Any]]
    reinforcements: list[dict[str, Any]]
    answer: NotRequired[Answer]


def freeze(call: Call, judged: Judged) -> FrozenReview:
    """Return what is to be kept of what the memory says of a call."""
    told = judged.review.to_dict() if judged.review else {}
    return FrozenReview(
        action=call.read.key,
        stops=judged.asks,
        prompt=judged.prompt,
        warnings=told.get("warnings", []),
        reinforcements=told.get("reinforcements", []),
    )


def review_of(call: ToolCall, frozen: Mapping[str, FrozenReview]) -> FrozenReview | None:
    """Return the review of a call; one of another call with the same id is none."""
    review = frozen.get(call["id"] or "")
    is_same = review and review["action"] == read_action(dict(call)).key
    return review if is_same else None


def open_calls(
    messages: Sequence[BaseMessage], frozen: Mapping[str, FrozenReview]
) -> list[ToolCall]:
    """Return the calls of the last message of a model that a person is to be asked about."""
    last = next((m for m in reversed(messages) if isinstance(m, AIMessage)), None)
    done = answered_ids(messages)
    found = []
    for call in last.tool_calls if last else ():
        review = review_of(call, frozen)
        if review and review["stops"] and "answer" not in review and call["id"] not in done:
            found.append(call)
    return found


def make_question(call: ToolCall, review: FrozenReview) -> Question:
    """Return what a person is asked about a call."""
    return Question(
        id=call["id"] or "",
        name=call["name"],
        args=call["args"],
        warnings=review["warnings"],
        reinforcements=review["reinforcements"],
        description=describe(review["warnings"]),
    )
