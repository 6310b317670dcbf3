"""Words of a guard for the model, inside tool messages, so that calls and results stay paired."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from langchain_core.messages import ToolCall, ToolMessage
from langgraph.types import Command

MARK: Final = "[mistake guard]"
"""Stands before everything a guard says to the model."""

_WARNED: Final = "Calls like this one failed before:"
_BLOCKED: Final = "This call was not run, because calls like it failed before:"
_GO_ON: Final = "Change the call by what is known, or say what is missing."
_NOT_ACKNOWLEDGED: Final = (
    "This call was not run: it needs to be acknowledged by a person, who was not asked."
)
_UNAVAILABLE: Final = (
    "This call was not run: the memory of earlier failures cannot be asked right now."
)
_REJECTED: Final = "A person rejected this call, and it was not run. Do not try it again unasked."
_EDITED: Final = (
    "A person replaced this call before it ran; what came back is the result of their call:"
)


def warned(prompt: str) -> str:
    """Return the note on the result of a call that resembles earlier failures."""
    return f"{_WARNED}\n{prompt}"


def blocked(prompt: str) -> str:
    """Return the answer to a call that a policy blocks."""
    return f"{_BLOCKED}\n{prompt}\n{_GO_ON}"


def not_acknowledged(prompt: str) -> str:
    """Return the answer to a call that ran past the question whether to run it."""
    return f"{_NOT_ACKNOWLEDGED}\n{prompt}"


def unavailable() -> str:
    """Return the answer to a call if the guard fails and is to fail closed."""
    return _UNAVAILABLE


def rejected(reason: str | None) -> str:
    """Return the answer to a call that a person rejected."""
    return f"{_REJECTED} They say: {reason}" if reason else _REJECTED


def edited(call: str) -> str:
    """Return the note on the result of a call that a person replaced."""
    return f"{_EDITED} {call}"


def nudged(times: int) -> str:
    """Return the note on the result of a call that does not get on."""
    return (
        f"This call has now come to the same {times} times in this run. Repeating it will not "
        "help: change the approach, or say what is missing."
    )


def stopped(times: int) -> str:
    """Return the answer to a call that has come to the same too often."""
    return (
        f"This call was not run: it has come to the same {times} times in this run. Change the "
        "approach, or say what is missing."
    )


def answer(call: ToolCall, text: str) -> ToolMessage:
    """Return a tool message that answers a call in the place of its tool."""
    return ToolMessage(
        f"{MARK} {text}", tool_call_id=call["id"] or "", name=call["name"], status="error"
    )


def is_ours(message: ToolMessage) -> bool:
    """Tell whether a guard answered the call in the place of its tool."""
    return str(message.text).startswith(MARK)


def plain_text(message: ToolMessage) -> str:
    """Return what a tool said, without the notes of a guard."""
    return str(message.text).partition(f"\n\n{MARK}")[0]


def annotate(result: Any, call_id: str | None, note: str) -> Any:  # noqa: ANN401 - what tools give
    """Return what a tool gave, with a note on the message of a call; as it is without one."""
    if isinstance(result, ToolMessage):
        return _with_note(result, note) if result.tool_call_id == call_id else result
    if isinstance(result, list):
        return [annotate(one, call_id, note) for one in result]
    if isinstance(result, Command):
        update: Any = result.update
        if isinstance(update, Mapping) and "messages" in update:
            messages = annotate(update["messages"], call_id, note)
            return replace(result, update={**update, "messages": messages})
        return replace(result, update=annotate(update, call_id, note))
    return result


def _with_note(message: ToolMessage, note: str) -> ToolMessage:
    text = f"\n\n{MARK} {note}"
    content = message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": content + text})
    return message.model_copy(update={"content": [*content, {"type": "text", "text": text}]})
