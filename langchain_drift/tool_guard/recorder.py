"""A callback that tells the mistake memory which tools failed, where there is no middleware."""

import threading
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp

from langchain_drift.callbacks.identity import thread_in
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.recording import ScopeLike
from langchain_drift.tool_guard.boundary import RECORDING, make_boundary
from langchain_drift.tool_guard.event_ids import make_event_id
from langchain_drift.tool_guard.outcome import (
    Failed,
    Outcome,
    find_message,
    has_error_status,
    outcome_of,
    outcome_of_error,
)

_MOST_OPEN: Final = 10_000


class _Open(NamedTuple):
    """A tool that runs."""

    action: dict[str, Any]
    thread_id: str | None
    identity: tuple[str | None, ...]
    call_id: str | None


class MistakeRecorder(BaseCallbackHandler):
    """Records which tool calls failed and which worked, in any chain, agent or graph.

    It only records; to warn, ask the guard (`before_step`, `guard_step`). Where a
    `MistakeGuardMiddleware` or `guard_tool_call` wraps the same calls it would record them twice.

    Args:
        guard: The guard that is told.
        scope: Whose memory it is.
        failed: Tells by a tool message whether the call failed; by default its status does.
        successes: Whether to record calls that worked too; they lower later warnings.

    Example:
        ```python
        chain.invoke(question, config={"callbacks": [MistakeRecorder(guard)]})
        ```
    """

    run_inline = False

    def __init__(
        self,
        guard: DriftGuard,
        *,
        scope: ScopeLike = None,
        failed: Failed = has_error_status,
        successes: bool = True,
    ) -> None:
        super().__init__()
        self._guard, self._scope = guard, scope
        self._failed, self._successes = failed, successes
        self._boundary = make_boundary(RECORDING)
        self._open: dict[UUID, _Open] = {}
        self._lock = threading.Lock()

    @property
    def errors(self) -> dict[str, int]:
        """How often each kind of error happened while recording."""
        return self._boundary.counts

    def on_tool_start(
        self,
        serialized: dict[str, Any] | None,
        input_str: str,
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> None:
        """Note which tool is called with what."""
        name = (serialized or {}).get("name") or kwargs.get("name") or "tool"
        thread_id, call_id = thread_in(metadata), kwargs.get("tool_call_id")
        args = inputs if isinstance(inputs, Mapping) else {"input": input_str}
        # The same task names the same call again when it is retried or resumed.
        task = (metadata or {}).get("langgraph_checkpoint_ns")
        known = (task, call_id) if task and call_id else (str(run_id),)
        with self._lock:
            if len(self._open) >= _MOST_OPEN:
                self._open.pop(next(iter(self._open)))
            action = {"name": str(name), "args": dict(args)}
            self._open[run_id] = _Open(action, thread_id, (thread_id, *known), call_id)

    def on_tool_end(self, output: object, *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401 - LangChain's signature
        """Record what came of a call."""
        message = output if isinstance(output, ToolMessage) else None
        with self._lock:
            run = self._open.pop(run_id, None)
        if run is None:
            return
        with self._boundary("recording"):
            message = message or find_message(output, run.call_id)
            outcome = outcome_of(message, self._failed) if message else Outcome(False, "")  # noqa: FBT003 - a named tuple
            if outcome:
                self._record(run, outcome)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:  # noqa: ANN401 - LangChain's signature
        """Record a call that raised; LangGraph's control flow is no failure."""
        with self._lock:
            run = self._open.pop(run_id, None)
        if run is None or isinstance(error, GraphBubbleUp):
            return
        with self._boundary("recording"):
            self._record(run, outcome_of_error(error))

    def _record(self, run: _Open, outcome: Outcome) -> None:
        if outcome.failed:
            name = make_event_id("mistake", *run.identity)
            self._guard.record(
                run.action,
                outcome.text,
                scope=self._scope,
                event_id=name,
                source=run.thread_id or "",
            )
        elif self._successes:
            name = make_event_id("success", *run.identity)
            self._guard.record_success(
                run.action, scope=self._scope, event_id=name, source=run.thread_id or ""
            )
