"""A thread of a checkpoint database: what was said in it, and what it keeps of its drift."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import reduce
from typing import Any, NamedTuple
from uuid import UUID

from langchain_core.messages import BaseMessage, SystemMessage, convert_to_messages
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.graph.message import add_messages

from langchain_drift.errors import StoreError
from langchain_drift.sessions.message_turns import (
    MessageTurn,
    is_waiting,
    reply_of,
    split_turns,
    words_of,
)

# Ticks of 100 ns between 1582, where UUIDs of version 6 begin to count, and 1970.
_EPOCH, _TICKS, _VERSION = 0x01B21DD213814000, 10_000_000, 6


class ThreadPlace(NamedTuple):
    """Where the newest checkpoint of a thread is.

    Attributes:
        thread_id: The thread.
        checkpoint_id: Its newest checkpoint.
    """

    thread_id: str
    checkpoint_id: str

    @property
    def at(self) -> datetime | None:
        """When it was written; None if its id does not tell."""
        try:
            found = UUID(self.checkpoint_id)
        except ValueError:
            return None
        if found.version != _VERSION:
            return None
        value = found.int
        ticks = (value >> 80) << 12 | (value >> 64) & 0xFFF
        return datetime.fromtimestamp((ticks - _EPOCH) / _TICKS, UTC)


class Thread(NamedTuple):
    """What a thread holds.

    Attributes:
        place: Where it is.
        at: When its newest checkpoint was written.
        messages: Its messages.
        values: All values of its state.
    """

    place: ThreadPlace
    at: datetime | None
    messages: list[BaseMessage]
    values: Mapping[str, Any]

    @property
    def prompt(self) -> str | None:
        """The system message it begins with; None if it has none."""
        first = next((one for one in self.messages if isinstance(one, SystemMessage)), None)
        return str(first.text) if first is not None and str(first.text).strip() else None

    def turns(self) -> list[tuple[str, str]]:
        """Return the turns that have their reply: what the user said, and the reply."""
        return [
            (words_of(turn), reply_of(turn))
            for turn in split_turns(self.messages)
            if _is_done(turn)
        ]


def read_thread(saver: BaseCheckpointSaver[Any], place: ThreadPlace, channel: str) -> Thread | None:
    """Read the newest state of a thread; None if it is gone.

    Args:
        saver: The checkpointer.
        place: Where it is.
        channel: The name of the messages in the state.

    Raises:
        StoreError: If it cannot be read, as when it is encrypted.
    """
    config: Any = {"configurable": {"thread_id": place.thread_id, "checkpoint_ns": ""}}
    try:
        found = saver.get_tuple(config)
        if found is None:
            return None
        values = found.checkpoint["channel_values"]
        messages = convert_to_messages(_messages(saver, found, channel) or [])
    except (NotImplementedError, TypeError, ValueError) as error:
        message = f"The thread {place.thread_id} cannot be read: {error}."
        raise StoreError(message) from error
    return Thread(place, place.at or _written(found), list(messages), values)


def _messages(saver: BaseCheckpointSaver[Any], found: CheckpointTuple, channel: str) -> Any:  # noqa: ANN401 - what a state holds
    """Return the messages, also of a channel that is stored as a list of changes."""
    held = found.checkpoint["channel_values"].get(channel)
    if isinstance(held, list) or channel not in found.checkpoint["channel_versions"]:
        return held
    history = saver.get_delta_channel_history(config=found.config, channels=[channel])
    changes: DeltaChannel[Any] = DeltaChannel(_apply, list).from_checkpoint(
        history[channel].get("seed", [])
    )
    changes.replay_writes(history[channel]["writes"])
    return changes.get()


def _apply(state: Any, writes: Any) -> Any:  # noqa: ANN401 - LangGraph's reducer
    return reduce(add_messages, writes, state or [])


def _is_done(turn: MessageTurn) -> bool:
    return bool(words_of(turn) and reply_of(turn)) and not is_waiting(turn)


def _written(found: CheckpointTuple) -> datetime | None:
    try:
        return datetime.fromisoformat(found.checkpoint["ts"])
    except (KeyError, TypeError, ValueError):
        return None
