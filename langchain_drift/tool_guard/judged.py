"""What the memory says of a call, and what a policy makes of it."""

from dataclasses import dataclass

from langchain_drift.mistakes.exceptions import (
    GuardrailAcknowledgementRequired,
    GuardrailTriggered,
)
from langchain_drift.mistakes.review import GuardReview


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

    @classmethod
    def of_stop(cls, stop: GuardrailTriggered | GuardrailAcknowledgementRequired) -> "Judged":
        """Return what a refusal amounts to."""
        asks = isinstance(stop, GuardrailAcknowledgementRequired)
        return cls.of(stop.review, stops=True, asks=asks)
