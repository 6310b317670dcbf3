"""What the tools work on: a guard in one scope, conversations by name, a detector."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from langchain_drift.mcp_server.answers import (
    Counted,
    Decision,
    Grounded,
    Kept,
    Metrics,
    Pruned,
    Reinforced,
    Reviewed,
    ScoredTurn,
    Stats,
    Warned,
)
from langchain_drift.mcp_server.arguments import (
    Context,
    GroundedAnswer,
    NoArguments,
    Observation,
    Pruning,
    SpokenTurn,
    Step,
)
from langchain_drift.mistakes.scope import Scope

if TYPE_CHECKING:
    from langchain_drift.mcp_server.conversations import Conversations
    from langchain_drift.mistakes.guard import DriftGuard
    from langchain_drift.mistakes.recording import Recorded
    from langchain_drift.mistakes.review import GuardReview

_MOST_CHAINS = 20


class Desk:
    """Answers the tools; safe to share between threads.

    What is slow to load is loaded at its first use, so that a server answers at once.

    Args:
        open_guard: Makes the guard; called once.
        scope: Whose memory it is; callers cannot name another one. None for that of the settings.
    """

    def __init__(self, open_guard: Callable[[], "DriftGuard"], scope: Scope | None) -> None:
        self._open, self._scope = open_guard, scope
        self._guard: DriftGuard | None = None
        self._conversations: Conversations | None = None
        self._lock = threading.Lock()

    @property
    def guard(self) -> "DriftGuard":
        """The guard, made at the first use."""
        with self._lock:
            if self._guard is None:
                self._guard = self._open()
            return self._guard

    def warm(self) -> None:
        """Load what the first calls will need."""
        self.guard.runtime.query_memory("Have we met before?", scope=self._scope)

    def register_mistake(self, told: Observation) -> Kept:
        """Keep a mistake."""
        guard = self.guard
        return _kept(guard.record(told.action, told.feedback, told.outcome, scope=self._scope))

    def register_success(self, told: Observation) -> Kept:
        """Keep a success."""
        guard = self.guard
        found = guard.record_success(told.action, told.feedback, told.outcome, scope=self._scope)
        return _kept(found)

    def query_memory(self, asked: Context) -> Reviewed:
        """Review a step by its published name."""
        return self.review_action(Step(action=asked.context))

    def review_action(self, step: Step) -> Reviewed:
        """Review a step; the policy's decision is an answer here, not an error."""
        from langchain_drift.mistakes.exceptions import (  # noqa: PLC0415 - loads the memory
            GuardrailAcknowledgementRequired,
            GuardrailTriggered,
        )

        try:
            review = self.guard.before_step(
                step.action, scope=self._scope, acknowledged=step.acknowledged
            )
        except GuardrailTriggered as stopped:
            return _reviewed(stopped.review, "block")
        except GuardrailAcknowledgementRequired as stopped:
            return _reviewed(stopped.review, "acknowledge")
        return _reviewed(review, "pass")

    def deep_prune(self, asked: Pruning) -> Pruned:
        """Hide what is rare or stale."""
        return Pruned.model_validate(self.guard.prune(scope=self._scope, dry_run=asked.dry_run))

    def graph_stats(self, _: NoArguments) -> Stats:
        """Count what the scope holds; of other scopes not even their number is told."""
        found = self.guard.stats(scope=self._scope)
        return Stats(
            mistakes=Counted.model_validate(found["mistakes"]),
            successes=Counted.model_validate(found["successes"]),
            hidden_events=found["hidden_events"],
        )

    def guard_metrics(self, _: NoArguments) -> Metrics:
        """Tell what the guard has done."""
        return Metrics.model_validate(self.guard.runtime.metrics_snapshot())

    def score_turn(self, turn: SpokenTurn) -> ScoredTurn:
        """Score a turn of a conversation."""
        from langchain_drift.mcp_server.conversations import (  # noqa: PLC0415 - loads the scorer
            Conversations,
        )

        with self._lock:
            self._conversations = self._conversations or Conversations()
        result = self._conversations.score(
            turn.conversation, turn.system_prompt, turn.user, turn.assistant
        )
        assert result.drift is not None  # noqa: S101 - a scorer gives one
        return ScoredTurn(
            score=result.drift.score,
            verdict=result.drift.verdict.value,
            is_effective=result.drift.is_effective,
            needs_reset=result.drift.needs_reset,
            turn=result.drift.turn_number,
            explanation=result.explanation or "",
            abstained=result.abstained,
            refused=result.refused,
            cause=result.cause,
            departed=result.departed,
            returned=result.returned,
        )

    def check_grounding(self, asked: GroundedAnswer) -> Grounded:
        """Judge whether an answer stands on its contexts."""
        from langchain_drift.retrieval.detection import detect  # noqa: PLC0415 - loads the model

        report = detect(asked.question or None, asked.contexts, asked.answer)
        return Grounded(
            drift=report.drift,
            drift_score=report.drift_score,
            status=report.status,
            reason=report.reason,
            unsupported=report.unsupported,
        )


def _kept(found: "Recorded") -> Kept:
    return Kept.model_validate(found)


def _reviewed(review: "GuardReview", decision: Decision) -> Reviewed:
    return Reviewed(
        decision=decision,
        query=review.query,
        confidence=review.confidence,
        warnings=tuple(Warned.model_validate(w, from_attributes=True) for w in review.warnings),
        reinforcements=tuple(
            Reinforced.model_validate(r, from_attributes=True) for r in review.reinforcements
        ),
        chains=review.chains[:_MOST_CHAINS],
        skipped=review.skipped,
    )
