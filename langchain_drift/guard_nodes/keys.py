"""Where the guard nodes read and write."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from langchain_drift.mistakes.action import ActionLike

ActionOf = Callable[[Any], ActionLike]
"""Tells by the state what is about to run."""


class PublishedKeys(TypedDict, total=False):
    """Further keys that driftguard-ai's review node writes; only those that are named are written.

    Attributes:
        warnings_key: For the number of warnings; there `guard_warnings_count`.
        confidence_key: For the confidence; there `guard_confidence`.
        top_warning_key: For the surest warning, or None; there `guard_top_warning`.
        reinforcements_key: For the number of reinforcements; there `guard_reinforcements_count`.
        top_reinforcement_key: For the surest one, or None; there `guard_top_reinforcement`.
    """

    warnings_key: str
    confidence_key: str
    top_warning_key: str
    reinforcements_key: str
    top_reinforcement_key: str


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys of the state; see `GuardState` for the meaning of the defaults."""

    action: str = "candidate_action"
    review: str = "guard_review"
    decision: str = "guard_decision"
    outcome: str = "guard_outcome"


def values_of(state: object) -> Mapping[str, Any]:
    """Return a state as a mapping."""
    if isinstance(state, Mapping):
        return state
    return dict(state) if hasattr(state, "__iter__") else vars(state)
