"""What is kept of a turn."""

from typing import Any

from langchain_drift.conversation.result import TurnResult


class TurnRecord(TurnResult):
    """One turn of a conversation that the handler saw, with its result.

    Attributes:
        thread_id: The conversation; the run id where the run named none.
        run_id: The root run. LangSmith knows it by the same id.
        message_id: The id of the user's message, where it has one.
        complete: Whether the reply was read to its end; false for a stream closed early.
        is_redo: Whether the last message of the user was edited or answered again. The turn is
            scored from before the last one and has its number.
        error: Why there is no score, if scoring failed; `drift` is None then.
    """

    thread_id: str
    run_id: str
    message_id: str | None = None
    complete: bool = True
    is_redo: bool = False
    error: str | None = None

    def to_event(self) -> dict[str, Any]:
        """Return what is published of the turn, as plain JSON without what was said."""
        drift = self.drift
        return {
            "thread_id": self.thread_id,
            "run_id": self.run_id,
            "turn_number": drift.turn_number if drift else None,
            "score": drift.score if drift else None,
            "verdict": drift.verdict.value if drift else None,
            "explanation": self.explanation,
            "abstained": self.abstained.value if self.abstained else None,
            "cause": self.cause.value if self.cause else None,
            "departed": self.departed,
            "returned": self.returned,
            "complete": self.complete,
        }
