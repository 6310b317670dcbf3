"""What a policy makes of a review; pure."""

from dataclasses import dataclass
from typing import Literal, get_args

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.review import GuardReview
from langchain_drift.mistakes.settings import Policy

Decision = Literal["pass", "block", "acknowledge"]
_POLICIES = get_args(Policy)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What holds for one step.

    Attributes:
        policy: The policy.
        min_confidence: Lowest confidence at which a warning stops the step.
        acknowledged: Whether somebody agreed to go on.
    """

    policy: Policy
    min_confidence: float
    acknowledged: bool


def resolve_policy(
    policy: Policy, min_confidence: float, *, acknowledged: bool, raise_on_match: bool
) -> Ruling:
    """Return what holds for a step; `raise_on_match` makes `warn` a `block`.

    Raises:
        InvalidInputError: If the policy is unknown or the confidence not between 0 and 1.
    """
    if policy not in _POLICIES:
        message = f"policy is {policy!r}, but must be one of {', '.join(_POLICIES)}."
        raise InvalidInputError(message)
    if not 0 <= min_confidence <= 1:
        message = f"min_confidence is {min_confidence!r}, but must be between 0 and 1."
        raise InvalidInputError(message)
    if raise_on_match and policy == "warn":
        policy = "block"
    return Ruling(policy, min_confidence, acknowledged)


def rule(review: GuardReview, ruling: Ruling) -> Decision:
    """Decide on a step by its review.

    A step is stopped by a warning that can block and is sure enough. Guesses, similar commands and
    tools that never worked only warn.
    """
    if ruling.policy not in ("block", "acknowledge"):
        return "pass"
    if not review.blocking(ruling.min_confidence):
        return "pass"
    if ruling.policy == "block":
        return "block"
    return "pass" if ruling.acknowledged else "acknowledge"
