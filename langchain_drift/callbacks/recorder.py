"""Turns as they end: paired, scored, kept, published."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from langchain_core.runnables import RunnableConfig

from langchain_drift.callbacks.boundary import Boundary
from langchain_drift.callbacks.deadline import Deadline, Wait
from langchain_drift.callbacks.exchange import Exchange
from langchain_drift.callbacks.judge import Judge
from langchain_drift.callbacks.messages import humans_in, messages_in
from langchain_drift.callbacks.pairing import Reading, pair
from langchain_drift.callbacks.publisher import Publisher
from langchain_drift.callbacks.record import TurnRecord
from langchain_drift.callbacks.run import Run
from langchain_drift.callbacks.scored import Foreseen, Scored
from langchain_drift.callbacks.steps import Steps
from langchain_drift.callbacks.store import Slot, Store
from langchain_drift.callbacks.thread import Thread
from langchain_drift.callbacks.tree import Source, Tree
from langchain_drift.conversation.turn import Turn as Said

_INTERRUPT = "__interrupt__"

_WAITED = {
    Wait.LATE: "its score takes longer than {:g} seconds",
    Wait.QUEUED: "it waits for turns whose scores take longer than {:g} seconds",
    Wait.REFUSED: "too many turns wait for their scores, or the system gives no thread",
}


@dataclass(slots=True)
class _Turn:
    """A turn that is being taken."""

    tree: Tree
    thread_id: str
    thread: Thread
    exchange: Exchange
    slot: Slot


class Recorder:
    """Takes the turns of finished trees; safe to share between threads.

    Args:
        store: Where they are kept.
        judge: What scores them.
        deadline: How long a run waits for its score.
        publisher: Where else they go.
        reading: How trees are read.
        thread_id: The conversation of all runs, whatever they say.
        boundary: What catches errors.
    """

    def __init__(  # noqa: PLR0913 - the parts it joins
        self,
        *,
        store: Store,
        judge: Judge,
        deadline: Deadline,
        publisher: Publisher,
        reading: Reading,
        thread_id: str | None,
        boundary: Boundary,
    ) -> None:
        self._store, self._judge, self._deadline = store, judge, deadline
        self._publisher, self._reading = publisher, reading
        self._thread_id, self._boundary = thread_id, boundary

    def finish(self, tree: Tree, outputs: object = None, *, closed: bool = False) -> Steps:
        """Take the turn of a tree whose root has ended, if it is one."""
        thread_id, thread = self._thread(tree)
        exchange = None
        if not tree.paused and not (isinstance(outputs, Mapping) and _INTERRUPT in outputs):
            exchange = self._pair(tree, outputs, thread, closed=closed)
        with self._store.lock:
            thread.pending = None if exchange else (tree.given.user or thread.pending)
            if exchange:
                thread.learn(_hashes(tree, outputs, self._reading.output_key))
        if exchange:
            slot = self._store.place(thread_id)
            yield from self._settle(_Turn(tree, thread_id, thread, exchange, slot))

    def fail(self, tree: Tree) -> None:
        """Note that a root failed: no turn, but what the user said may be taken up again."""
        _, thread = self._thread(tree)
        with self._store.lock:
            thread.pending = tree.given.user or thread.pending

    def foresee(self, run: Run, outputs: object) -> Steps:
        """Score the turn as it stands when a node has answered, for the stream of its graph.

        Once the root has ended nothing can be written to its stream.
        """
        tree, config = run.tree, run.config or run.tree.config
        last = tree.calls[-1] if tree.calls else None
        if config is None or last is None or last.source is not Source.NODE or not last.chosen:
            return
        thread_id, thread = self._thread(tree)
        exchange = self._pair(tree, outputs, thread, closed=False)
        if exchange is None or not self._deadline.waits:
            return
        found: list[Scored] = []

        def score() -> None:
            with thread.turn_lock:
                found.append(self._judge.score(thread, exchange))
                tree.foreseen = Foreseen(exchange, found[0])

        task = self._task(
            score, lambda error: setattr(tree, "foreseen", Foreseen(exchange, error=error))
        )
        job = self._deadline.begin(task, _nothing)
        if job.wait is None:
            yield job
        if self._deadline.end(job) is Wait.DONE and found:
            self._publisher.write(_record(tree, thread_id, exchange, found[0]), config)

    def _thread(self, tree: Tree) -> tuple[str, Thread]:
        """Return the conversation of a tree.

        A run that names none is a conversation of its own, which nothing will continue.
        """
        name = self._thread_id or tree.thread
        return (name, self._store.thread(name)) if name else (str(tree.root), tree.own)

    def _pair(
        self, tree: Tree, outputs: object, thread: Thread, *, closed: bool
    ) -> Exchange | None:
        with self._store.lock:
            pending, known = thread.pending, dict(thread.known)
        return pair(
            tree, outputs, closed=closed, reading=self._reading, pending=pending, known=known
        )

    def _settle(self, turn: _Turn) -> Steps:
        """Score a turn and publish it; keep it without a score as long as that takes too long."""
        job = self._deadline.begin(
            self._task(lambda: self._keep(turn), lambda error: _keep_unscored(turn, error)),
            lambda: self._publish(turn, config=None),
            # Scoring needs the lock; who holds it must not wait for the score.
            waits=not self._store.lock.is_mine,
        )
        if job.wait is None:
            yield job
        waited = self._deadline.end(job)
        if waited in _WAITED:
            error = TimeoutError(_WAITED[waited].format(self._deadline.seconds))
            self._boundary.note("scoring", error)
            with self._store.lock:
                if turn.slot.record is None:
                    _keep_unscored(turn, error)
        if waited in (Wait.DONE, Wait.REFUSED):
            self._publish(turn, config=turn.tree.config)

    def _publish(self, turn: _Turn, *, config: RunnableConfig | None) -> None:
        """Publish a turn; one whose run is long gone has no config to send an event from."""
        record = turn.slot.record
        if record:
            self._publisher.send(record, config, is_whole=turn.tree.is_whole)
            self._publisher.call(record)

    def _task(
        self, work: Callable[[], None], if_failed: Callable[[BaseException], None]
    ) -> Callable[[], None]:
        def task() -> None:
            with self._boundary("scoring") as caught:
                work()
            if caught.error:
                if_failed(caught.error)

        return task

    def _keep(self, turn: _Turn) -> None:
        """Score a turn and move its conversation on."""
        thread = turn.thread
        with thread.turn_lock:
            foreseen = turn.tree.foreseen
            if foreseen and not foreseen.is_of(turn.exchange):
                foreseen = None
            if foreseen and foreseen.error:
                _keep_unscored(turn, foreseen.error)
                return
            scored = self._judge.score(thread, turn.exchange, foreseen.scored if foreseen else None)
            with self._store.lock:
                thread.scorer, thread.state = scored.scorer, scored.state
                thread.before, thread.last_message = scored.before, turn.exchange.user.message_id
                turn.slot.record = _record(turn.tree, turn.thread_id, turn.exchange, scored)


def _nothing() -> None:
    """Do nothing: it is too late for the stream."""


def _hashes(tree: Tree, outputs: object, key: str | None) -> dict[str, int]:
    """Return hashes of the words of human messages by id; as given, where a node changed them."""
    seen = [*humans_in(messages_in(outputs, key)), *tree.given.humans]
    return {words.message_id: hash(words.text) for words in seen if words.message_id}


def _record(tree: Tree, thread_id: str, exchange: Exchange, scored: Scored) -> TurnRecord:
    result = scored.result
    drift = result.drift and result.drift.model_copy(update={"session_id": thread_id})
    return TurnRecord(
        **{**dict(result), "drift": drift},
        thread_id=thread_id,
        run_id=str(tree.root),
        message_id=exchange.user.message_id,
        complete=exchange.complete,
        is_redo=scored.is_redo,
    )


def _keep_unscored(turn: _Turn, error: BaseException) -> None:
    said = Said.of(turn.exchange.user.text, turn.exchange.reply.text)
    reason = Said.of(f"{type(error).__name__}: {error}", None).user
    turn.slot.record = TurnRecord(
        user_message=said.user,
        assistant_response=said.assistant,
        explanation=f"Not scored: {reason}",
        thread_id=turn.thread_id,
        run_id=str(turn.tree.root),
        message_id=turn.exchange.user.message_id,
        complete=turn.exchange.complete,
        error=reason,
    )
