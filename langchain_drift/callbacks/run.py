"""A run: what is told of it as it starts, and what is noted of it while it is open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self
from uuid import UUID

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config

from langchain_drift.callbacks.messages import Words, newest_human, system_prompt
from langchain_drift.callbacks.tree import Call, Source, Tree


class Kind(StrEnum):
    """What a run is."""

    CHAIN = "chain"
    MODEL = "model"
    TOOL = "tool"
    OTHER = "other"
    """A retriever, prompt or parser: as a root it is no turn."""


@dataclass(frozen=True, slots=True)
class Start:
    """What is told of a run as it starts.

    Attributes:
        kind: What it is.
        name: Its name.
        tags: Its tags.
        metadata: Its metadata.
        config: The config it was started under, if a runnable started it.
        around: The run in whose code it was started. A handler given anew inside a run cuts
            what it is given to loose from its parent; it is a part of that run all the same.
        user: The newest human words a model was given.
        system: The system message a model was given.
    """

    kind: Kind
    name: str = ""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] | None = None
    config: RunnableConfig | None = None
    around: UUID | None = None
    user: Words | None = None
    system: str | None = None

    @classmethod
    def of(
        cls,
        kind: Kind,
        parent_id: UUID | None,
        told: Mapping[str, Any],
        *,
        serialized: Mapping[str, Any] | None = None,
        prompt: Sequence[BaseMessage] = (),
    ) -> Self:
        """Read what LangChain tells of a start.

        Args:
            kind: What starts.
            parent_id: The run above it.
            told: The keywords of the event.
            serialized: What starts, as LangChain stores it; a graph has no such form.
            prompt: What a model is asked.
        """
        config = var_child_runnable_config.get()
        around = getattr(config.get("callbacks"), "parent_run_id", None) if config else None
        return cls(
            kind=kind,
            name=str(told.get("name") or (serialized or {}).get("name") or ""),
            tags=tuple(told.get("tags") or ()),
            metadata=told.get("metadata"),
            # A config of another run is not the one this run was started under.
            config=config if around is not None and around == parent_id else None,
            around=around,
            user=newest_human(prompt),
            system=system_prompt(prompt),
        )

    @property
    def takes_turns(self) -> bool:
        """Whether its end, as the root of a tree, is the end of a turn."""
        return self.kind in (Kind.CHAIN, Kind.MODEL) and not self.is_internal

    @property
    def is_internal(self) -> bool:
        """Whether the framework started it for itself, to summarise for example."""
        metadata = self.metadata or {}
        return "lc_internal_call" in metadata or bool(metadata.get("lc_source"))

    @property
    def is_node(self) -> bool:
        """Whether it is a node of a graph."""
        return bool(self.name) and self.name == (self.metadata or {}).get("langgraph_node")


@dataclass(slots=True)
class Run:
    """An open run.

    Attributes:
        tree: The tree it is in.
        start: What was told of it.
        parent: The run it is in; None for the root of a tree.
        nodes: The graph nodes it stands in.
        chosen: Whether it speaks to the user.
        in_tool: Whether it is inside a tool.
        config: The config of its children, once one has started.
        heard: The pieces of what it has said so far, if it is a model.
    """

    tree: Tree
    start: Start
    parent: "Run | None"
    nodes: frozenset[str]
    chosen: bool
    in_tool: bool
    config: RunnableConfig | None = None
    heard: list[str] = field(default_factory=list)

    @property
    def is_root(self) -> bool:
        """Whether its end is the end of the tree."""
        return self.parent is None

    @property
    def is_top_node(self) -> bool:
        """Whether it is a node of the graph that is the root."""
        return self.start.is_node and self.parent is not None and self.parent.is_root

    @property
    def speaks(self) -> bool:
        """Whether it is a model that may be speaking to the user."""
        is_model = self.start.kind is Kind.MODEL and not self.start.is_internal
        return is_model and self.chosen and not self.in_tool

    @property
    def said_so_far(self) -> Words | None:
        """What was heard of it."""
        text = "".join(self.heard)
        return Words(text) if text.strip() else None

    def call(self, reply: Words, source: Source) -> Call:
        """Return a text of the assistant as this run said it."""
        return Call(
            reply=reply,
            source=source,
            user=self.start.user,
            system=self.start.system,
            chosen=self.chosen,
            in_tool=self.in_tool,
        )
