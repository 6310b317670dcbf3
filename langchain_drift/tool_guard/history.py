"""The tool calls of a run so far, read from the messages in its state; nothing else is kept."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from langchain_drift.mistakes.action import Action, read_action
from langchain_drift.tool_guard.outcome import Failed, Outcome, outcome_of

_LONGEST: Final = 200
"""Messages that are looked back at: a long run costs no more than a short one."""


@dataclass(frozen=True)
class Call:
    """A tool call.

    Attributes:
        name: The tool.
        args: Its arguments.
        call_id: Its id, which its result carries; None if the model gave none.
        message_id: The id of the message that asks for it.
        outcome: What came of it; None if that is not known or it was not run.
    """

    name: str
    args: dict[str, Any]
    call_id: str | None
    message_id: str | None
    outcome: Outcome | None = None

    @cached_property
    def action(self) -> dict[str, Any]:
        """The call as an action."""
        return {"name": self.name, "args": self.args}

    @cached_property
    def read(self) -> Action:
        """The call as it is compared."""
        return read_action(self.action)

    def came_to(self, outcome: Outcome | None) -> "Call":
        """Return the call with what came of it."""
        return replace(self, outcome=outcome)


def messages_of(state: object) -> Sequence[BaseMessage]:
    """Return the messages in a state: a list of them, or what it holds as `messages`."""
    if isinstance(state, dict):
        state = state.get("messages")
    elif not isinstance(state, list | tuple):
        state = getattr(state, "messages", None)
    return state if isinstance(state, list | tuple) else ()


def find_calls(messages: Sequence[BaseMessage], failed: Failed) -> list[Call]:
    """Return the calls since the last human message, oldest first; at most 200 messages of it."""
    found: list[Call] = []
    waiting: dict[str | None, int] = {}
    for message in _since_human(messages):
        if isinstance(message, AIMessage):
            # Some providers give the same ids again in every message.
            waiting = {}
            for call in message.tool_calls:
                waiting[call["id"]] = len(found)
                found.append(Call(call["name"], call["args"], call["id"], message.id))
        elif isinstance(message, ToolMessage) and message.tool_call_id in waiting:
            place = waiting[message.tool_call_id]
            found[place] = found[place].came_to(outcome_of(message, failed))
    return found


def answered_ids(messages: Sequence[BaseMessage]) -> set[str]:
    """Return the ids of the tool calls of the last message of a model that have a result."""
    found = set()
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            break
        if isinstance(message, ToolMessage):
            found.add(message.tool_call_id)
    return found


def message_id_of(messages: Sequence[BaseMessage], call_id: str | None) -> str | None:
    """Return the id of the newest message that asks for a call."""
    for message in reversed(messages):
        if isinstance(message, AIMessage) and any(c["id"] == call_id for c in message.tool_calls):
            return message.id
    return None


def _since_human(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    recent = messages[-_LONGEST:]
    for place in reversed(range(len(recent))):
        if isinstance(recent[place], HumanMessage):
            return recent[place:]
    return recent
