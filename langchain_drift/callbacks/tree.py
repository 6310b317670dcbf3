"""What is noted of a tree of runs while it is open."""

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from langchain_core.runnables import RunnableConfig

from langchain_drift.callbacks.messages import (
    Words,
    humans_in,
    messages_in,
    newest_human,
    system_prompt,
    user_text,
)
from langchain_drift.callbacks.scored import Foreseen
from langchain_drift.callbacks.thread import Thread

_KEPT_CALLS = 64
_KEPT_HUMANS = 64


class Source(StrEnum):
    """Where a reply was seen."""

    MODEL = "model"
    """A model ended with it."""
    NODE = "node"
    """A graph node wrote it to the messages."""
    CUT = "cut"
    """A model was cut off after it."""


@dataclass(frozen=True, slots=True)
class Call:
    """A text of the assistant inside a tree, with what it answered.

    Attributes:
        reply: The text.
        source: Where it was seen.
        user: The newest human words before it; None for a node.
        system: The system message before it; None for a node, or without one.
        chosen: Whether the handler's filter lets it speak to the user.
        in_tool: Whether it was made inside a tool.
    """

    reply: Words
    source: Source = Source.MODEL
    user: Words | None = None
    system: str | None = None
    chosen: bool = True
    in_tool: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """What went into a root run.

    Attributes:
        user: The newest human words; None if there are none, as when a graph is resumed.
        humans: The human messages that have an id, the newest last.
        system: The system message.
        keys: The keys, if it was a dict.
    """

    user: Words | None = None
    humans: tuple[Words, ...] = ()
    system: str | None = None
    keys: Collection[str] = ()

    @classmethod
    def of(cls, inputs: object, key: str | None = None) -> "Given":
        """Read the input of a root run; see `user_text` for the key."""
        messages = messages_in(inputs, key)
        humans = [words for words in humans_in(messages) if words.message_id]
        return cls(
            user=newest_human(messages) or user_text(inputs, key),
            humans=tuple(humans[-_KEPT_HUMANS:]),
            system=system_prompt(messages),
            keys=frozenset(inputs) if isinstance(inputs, dict) else (),
        )


@dataclass(slots=True)
class Tree:
    """An open root run and what was noted under it.

    Attributes:
        root: The run id.
        given: What went into it.
        thread: The conversation it belongs to; None as long as it is not named.
        own: The conversation that it is by itself, if it names none.
        calls: The texts of the assistant in it, the newest last.
        speaking: Open model runs that may be speaking to the user.
        is_graph: Whether it is a graph.
        paused: Whether the graph was interrupted.
        runs: The open runs in it.
        config: The config of its children, to publish with.
        is_whole: Whether it is all of a trace: nothing stands above it.
        foreseen: The turn as it was scored before the root ended, for the stream.
    """

    root: UUID
    given: Given = Given()
    thread: str | None = None
    own: Thread = field(default_factory=Thread)
    calls: tuple[Call, ...] = ()
    speaking: int = 0
    is_graph: bool = False
    paused: bool = False
    runs: set[UUID] = field(default_factory=set)
    config: RunnableConfig | None = None
    is_whole: bool = True
    foreseen: Foreseen | None = None

    def note(self, call: Call) -> None:
        """Note a text; hold the lock of the book. Who reads `calls` meanwhile needs none."""
        self.calls = (*self.calls, call)[-_KEPT_CALLS:]
