"""A review for planners that pass dictionaries around."""

from collections.abc import Mapping
from typing import Any, TypedDict

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.recording import ScopeLike
from langchain_drift.mistakes.review import GuardReview
from langchain_drift.mistakes.settings import Policy


class ReviewedPayload(TypedDict):
    """A payload and what a guard says of its action."""

    payload: Mapping[str, Any]
    review: GuardReview
    warnings_count: int
    reinforcements_count: int
    confidence: float


def review_payload(  # noqa: PLR0913 - the published parameters and the scope
    guard: DriftGuard,
    payload: Mapping[str, Any],
    *,
    action_key: str = "action",
    acknowledged_key: str | None = None,
    policy: Policy | None = None,
    min_confidence: float | None = None,
    scope: ScopeLike = None,
) -> ReviewedPayload:
    """Ask a guard about the action in a payload.

    Args:
        guard: The guard.
        payload: A mapping that holds the action; it is returned as it is.
        action_key: The key of the action.
        acknowledged_key: The key of the acknowledgement, if there is one.
        policy: See `DriftGuard.before_step`.
        min_confidence: See there.
        scope: See there.

    Raises:
        InvalidInputError: If the payload has no action.
        GuardrailTriggered: If the policy blocks the action.
        GuardrailAcknowledgementRequired: If the policy wants an acknowledgement first.
    """
    if action_key not in payload:
        message = f"The payload has no {action_key!r}; it has {', '.join(map(repr, payload))}."
        raise InvalidInputError(message)
    review = guard.before_step(
        payload[action_key],
        scope=scope,
        policy=policy,
        min_confidence=min_confidence,
        acknowledged=bool(acknowledged_key and payload.get(acknowledged_key)),
    )
    return {
        "payload": payload,
        "review": review,
        "warnings_count": len(review.warnings),
        "reinforcements_count": len(review.reinforcements),
        "confidence": review.confidence,
    }
