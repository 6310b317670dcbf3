"""The guard: asked before a step, told after it."""

import logging
import time
from collections.abc import Callable
from datetime import datetime
from typing import Unpack

from langchain_core.embeddings import Embeddings

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.action import ActionLike, read_action
from langchain_drift.mistakes.exceptions import (
    GuardrailAcknowledgementRequired,
    GuardrailTriggered,
)
from langchain_drift.mistakes.keeper import MemoryKeeper
from langchain_drift.mistakes.outage import Outage
from langchain_drift.mistakes.policy import Ruling, resolve_policy, rule
from langchain_drift.mistakes.recording import Details, Recorded, ScopeLike, utc
from langchain_drift.mistakes.review import GuardReview
from langchain_drift.mistakes.runtime import DriftGuardRuntime
from langchain_drift.mistakes.settings import DriftGuardSettings, Policy
from langchain_drift.mistakes.stores.protocol import EventLog

logger = logging.getLogger("langchain_drift.mistakes")


class DriftGuard(MemoryKeeper):
    """Remembers which steps failed and warns before they are repeated.

    Safe to share between threads. Actions are strings or tool calls `{"name": …, "args": {…}}`.
    Scopes never see one another: a string names an environment, `Scope` has more parts, None is
    the scope of the settings.

    Args:
        runtime: A memory to share; else one is made of the rest.
        settings: By default from `DRIFTGUARD_*` in the environment.
        store: Where events are kept; by default what the settings say.
        embeddings: Embedder for prose; by default what the settings say.
        clock: Returns the present in seconds since 1970.

    Raises:
        InvalidInputError: If a runtime or settings are none, or a runtime comes together with
            parts of another one.
        StoreError: If the store cannot be opened.

    Example:
        ```python
        guard = DriftGuard()
        guard.record("retry the webhook", "422 again", "charged twice")
        guard.before_step("re-fire the payment webhook").warnings[0].risk
        ```
    """

    def __init__(
        self,
        runtime: DriftGuardRuntime | None = None,
        *,
        settings: DriftGuardSettings | None = None,
        store: EventLog | None = None,
        embeddings: Embeddings | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if runtime is not None and not isinstance(runtime, DriftGuardRuntime):
            message = (
                f"runtime is {runtime!r:.80}, but must be a DriftGuardRuntime; to name the file of "
                "the memory pass settings=DriftGuardSettings(sqlite_filepath=…)."
            )
            raise InvalidInputError(message)
        if runtime is not None and (settings or store or embeddings):
            message = "A runtime has its own settings, store and embeddings; pass them there."
            raise InvalidInputError(message)
        super().__init__(
            runtime or DriftGuardRuntime(settings, store=store, embeddings=embeddings, clock=clock),
        )
        self._outage = Outage(self.settings, lambda: self.runtime.metrics.count(reviews_failed=1))
        logger.setLevel(self.settings.log_level)

    def before_step(  # noqa: PLR0913 - the published parameters and the scope
        self,
        context: ActionLike,
        *,
        scope: ScopeLike = None,
        min_confidence: float | None = None,
        raise_on_match: bool = False,
        policy: Policy | None = None,
        acknowledged: bool = False,
    ) -> GuardReview:
        """Ask about a step before it runs.

        Args:
            context: The action.
            scope: Whose memory to ask.
            min_confidence: Lowest confidence that blocks, 0 to 1; by default of the settings.
            raise_on_match: Make `warn` a `block` for this call.
            policy: By default of the settings.
            acknowledged: Whether somebody agreed to go on under `acknowledge`.

        Raises:
            GuardrailTriggered: If the policy blocks the step; it carries the review.
            GuardrailAcknowledgementRequired: If the policy wants an acknowledgement first.
            InvalidInputError: If an argument cannot be used.
            StoreError: If the memory cannot be asked, or not in time, unless the guard fails open;
                see `guard_on_error` and `guard_timeout` of the settings.
        """
        ruling = self._ruling(policy, min_confidence, acknowledged, raise_on_match=raise_on_match)
        if ruling.policy == "record_only":
            return self._skip(context)
        review = self._outage.ask(lambda: self.runtime.query_memory(context, scope=scope))
        return self._skip(context) if review is None else self._rule(review, ruling)

    async def abefore_step(  # noqa: PLR0913 - as `before_step`
        self,
        context: ActionLike,
        *,
        scope: ScopeLike = None,
        min_confidence: float | None = None,
        raise_on_match: bool = False,
        policy: Policy | None = None,
        acknowledged: bool = False,
    ) -> GuardReview:
        """Ask about a step without blocking the event loop; see `before_step`."""
        ruling = self._ruling(policy, min_confidence, acknowledged, raise_on_match=raise_on_match)
        if ruling.policy == "record_only":
            return self._skip(context)
        review = await self._outage.aask(self.runtime.aquery_memory(context, scope=scope))
        return self._skip(context) if review is None else self._rule(review, ruling)

    def review(self, context: ActionLike, *, scope: ScopeLike = None) -> GuardReview:
        """Ask about a step and raise nothing, whatever the policy."""
        return self.before_step(context, scope=scope, policy="warn")

    def record(  # noqa: PLR0913 - what can be told of an event
        self,
        action: ActionLike,
        feedback: str = "",
        outcome: str = "",
        *,
        scope: ScopeLike = None,
        event_id: str | None = None,
        at: datetime | None = None,
        source: str = "",
        hypothesis: bool | None = None,
        transient: bool | None = None,
    ) -> Recorded:
        """Tell that a step failed. Each call is a new observation.

        Args:
            action: What was done.
            feedback: What came back, such as an error message.
            outcome: What it led to.
            scope: Whose memory it belongs to.
            event_id: Identity of the event; one that was seen in the scope counts once.
            at: When it happened; by default now.
            source: Where it comes from, such as a thread or run.
            hypothesis: Whether it is a guess, which warns but cannot block; by default told by the
                words of the feedback ("maybe …").
            transient: Whether it is a passing failure, which is not kept; by default told by the
                feedback (a timeout, 429, 503).

        Raises:
            InvalidInputError: If an argument cannot be used.
            StoreError: If the event cannot be kept.
        """
        return self.runtime.register(
            "mistake",
            action,
            feedback,
            outcome,
            scope=scope,
            event_id=event_id,
            at=at,
            source=source,
            hypothesis=hypothesis,
            transient=transient,
        )

    def record_success(
        self,
        action: ActionLike,
        feedback: str = "",
        outcome: str = "",
        **details: Unpack[Details],
    ) -> Recorded:
        """Tell that a step worked; it lowers warnings and reinforces. See `record`."""
        return self.runtime.register("success", action, feedback, outcome, **details)

    async def arecord(
        self, action: ActionLike, feedback: str = "", outcome: str = "", **details: Unpack[Details]
    ) -> Recorded:
        """Tell that a step failed without blocking the event loop; see `record`."""
        return await self.runtime.aregister("mistake", action, feedback, outcome, **details)

    async def arecord_success(
        self, action: ActionLike, feedback: str = "", outcome: str = "", **details: Unpack[Details]
    ) -> Recorded:
        """Tell that a step worked without blocking the event loop; see `record_success`."""
        return await self.runtime.aregister("success", action, feedback, outcome, **details)

    def _ruling(
        self,
        policy: Policy | None,
        min_confidence: float | None,
        acknowledged: bool,  # noqa: FBT001 - passed on
        *,
        raise_on_match: bool,
    ) -> Ruling:
        default = self.settings
        return resolve_policy(
            default.guard_policy if policy is None else policy,
            default.guard_min_confidence if min_confidence is None else min_confidence,
            acknowledged=acknowledged,
            raise_on_match=raise_on_match,
        )

    def _skip(self, context: ActionLike) -> GuardReview:
        self.runtime.metrics.count(reviews_skipped=1)
        query = read_action(context).text
        return GuardReview(query=query, timestamp=utc(self.runtime.clock()), skipped=True)

    def _rule(self, review: GuardReview, ruling: Ruling) -> GuardReview:
        metrics = self.runtime.metrics
        metrics.record_review(len(review.warnings), review.confidence)
        decision = rule(review, ruling)
        logger.debug("%d warnings, %s: %.200r", len(review.warnings), decision, review.query)
        if decision == "block":
            logger.info("Blocked by the policy: %.200r", review.query)
            metrics.count(reviews_blocked=1)
            raise GuardrailTriggered(review)
        if decision == "acknowledge":
            metrics.count(reviews_ack_required=1)
            raise GuardrailAcknowledgementRequired(review)
        return review
