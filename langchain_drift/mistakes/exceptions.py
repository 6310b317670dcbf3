"""What a guard raises to stop a step; both carry the review."""

from langchain_drift.errors import DriftError
from langchain_drift.mistakes.review import GuardReview


class GuardrailTriggered(DriftError, RuntimeError):  # noqa: N818 - the published name
    """The policy blocks a step.

    Attributes:
        review: The review that says why.
    """

    def __init__(self, review: GuardReview) -> None:
        super().__init__(_describe("This step is blocked", review))
        self.review = review

    def __reduce__(self) -> tuple[type, tuple[GuardReview]]:
        return type(self), (self.review,)


class GuardrailAcknowledgementRequired(DriftError, RuntimeError):  # noqa: N818 - the published name
    """The policy lets a step pass only if it is acknowledged.

    Attributes:
        review: The review to acknowledge.
    """

    def __init__(self, review: GuardReview) -> None:
        super().__init__(
            _describe("This step needs `acknowledged=True`", review),
        )
        self.review = review

    def __reduce__(self) -> tuple[type, tuple[GuardReview]]:
        return type(self), (self.review,)


def _describe(what: str, review: GuardReview) -> str:
    first = review.warnings[0]
    times = "once" if first.frequency == 1 else f"{first.frequency} times"
    return (
        f"{what}: {first.trigger!r:.120} failed {times} with {first.risk!r:.120} "
        f"(confidence {first.confidence:.2f})."
    )
