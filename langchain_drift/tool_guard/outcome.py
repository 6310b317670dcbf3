"""What came of a tool call, read from its result."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from langchain_core.messages import ToolMessage
from langgraph.types import Command

from langchain_drift.tool_guard.answers import is_ours, plain_text
from langchain_drift.tool_guard.unwrapping import unwrap_error

Failed = Callable[[ToolMessage], bool]
"""Tells by a tool message whether the call failed."""


class Outcome(NamedTuple):
    """What came of a tool call.

    Attributes:
        failed: Whether it failed.
        text: What came back.
    """

    failed: bool
    text: str


def has_error_status(message: ToolMessage) -> bool:
    """Tell whether a tool message says that its call failed, by its status."""
    return message.status == "error"


def outcome_of(message: ToolMessage, failed: Failed) -> Outcome | None:
    """Return what came of a call; None if it was not run because a guard answered it."""
    if is_ours(message):
        return None
    text = plain_text(message)
    has_failed = failed(message)
    return Outcome(has_failed, unwrap_error(text) if has_failed else text)


def outcome_of_error(error: BaseException) -> Outcome:
    """Return the outcome of a call that raised."""
    text = str(error)
    name = type(error).__name__
    return Outcome(failed=True, text=f"{name}: {text}" if text else name)


def find_message(result: object, call_id: str | None) -> ToolMessage | None:
    """Return the tool message of a call in what its tool gave: a message, a `Command`, a list."""
    return next((m for m in _messages(result) if m.tool_call_id == call_id), None)


def _messages(result: object) -> Iterator[ToolMessage]:
    if isinstance(result, ToolMessage):
        yield result
    elif isinstance(result, list | tuple):
        for one in result:
            yield from _messages(one)
    elif isinstance(result, Command):
        update: Any = result.update
        yield from _messages(update.get("messages") if isinstance(update, Mapping) else update)
