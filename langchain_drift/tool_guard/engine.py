"""The guard of tool calls: asked before each, told after it; what middleware and wrappers share."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolCallRequest

from langchain_drift.mistakes.exceptions import (
    GuardrailAcknowledgementRequired,
    GuardrailTriggered,
)
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.review import GuardReview
from langchain_drift.time_limit import TimeLimit
from langchain_drift.tool_guard import answers
from langchain_drift.tool_guard.boundary import Boundary
from langchain_drift.tool_guard.history import Call, find_calls, message_id_of, messages_of
from langchain_drift.tool_guard.options import Options
from langchain_drift.tool_guard.outcome import (
    Outcome,
    find_message,
    outcome_of,
    outcome_of_error,
)
from langchain_drift.tool_guard.place import (
    GuardOf,
    Guards,
    Place,
    make_place,
    resolve_scope,
)
from langchain_drift.tool_guard.repetition import count_repeats
from langchain_drift.tool_guard.telling import Told, what_to_tell

Handler = Callable[[ToolCallRequest], Any]
AsyncHandler = Callable[[ToolCallRequest], Awaitable[Any]]


class Asked(NamedTuple):
    """A call that is about to run.

    Attributes:
        call: The call.
        past: The calls of the run before it.
        place: Where it runs.
    """

    call: Call
    past: list[Call]
    place: Place


@dataclass(frozen=True, slots=True)
class Judged:
    """What the memory says of a call.

    Attributes:
        review: The answer, if it was asked just now.
        prompt: What a model is to read of it; empty if there is no warning.
        stops: Whether the policy stops the call.
        asks: Whether it stops it until a person agrees.
        looked_up: Whether the memory was asked at all.
        failed: Whether it could not be asked.
    """

    review: GuardReview | None = None
    prompt: str = ""
    stops: bool = False
    asks: bool = False
    looked_up: bool = True
    failed: bool = False

    @classmethod
    def of(cls, review: GuardReview, *, stops: bool = False, asks: bool = False) -> "Judged":
        """Return what an answer amounts to."""
        prompt = review.to_prompt() if review.warnings else ""
        return cls(review, prompt, stops, asks, looked_up=not review.skipped)


class ToolGuard:
    """Guards tool calls; safe to share between threads and event loops.

    Args:
        guard: Which guard is asked and told.
        options: How.
    """

    def __init__(self, guard: GuardOf, options: Options) -> None:
        self.guards, self.options = Guards(guard), options
        self.boundary = Boundary()
        self._limit = TimeLimit(options.timeout)

    def read(self, request: ToolCallRequest) -> Asked:
        """Read a call, where it runs and what came before it; asks nobody."""
        messages = messages_of(request.state)
        made = request.tool_call
        call = Call(made["name"], made["args"], made["id"], message_id_of(messages, made["id"]))
        runtime = request.runtime
        place = make_place(request.state, runtime.context, runtime.config, runtime.store)
        past = find_calls(messages, self.options.failed)
        # The call itself and those that run beside it have no outcome yet.
        return Asked(call, [one for one in past if one.outcome is not None], place)

    def judge(self, call: Call, place: Place) -> Judged:
        """Ask the memory about a call; an error of it is caught, counted and logged once."""
        with self.boundary("asking"):
            guard = self.guards.at(place)
            return self._limit.run(lambda: self._ask(guard, call, place))
        return Judged(failed=True)

    async def ajudge(self, call: Call, place: Place) -> Judged:
        """Ask the memory without blocking the event loop; see `judge`."""
        with self.boundary("asking"):
            guard = self.guards.at(place)
            asking = self._aask(guard, call, place)
            return await asyncio.wait_for(asking, self.options.timeout)
        return Judged(failed=True)

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
        asked = self.read(request)
        times = 0 if approved else self._times_stopped(asked)
        if times:
            return answers.answer(request.tool_call, answers.stopped(times))
        judged = judged or self.judge(asked.call, asked.place)
        if note := self._refusal(judged):
            return answers.answer(request.tool_call, note)
        try:
            result = handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:
            self.tell(asked.place, self._told(asked, judged, outcome_of_error(error)))
            raise
        outcome = self._outcome(asked, result)
        self.tell(asked.place, self._told(asked, judged, outcome))
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
        asked = self.read(request)
        times = 0 if approved else self._times_stopped(asked)
        if times:
            return answers.answer(request.tool_call, answers.stopped(times))
        judged = judged or await self.ajudge(asked.call, asked.place)
        if note := self._refusal(judged):
            return answers.answer(request.tool_call, note)
        try:
            result = await handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:
            await self.atell(asked.place, self._told(asked, judged, outcome_of_error(error)))
            raise
        outcome = self._outcome(asked, result)
        await self.atell(asked.place, self._told(asked, judged, outcome))
        return self._annotated(asked, judged, outcome, result)

    def tell(self, place: Place, told: Told | None) -> None:
        """Tell the memory what came of a call."""
        if told:
            with self.boundary("telling"):
                guard, scope = self._where(place)
                record = guard.record if told.kind == "mistake" else guard.record_success
                record(
                    told.action,
                    told.feedback,
                    told.outcome,
                    scope=scope,
                    event_id=told.event_id,
                    source=told.source,
                )

    async def atell(self, place: Place, told: Told | None) -> None:
        """Tell the memory without blocking the event loop."""
        if told:
            with self.boundary("telling"):
                guard, scope = self._where(place)
                record = guard.arecord if told.kind == "mistake" else guard.arecord_success
                await record(
                    told.action,
                    told.feedback,
                    told.outcome,
                    scope=scope,
                    event_id=told.event_id,
                    source=told.source,
                )

    def _where(self, place: Place) -> tuple[DriftGuard, Any]:
        return self.guards.at(place), resolve_scope(self.options.scope, place)

    def _ask(self, guard: DriftGuard, call: Call, place: Place) -> Judged:
        try:
            return Judged.of(guard.before_step(call.action, **self._terms(place)))
        except (GuardrailTriggered, GuardrailAcknowledgementRequired) as stop:
            return _stopped(stop)

    async def _aask(self, guard: DriftGuard, call: Call, place: Place) -> Judged:
        try:
            return Judged.of(await guard.abefore_step(call.action, **self._terms(place)))
        except (GuardrailTriggered, GuardrailAcknowledgementRequired) as stop:
            return _stopped(stop)

    def _terms(self, place: Place) -> dict[str, Any]:
        options = self.options
        return {
            "scope": resolve_scope(options.scope, place),
            "policy": options.policy,
            "min_confidence": options.min_confidence,
        }

    def _times_stopped(self, asked: Asked) -> int:
        """Return how often a call came to the same if it is not to run again, else 0."""
        limit = self.options.stop_after
        if limit is None:
            return 0
        repeats = count_repeats(asked.past, asked.call)
        return repeats.times if repeats.in_a_row >= limit else 0

    def _refusal(self, judged: Judged) -> str:
        """Return what a call is answered that is not to run, empty if it is."""
        if judged.failed:
            return answers.unavailable() if self.options.on_error == "fail_closed" else ""
        if judged.asks:
            return answers.not_acknowledged(judged.prompt)
        return answers.blocked(judged.prompt) if judged.stops else ""

    def _outcome(self, asked: Asked, result: object) -> Outcome | None:
        message = find_message(result, asked.call.call_id)
        return outcome_of(message, self.options.failed) if message else None

    def _told(self, asked: Asked, judged: Judged, outcome: Outcome | None) -> Told | None:
        return what_to_tell(
            asked.call,
            outcome,
            past=asked.past,
            thread_id=asked.place.thread_id,
            looked_up=judged.looked_up and not judged.failed,
            warned=bool(judged.prompt),
            successes=self.options.successes,
        )

    def _annotated(self, asked: Asked, judged: Judged, outcome: Outcome | None, result: Any) -> Any:  # noqa: ANN401 - what tools give
        notes = [answers.warned(judged.prompt)] if judged.prompt else []
        if outcome and self.options.nudge_after:
            times = count_repeats(asked.past, asked.call.came_to(outcome)).times
            if times >= self.options.nudge_after:
                notes.append(answers.nudged(times))
        for note in notes:
            result = answers.annotate(result, asked.call.call_id, note)
        return result


def _stopped(stop: GuardrailTriggered | GuardrailAcknowledgementRequired) -> Judged:
    asks = isinstance(stop, GuardrailAcknowledgementRequired)
    return Judged.of(stop.review, stops=True, asks=asks)
