"""The book of open runs: each run under the root of its tree, and nothing of those that ended."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import UUID

from langchain_drift.callbacks.filters import RunFilter
from langchain_drift.callbacks.identity import nodes_in, thread_in
from langchain_drift.callbacks.lock import Lock
from langchain_drift.callbacks.messages import Words
from langchain_drift.callbacks.run import Kind, Run, Start
from langchain_drift.callbacks.tree import Source, Tree

MAX_TREES = 10_000
"""Root runs kept open at once; one that never ends is dropped as the oldest."""

_REMEMBERED = 4_096
"""Ended runs remembered, so that what starts under one later is no conversation of its own."""

_closed: ContextVar[frozenset["RunBook"]] = ContextVar("langchain_drift_closed")


class RunBook:
    """The open runs of a handler; safe to share between threads.

    Args:
        run_filter: Which runs speak to the user.
        max_trees: Root runs kept open at once.
    """

    def __init__(self, run_filter: RunFilter, max_trees: int = MAX_TREES) -> None:
        self._filter = run_filter
        self._max_trees = max_trees
        self._lock = Lock()
        self._runs: dict[UUID, Run] = {}
        self._trees: OrderedDict[UUID, Tree] = OrderedDict()
        self._ended: OrderedDict[UUID, None] = OrderedDict()
        self.dropped = 0

    def __len__(self) -> int:
        """Return how many runs are open."""
        with self._lock:
            return len(self._runs)

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Note nothing that is started inside: what a handler sets off itself is no turn."""
        token = _closed.set(_closed.get(frozenset()) | {self})
        try:
            yield
        finally:
            _closed.reset(token)

    def start(self, run_id: UUID, parent_id: UUID | None, start: Start) -> Run | None:
        """Note that a run started, and return it; None if it is known already or no part of a turn.

        A parent that was never told of makes it the root of a tree: the handler is attached
        below it. A parent that has ended does not; what a reply leaves behind is no turn.
        """
        with self._lock:
            if run_id in self._runs:
                return None
            if parent_id is None and self._has_seen(start.around):
                parent_id = start.around
            if parent_id in self._ended or self in _closed.get(frozenset()):
                self._remember(run_id)
                return None
            parent = self._runs.get(parent_id) if parent_id else None
            tree = parent.tree if parent else self._plant(run_id, start)
            tree.is_whole = tree.is_whole and (parent is not None or parent_id is None)
            run = self._runs[run_id] = self._run(tree, start, parent)
            tree.runs.add(run_id)
            tree.speaking += run.speaks
            return run

    def hear(self, run_id: UUID, text: str) -> None:
        """Note a piece of what a model is saying."""
        with self._lock:
            run = self._runs.get(run_id)
            if run and run.speaks:
                run.heard.append(text)

    def say(self, run: Run, reply: Words, source: Source) -> None:
        """Note a text of the assistant that a run gave."""
        with self._lock:
            run.tree.note(run.call(reply, source))

    def end(self, run_id: UUID) -> Run | None:
        """Note that a run ended; None if it is not open, as when it ends twice.

        Models that still speak as their root ends may never be told to end, or later than it:
        what was heard of them is noted then.
        """
        with self._lock:
            run = self._runs.pop(run_id, None)
            if run is None:
                return None
            run.tree.runs.discard(run_id)
            run.tree.speaking -= run.speaks
            self._remember(run_id)
            if run.is_root:
                self._note_heard(run.tree)
                self._fell(run.tree)
            return run

    def pause(self, run_id: UUID | None) -> None:
        """Note that the graph a run is in was interrupted."""
        with self._lock:
            run = self._runs.get(run_id) if run_id else None
            if run:
                run.tree.paused = True

    def _has_seen(self, run_id: UUID | None) -> bool:
        return run_id is not None and (run_id in self._runs or run_id in self._ended)

    def _plant(self, run_id: UUID, start: Start) -> Tree:
        configurable = (start.config or {}).get("configurable")
        tree = Tree(run_id, thread=thread_in(start.metadata, configurable))
        self._trees[run_id] = tree
        while len(self._trees) > self._max_trees:
            self._fell(next(iter(self._trees.values())))
            self.dropped += 1
        return tree

    def _note_heard(self, tree: Tree) -> None:
        for run in (self._runs[run_id] for run_id in tree.runs):
            said = run.said_so_far
            if run.speaks and said:
                tree.note(run.call(said, Source.CUT))

    def _fell(self, tree: Tree) -> None:
        """Forget a tree with all that is still open in it."""
        self._trees.pop(tree.root, None)
        for run_id in tree.runs:
            self._runs.pop(run_id, None)
            self._remember(run_id)

    def _run(self, tree: Tree, start: Start, parent: Run | None) -> Run:
        nodes = nodes_in(start.metadata) | (parent.nodes if parent else frozenset())
        if parent:
            _learn(tree, parent, start)
        return Run(
            tree=tree,
            start=start,
            parent=parent,
            nodes=nodes,
            chosen=self._filter.chooses(nodes, start.tags),
            in_tool=parent is not None and (parent.in_tool or parent.start.kind is Kind.TOOL),
        )

    def _remember(self, run_id: UUID) -> None:
        self._ended[run_id] = None
        while len(self._ended) > _REMEMBERED:
            self._ended.popitem(last=False)


def _learn(tree: Tree, parent: Run, start: Start) -> None:
    """Take from a child what its parent was not told of."""
    if start.config:
        parent.config = tree.config = start.config
    if parent.is_root:
        # Configurable values reach a chain's children only, by their config.
        tree.thread = tree.thread or thread_in(
            start.metadata, (start.config or {}).get("configurable")
        )
        tree.is_graph = tree.is_graph or start.is_node
