"""Verdicts: the five bands of the drift score."""

from enum import StrEnum

ALARM = 55.0
"""A score below this is an alarm: severe or critical."""

RESET = 35.0
"""A score below this is critical: the conversation needs a reset."""


class DriftVerdict(StrEnum):
    """What a drift score means; the lower bound of each band belongs to it."""

    FRESH = "fresh"
    """90 to 100: on purpose."""
    MILD = "mild"
    """75 to 90: on purpose, with a little doubt."""
    MODERATE = "moderate"
    """55 to 75: doubtful, worth watching."""
    SEVERE = "severe"
    """35 to 55: more likely off purpose than the purpose allows; an alarm."""
    CRITICAL = "critical"
    """0 to 35: off purpose; an alarm."""

    @classmethod
    def from_score(cls, score: float) -> "DriftVerdict":
        """Return the band of a score between 0 and 100."""
        return next((verdict for verdict in cls if score >= verdict.lower_bound), cls.CRITICAL)

    @property
    def lower_bound(self) -> float:
        """The lowest score of the band; the next better band begins where it ends."""
        return _LEAST[self]


_LEAST = {
    DriftVerdict.FRESH: 90.0,
    DriftVerdict.MILD: 75.0,
    DriftVerdict.MODERATE: ALARM,
    DriftVerdict.SEVERE: RESET,
    DriftVerdict.CRITICAL: 0.0,
}
