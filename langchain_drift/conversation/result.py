"""Results: what is said of a turn and of a conversation, with the evidence for it."""

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from langchain_drift.conversation.verdict import ALARM, RESET, DriftVerdict
from langchain_drift.shown import html_table


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Abstention(StrEnum):
    """Why a turn was not judged; the running score then stays what it was."""

    NO_REPLY = "no_reply"
    """The assistant said nothing: a tool call, or an empty reply."""
    NO_TOPIC = "no_topic"
    """The purpose names a manner of answering but no topic."""
    NOTHING_TO_JUDGE = "nothing_to_judge"
    """Only small talk, a bare yes or a bare number."""
    UNSUPPORTED_LANGUAGE = "unsupported_language"
    """The embedder cannot judge the language of the turn or of the purpose."""


class Cause(StrEnum):
    """Who left the purpose."""

    USER = "user"
    """The user did, and the assistant declined or steered back."""
    ASSISTANT = "assistant"
    """The user stayed and the assistant left."""
    BOTH = "both"
    """The user left and the assistant went along."""


class TurnEvidence(_Frozen):
    """What a verdict stands on.

    Attributes:
        nearest: The statement of the purpose, or the example, that is nearest to the turn.
        similarity: Cosine of the turn with it, -1 to 1.
        related: The everyday topic near the purpose that the turn sounds most like.
        related_similarity: Mean cosine of the turn with the two nearest texts of it.
        rival: The everyday topic that the turn sounds most like, those near the purpose left out.
        rival_similarity: Mean cosine of the turn with the two nearest texts of it.
        on_purpose: Probability that the turn alone is on purpose, 0 to 1.
        user_on_purpose: The same for the user's text alone.
        substance: How much there is to judge in the turn, 0 to 1.
        coverage: Share of the reply's characters that was read, 0 to 1.
        known_words: Content words (stems) that the turn shares with the purpose.
        new_words: Content words (stems) of the turn that the purpose lacks.
        cue: The words of the reply that decline or steer back; empty if none do.
        is_injection: Whether the user tried to change the assistant's instructions.
    """

    nearest: str
    similarity: float
    rival: str
    rival_similarity: float
    on_purpose: float
    user_on_purpose: float
    substance: float
    coverage: float
    known_words: tuple[str, ...] = ()
    new_words: tuple[str, ...] = ()
    cue: str = ""
    is_injection: bool = False
    related: str = ""
    related_similarity: float = 0.0


class DriftScore(_Frozen):
    """The drift score of a conversation at one turn.

    Attributes:
        score: 0 (off purpose) to 100 (on purpose).
        threshold: The score below which it is an alarm.
        turn_number: The turn it was scored at, from 1; 0 before the first.
        session_id: The session it belongs to.
        strategy_scores: The score of each strategy by its name.
        metadata: Further numbers of the strategy.
    """

    score: float = Field(ge=0, le=100)
    threshold: float = Field(default=ALARM, ge=0, le=100)
    turn_number: int = Field(default=0, ge=0)
    session_id: str = ""
    strategy_scores: dict[str, float] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)

    @property
    def verdict(self) -> DriftVerdict:
        """The band of the score."""
        return DriftVerdict.from_score(self.score)

    @property
    def is_effective(self) -> bool:
        """Whether the conversation still serves its purpose: no alarm."""
        return not self.is_alarm()

    @property
    def needs_reset(self) -> bool:
        """Whether the purpose is lost: a score below 35."""
        return self.score < RESET

    def is_alarm(self, threshold: float | None = None) -> bool:
        """Return whether the score is below the threshold, its own or another."""
        return self.score < (self.threshold if threshold is None else threshold)

    def to_dict(self) -> dict[str, Any]:
        """Return the score as plain JSON, verdict included."""
        derived = {
            "verdict": self.verdict.value,
            "is_effective": self.is_effective,
            "needs_reset": self.needs_reset,
        }
        return self.model_dump(mode="json") | derived


class TurnResult(_Frozen):
    """What is said of one turn.

    Attributes:
        user_message: What the user said, as given.
        assistant_response: What the assistant answered, as given.
        drift: The running score after this turn; None in on-demand mode until `check`.
        explanation: One or two sentences that say why.
        evidence: What the score stands on; None where the strategy has none or it abstained.
        abstained: Why the turn was not judged; None if it was.
        refused: Whether the assistant declined or steered back.
        cause: Who left the purpose, if anyone did at this turn.
        departed: Whether the conversation left its purpose at this turn: the first alarm.
        returned: Whether it came back at this turn: the alarm is off.
        managed_context: The system message for the next turn: the prompt and the summaries of past
            sessions. Empty where nobody keeps sessions, and not in `to_dict`.
    """

    user_message: str
    assistant_response: str
    drift: DriftScore | None = None
    explanation: str | None = None
    evidence: TurnEvidence | None = None
    abstained: Abstention | None = None
    refused: bool = False
    cause: Cause | None = None
    departed: bool = False
    returned: bool = False
    managed_context: str = Field(default="", exclude=True, repr=False)

    @property
    def user_drift(self) -> bool:
        """Whether the user left the purpose, whatever the assistant did."""
        return self.cause in (Cause.USER, Cause.BOTH)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON, the verdict included."""
        score = self.drift.to_dict() if self.drift else None
        return self.model_dump(mode="json") | {"drift": score, "user_drift": self.user_drift}

    def _repr_html_(self) -> str:
        number = self.drift.turn_number if self.drift else 0
        rows = [
            ("user", self.user_message),
            ("assistant", self.assistant_response),
            ("why", self.explanation or ""),
        ]
        return html_table(
            f"Turn {number or '?'}: {_standing(self.drift)}",
            (),
            rows,
            note=_marks(departed=self.departed, returned=self.returned),
        )


class DriftReport(_Frozen):
    """Where a conversation stands.

    Attributes:
        drift: The running score.
        explanation: Why it is what it is.
        session_number: The session, from 1.
        total_turns: Recorded turns of this session.
        departures: Turn numbers (from 1) at which the conversation left its purpose.
        returns: Turn numbers at which it came back.
        managed_context: The system message to go on with: the prompt and the summaries of past
            sessions.
        context_token_estimate: How many tokens it counts.
        summary: What was noted of the session, if it ended with this report.
    """

    drift: DriftScore
    explanation: str
    session_number: int = 1
    total_turns: int = 0
    departures: tuple[int, ...] = ()
    returns: tuple[int, ...] = ()
    managed_context: str = Field(default="", repr=False)
    context_token_estimate: int = Field(default=0, ge=0)
    summary: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as flat plain JSON: the score's fields beside the report's own."""
        own = self.model_dump(mode="json", exclude={"drift"})
        return own | self.drift.to_dict() | {"score": round(self.drift.score, 2)}

    def _repr_html_(self) -> str:
        rows = [
            ("turns", self.total_turns),
            ("left at", ", ".join(map(str, self.departures)) or "never"),
            ("came back at", ", ".join(map(str, self.returns)) or "never"),
            ("why", self.explanation),
        ]
        return html_table(_standing(self.drift), (), rows)


def _standing(drift: DriftScore | None) -> str:
    return f"{drift.score:.0f}, {drift.verdict.value}" if drift else "not scored"


def _marks(*, departed: bool, returned: bool) -> str:
    if departed:
        return "The conversation left its purpose at this turn."
    return "The conversation came back to its purpose at this turn." if returned else ""
