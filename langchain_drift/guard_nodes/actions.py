"""What is about to run, found in the state of a graph."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage

from langchain_drift.errors import InvalidInputError
from langchain_drift.guard_nodes.keys import ActionOf, values_of
from langchain_drift.mistakes.action import ActionLike
from langchain_drift.tool_guard.history import answered_ids, messages_of

ACTION = "action"
"""The id of an action that is no tool call of a message."""


class Candidate(NamedTuple):
    """An action that is about to run.

    Attributes:
        id: The id of the tool call, or `action`.
        action: The action.
        message_id: The message that asks for the tool call; None for any other action.
    """

    id: str
    action: ActionLike
    message_id: str | None = None

    @property
    def name(self) -> str:
        """The tool, or `action`."""
        return self.id if isinstance(self.action, str) else str(self.action.get("name", ACTION))

    @property
    def args(self) -> dict[str, Any] | str:
        """The arguments, or the action in words."""
        if isinstance(self.action, str):
            return self.action
        given = self.action.get("args", self.action.get("arguments", {}))
        return dict(given) if isinstance(given, dict) else {"input": given}


def find_candidates(state: object, key: str, action_of: ActionOf | None) -> list[Candidate]:
    """Return what is about to run.

    That is what `action_of` tells; else what stands under the key; else the tool calls of the last
    message that have no answer.

    Raises:
        InvalidInputError: If there is no action.
    """
    if action_of:
        return [Candidate(ACTION, action_of(state))]
    values = values_of(state)
    if values.get(key):
        return [Candidate(ACTION, values[key])]
    found = find_pending(messages_of(state))
    if found:
        return found
    message = (
        f"The state has no action under {key!r} and no tool call that waits for its result; it has "
        f"{', '.join(map(repr, values)) or 'nothing'}. Name the key with `action_key=…`, or pass a "
        "function as `action_of=…`."
    )
    raise InvalidInputError(message)


def find_pending(messages: Sequence[BaseMessage]) -> list[Candidate]:
    """Return the tool calls of the last message of a model that have no answer yet."""
    last = last_calls(messages)
    if last is None:
        return []
    done = answered_ids(messages)
    return [
        Candidate(call["id"] or "", {"name": call["name"], "args": call["args"]}, last.id)
        for call in last.tool_calls
        if call["id"] not in done
    ]


def last_calls(messages: Sequence[BaseMessage]) -> AIMessage | None:
    """Return the last message of a model, if it calls tools."""
    last = next((m for m in reversed(messages) if isinstance(m, AIMessage)), None)
    return last if last is not None and last.tool_calls else None
