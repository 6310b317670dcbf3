"""The guard of tool calls: asked before each, told after it; what middleware and wrappers share."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolCallRequest

from langchain_drift.tool_guard import answers
from langchain_drift.tool_guard.boundary import make_boundary
from langchain_drift.tool_guard.history import Call, find_calls, message_id_of, messages_of
from langchain_drift.tool_guard.judged import Judged
from langchain_drift.tool_guard.memory import Memory
from langchain_drift.tool_guard.options import Options
from langchain_drift.tool_guard.outcome import (
    Outcome,
    find_message,
    outcome_of,
    outcome_of_error,
)
from langchain_drift.tool_guard.place import GuardOf, Place, make_place
from langchain_drift.tool_guard.repetition import count_repeats
from langchain_drift.tool_guard.telling import Told, what_to_tell

Handler = Callable[[ToolCallRequest], Any]
AsyncHandler = Callable[[ToolCallRequest], Awaitable[Any]]


class _Asked(NamedTuple):
    """A call that is about to run.

    Attributes:
        call: The call.
        past: The calls of the run before it.
        place: Where it runs.
    """

    call: Call
    past: list[Call]
    place: Place


class ToolGuard:
    """Guards tool calls; safe to share between threads and event loops.

    Nothing that goes wrong in here, or in the functions of the options, costs a call its result.

    Args:
        guard: The guard that is asked and told.
        options: How.
    """

    def __init__(self, guard: GuardOf, options: Options) -> None:
        self.guard, self.options = guard, options
        self.boundary = make_boundary()
        self.memory = Memory(guard, options, self.boundary)

    def run(
        self,
        request: ToolCallRequest,
        handler: Handler,
        judged: Judged | None = None,
        *,
        approved: bool = False,
    ) -> Any:  # noqa: ANN401 - what tools give
        """Run a call under the guard.

        Args:
            request: The call.
            handler: Runs it.
            judged: What the memory said of it before; by default it is asked now.
            approved: Whether a person wants it to run, however often it came to the same.
        """
        if not self.options.guards(request.tool_call["name"]):
            return handler(request)
        asked = self._read(request)
        if not approved and (stop := self._in_circles(asked, request)):
            return stop
        judged = judged or self.memory.judge(asked.call, asked.place)
        if stop := self._refusal(judged, request):
            return stop
        try:
            result = handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:
            self.memory.tell(self._told(asked, judged, outcome_of_error(error)), asked.place)
            raise
        outcome = self._outcome(asked, result)
        self.memory.tell(self._told(asked, judged, outcome), asked.place)
        return self._annotated(asked, judged, outcome, result)

    async def arun(
        self,
        request: ToolCallRequest,
        handler: AsyncHandler,
        judged: Judged | None = None,
        *,
        approved: bool = False,
    ) -> Any:  # noqa: ANN401 - what tools give
        """Run a call under the guard without blocking the event loop; see `run`."""
        if not self.options.guards(request.tool_call["name"]):
            return await handler(request)
        asked = self._read(request)
        if not approved and (stop := self._in_circles(asked, request)):
            return stop
        judged = judged or await self.memory.ajudge(asked.call, asked.place)
        if stop := self._refusal(judged, request):
            return stop
        try:
            result = await handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:
            await self.memory.atell(self._told(asked, judged, outcome_of_error(error)), asked.place)
            raise
        outcome = self._outcome(asked, result)
        await self.memory.atell(self._told(asked, judged, outcome), asked.place)
        return self._annotated(asked, judged, outcome, result)

    def _read(self, request: ToolCallRequest) -> _Asked:
        """Read a call, where it runs and what came before it."""
        made, runtime = request.tool_call, request.runtime
        messages, past = messages_of(request.state), list[Call]()
        with self.boundary("looking back"):
            # The call itself and those that run beside it have no outcome yet.
            past = [one for one in find_calls(messages, self.options.failed) if one.outcome]
        # A message that was put together by hand may have no id.
        task = runtime.execution_info.task_id if runtime.execution_info else None
        message_id = message_id_of(messages, made["id"]) or task
        call = Call(made["name"], made["args"], made["id"], message_id)
        place = make_place(request.state, runtime.context, runtime.config, runtime.store)
        return _Asked(call, past, place)

    def _in_circles(self, asked: _Asked, request: ToolCallRequest) -> ToolMessage | None:
        """Return the answer to a call that is not to run again, for it came to the same."""
        limit = self.options.stop_after
        if limit is not None:
            with self.boundary("looking back"):
                repeats = count_repeats(asked.past, asked.call)
                if repeats.in_a_row >= limit:
                    return answers.answer(request.tool_call, answers.stopped(repeats.times))
        return None

    def _refusal(self, judged: Judged, request: ToolCallRequest) -> ToolMessage | None:
        """Return the answer to a call that is not to run by what the memory says."""
        text = ""
        if judged.failed:
            text = answers.unavailable() if self.options.on_error == "fail_closed" else ""
        elif judged.asks:
            text = answers.not_acknowledged(judged.prompt)
        elif judged.stops:
            text = answers.blocked(judged.prompt)
        return answers.answer(request.tool_call, text) if text else None

    def _outcome(self, asked: _Asked, result: object) -> Outcome | None:
        with self.boundary("reading the result"):
            message = find_message(result, asked.call.call_id)
            return outcome_of(message, self.options.failed) if message else None
        return None

    def _told(self, asked: _Asked, judged: Judged, outcome: Outcome | None) -> Told | None:
        with self.boundary("telling"):
            return what_to_tell(
                asked.call,
                outcome,
                past=asked.past,
                thread_id=asked.place.thread_id,
                looked_up=judged.looked_up and not judged.failed,
                warned=bool(judged.prompt),
                successes=self.options.successes,
            )
        return None

    def _annotated(
        self,
        asked: _Asked,
        judged: Judged,
        outcome: Outcome | None,
        result: Any,  # noqa: ANN401 - what tools give
    ) -> Any:  # noqa: ANN401 - what tools give
        notes = [answers.warned(judged.prompt)] if judged.prompt else []
        with self.boundary("looking back"):
            if outcome and self.options.nudge_after:
                repeats = count_repeats(asked.past, asked.call.came_to(outcome))
                # Reading or waiting again gets on if something new was done in between.
                times = repeats.times if outcome.failed else repeats.in_a_row
                if times >= self.options.nudge_after:
                    notes.append(answers.nudged(times))
        for note in notes:
            result = answers.annotate(result, asked.call.call_id, note)
        return result
