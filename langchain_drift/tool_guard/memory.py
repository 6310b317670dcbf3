"""The memory as tool calls use it: asked and told in time, and none of its errors costs a call."""

from functools import partial

from langchain_drift.callbacks.boundary import Boundary
from langchain_drift.mistakes.exceptions import (
    GuardrailAcknowledgementRequired,
    GuardrailTriggered,
)
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.settings import Policy
from langchain_drift.time_limit import TimeLimit
from langchain_drift.tool_guard.history import Call
from langchain_drift.tool_guard.judged import Judged
from langchain_drift.tool_guard.options import Options
from langchain_drift.tool_guard.place import GuardOf, Guards, Place, resolve_scope
from langchain_drift.tool_guard.telling import Told


class Memory:
    """Asks and tells guards; safe to share between threads and event loops.

    On an event loop the same is done in a thread, and the loop goes on meanwhile.

    Args:
        guard: The guard.
        options: How it is asked.
        boundary: Catches what goes wrong.
    """

    def __init__(self, guard: GuardOf, options: Options, boundary: Boundary) -> None:
        self._guards, self._options, self._boundary = Guards(guard), options, boundary
        self._limit = TimeLimit(options.timeout)

    def policy(self, place: Place) -> Policy | None:
        """Return the policy that holds; None if there is no guard to tell it."""
        if self._options.policy is None:
            with self._boundary("choosing a guard"):
                return self._guards.at(place).settings.guard_policy
        return self._options.policy

    async def apolicy(self, place: Place) -> Policy | None:
        """Return the policy that holds without blocking the event loop."""
        if self._options.policy is None:
            with self._boundary("choosing a guard"):
                return (await self._guards.aat(place)).settings.guard_policy
        return self._options.policy

    def judge(self, call: Call, place: Place) -> Judged:
        """Ask about a call."""
        with self._boundary("asking"):
            guard = self._guards.at(place)
            return self._limit.run(guard.runtime, partial(self._ask, guard, call, place))
        return Judged(failed=True)

    async def ajudge(self, call: Call, place: Place) -> Judged:
        """Ask about a call without blocking the event loop."""
        with self._boundary("asking"):
            guard = await self._guards.aat(place)
            return await self._limit.arun(guard.runtime, partial(self._ask, guard, call, place))
        return Judged(failed=True)

    def tell(self, told: Told | None, place: Place) -> None:
        """Tell what came of a call, if anything is to be told."""
        if told:
            with self._boundary("telling"):
                guard = self._guards.at(place)
                work = partial(self._tell, guard, told, place)
                self._limit.run(guard.runtime, work, even_late=True)

    async def atell(self, told: Told | None, place: Place) -> None:
        """Tell what came of a call without blocking the event loop."""
        if told:
            with self._boundary("telling"):
                guard = await self._guards.aat(place)
                work = partial(self._tell, guard, told, place)
                await self._limit.arun(guard.runtime, work, even_late=True)

    def _ask(self, guard: DriftGuard, call: Call, place: Place) -> Judged:
        options = self._options
        try:
            review = guard.before_step(
                call.action,
                scope=resolve_scope(options.scope, place),
                policy=options.policy,
                min_confidence=options.min_confidence,
            )
        except (GuardrailTriggered, GuardrailAcknowledgementRequired) as stop:
            return Judged.of_stop(stop)
        return Judged.of(review)

    def _tell(self, guard: DriftGuard, told: Told, place: Place) -> None:
        record = guard.record if told.kind == "mistake" else guard.record_success
        record(
            told.action,
            told.feedback,
            told.outcome,
            scope=resolve_scope(self._options.scope, place),
            event_id=told.event_id,
            source=told.source,
        )
