"""Where results go beside the handler's own records."""

from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from langchain_core.callbacks import dispatch_custom_event
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.config import get_stream_writer

from langchain_drift.callbacks.boundary import Boundary
from langchain_drift.callbacks.crew import Crew
from langchain_drift.callbacks.record import TurnRecord
from langchain_drift.callbacks.runs import RunBook

EVENT = "drift"
"""The name of the custom event, and the key of what is written to the stream."""

FEEDBACK_KEY = "on_purpose"
"""The key of the feedback in LangSmith."""

OnTurn = Callable[[TurnRecord], object]
"""Called with every turn."""


class FeedbackClient(Protocol):
    """What is used of a LangSmith client."""

    def create_feedback(self, run_id: UUID, key: str, **values: Any) -> object:  # noqa: ANN401 - theirs
        """Attach feedback to a run."""


class Outlets(NamedTuple):
    """Where results go.

    Attributes:
        event: Whether as a custom event.
        stream: Whether to the stream of the graph.
        on_turn: A function to call.
        client: A LangSmith client to send feedback with.
    """

    event: bool = True
    stream: bool = True
    on_turn: OnTurn | None = None
    client: FeedbackClient | None = None


class Publisher:
    """Sends results to their outlets; what an outlet makes of them costs no answer.

    Args:
        outlets: Where results go.
        runs: The open runs, which are not to hold those that `on_turn` sets off.
        boundary: What catches errors.
    """

    def __init__(self, outlets: Outlets, runs: RunBook, boundary: Boundary) -> None:
        self.outlets, self._runs, self._boundary = outlets, runs, boundary
        self._feedback = Crew("langchain-drift-feedback", outlives=True)

    def write(self, record: TurnRecord, config: RunnableConfig) -> None:
        """Write a turn to the stream of the graph that the config is of."""
        with self._boundary("writing to the stream"):
            copy_context().run(_write, config, {EVENT: record.to_event()})

    def send(self, record: TurnRecord, config: RunnableConfig | None, *, is_whole: bool) -> None:
        """Send a scored turn as a custom event and as feedback.

        Args:
            record: The turn.
            config: The config of a run to send the event from; without one there is none.
            is_whole: Whether its run is the root of a trace.
        """
        if record.drift is None:
            return
        if self.outlets.event and config:
            with self._boundary("sending the event"):
                dispatch_custom_event(EVENT, record.to_event(), config=config)
        if self.outlets.client:
            # LangSmith's client asks its server what it can before it queues a first feedback, and
            # never queues one without a trace: it is not called while an answer waits.
            task = partial(self._feed_back, self.outlets.client, record, is_whole=is_whole)
            if not self._feedback.add(task):
                self._boundary.note("sending feedback", OverflowError("too much waits to be sent"))

    def call(self, record: TurnRecord) -> None:
        """Call the function given for turns; what it runs is not watched, or it would not end."""
        if self.outlets.on_turn:
            with self._boundary("calling on_turn"), self._runs.closed():
                self.outlets.on_turn(record)

    def _feed_back(self, client: FeedbackClient, record: TurnRecord, *, is_whole: bool) -> None:
        """Send `on_purpose` from 0 to 1, the verdict and the explanation."""
        run_id, drift = UUID(record.run_id), record.drift
        with self._boundary("sending feedback"):
            client.create_feedback(
                run_id,
                FEEDBACK_KEY,
                score=drift.score / 100 if drift else None,
                value=drift.verdict.value if drift else None,
                comment=record.explanation,
                extra=record.to_event(),
                trace_id=run_id if is_whole else None,
            )


def _write(config: RunnableConfig, payload: dict[str, Any]) -> None:
    var_child_runnable_config.set(config)
    get_stream_writer()(payload)
