"""Ids of messages: not every agent gives them to what users say."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES


class Named(NamedTuple):
    """Messages of which each has an id.

    Attributes:
        messages: The messages.
        update: What brings them into the state; empty if all of them had one.
    """

    messages: list[BaseMessage]
    update: list[BaseMessage]


def with_ids(messages: Sequence[BaseMessage]) -> Named:
    """Return messages of which each has an id; the same one whenever they are asked for again.

    deepagents keeps what came as tuples or dicts without one, and then neither a turn nor a
    message that is to go could be told.
    """
    found = [
        message if message.id else message.model_copy(update={"id": _id(place, message)})
        for place, message in enumerate(messages)
    ]
    if all(message.id for message in messages):
        return Named(found, [])
    return Named(found, [RemoveMessage(id=REMOVE_ALL_MESSAGES), *found])


def merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return two updates as one; the second one only removes messages."""
    gone = {message.id for message in second.get("messages", ())}
    kept = [message for message in first.get("messages", ()) if message.id not in gone]
    messages = kept or list(second.get("messages", ()))
    together = {**first, **second, "messages": messages}
    return {name: value for name, value in together.items() if name != "messages" or value}


def _id(place: int, message: BaseMessage) -> str:
    said = f"{place}\0{message.type}\0{message.content!r}".encode(errors="replace")
    return f"drift-{hashlib.sha256(said).hexdigest()[:24]}"
