"""What is kept of a turn, and of a conversation."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from langchain_drift.conversation.result import DriftScore, TurnResult


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


class ThreadReport(BaseModel):
    """Where a conversation stands.

    Attributes:
        thread_id: The conversation.
        turns: Its turns that are kept, oldest first.
        total_turns: All its scored turns, those included that are no longer kept.
        departures: Turn numbers (from 1) at which it left its purpose.
        returns: Turn numbers at which it came back.
        system_prompt: What it is held against; None if that is not known.
    """

    model_config = ConfigDict(frozen=True)

    thread_id: str
    turns: tuple[TurnRecord, ...] = ()
    total_turns: int = 0
    departures: tuple[int, ...] = ()
    returns: tuple[int, ...] = ()
    system_prompt: str | None = None

    @property
    def drift(self) -> DriftScore | None:
        """The running score: that of its last scored turn; None without one."""
        return next((turn.drift for turn in reversed(self.turns) if turn.drift), None)


class Dropped(BaseModel):
    """What was let go to keep memory bounded.

    Attributes:
        turns: Records of turns; the oldest go first.
        threads: States of conversations; those longest silent go first. A later turn of one
            starts a new state.
        runs: Root runs that never ended.
    """

    model_config = ConfigDict(frozen=True)

    turns: int = 0
    threads: int = 0
    runs: int = 0
