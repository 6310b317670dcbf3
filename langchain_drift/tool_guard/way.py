"""How a call goes on by what a person decided about it."""

from typing import Any, NamedTuple

from langchain_core.messages import ToolCall, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from langchain_drift.mistakes.action import read_action
from langchain_drift.tool_guard import answers
from langchain_drift.tool_guard.frozen import review_of
from langchain_drift.tool_guard.judged import Judged


class Way(NamedTuple):
    """How a call is to go on.

    Attributes:
        request: The call.
        judged: What was said of it before.
        refusal: What it is answered if it is not to run.
        approved: Whether a person wants it to run.
        note: What the model is to read with the result.
    """

    request: ToolCallRequest
    judged: Judged | None = None
    refusal: str = ""
    approved: bool = False
    note: str = ""


def find_way(request: ToolCallRequest) -> Way:
    """Return how a call is to go on by what was decided about it."""
    state = request.state if isinstance(request.state, dict) else {}
    review = review_of(request.tool_call, state.get("mistake_guard_reviews") or {})
    if review is None:
        return Way(request)
    judged, answer = Judged(prompt=review["prompt"]), review.get("answer")
    if answer is None:
        refusal = answers.not_acknowledged(review["prompt"]) if review["stops"] else ""
        return Way(request, judged, refusal)
    if answer["type"] == "reject":
        return Way(request, judged, answers.rejected(answer.get("message")))
    if answer["type"] == "approve":
        return Way(request, judged, approved=True)
    edited: Any = answer["edited_action"]
    call: ToolCall = {**request.tool_call, "args": edited["args"]}
    note = answers.edited(read_action(dict(call)).text)
    unknown = Judged(looked_up=False)
    return Way(request.override(tool_call=call), unknown, approved=True, note=note)


def add_note(way: Way, result: ToolMessage | Command[Any]) -> ToolMessage | Command[Any]:
    """Return the result of a call, with a note if a person has replaced the call."""
    if not way.note:
        return result
    noted: ToolMessage | Command[Any] = answers.annotate(
        result, way.request.tool_call["id"], way.note
    )
    return noted
