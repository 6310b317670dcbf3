"""The judge: what judges an answer instead of the weights, and what it says."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field


class JudgeVerdict(BaseModel):
    """What a judge says of an answer.

    Attributes:
        drift_score: 0 (the chunks carry all of it) to 1 (they carry nothing of it).
        reason: Why, in a sentence.
        unsupported: Words of the answer that the chunks do not carry.
    """

    model_config = ConfigDict(frozen=True)

    drift_score: float = Field(ge=0, le=1, allow_inf_nan=False)
    reason: str | None = None
    unsupported: tuple[str, ...] = ()


@runtime_checkable
class Judge(Protocol):
    """Judges an answer by its question and chunks."""

    def judge(self, question: str, chunks: Sequence[str], answer: str) -> JudgeVerdict:
        """Return the verdict; raise anything to have the answer judged without a judge."""
        ...

    async def ajudge(self, question: str, chunks: Sequence[str], answer: str) -> JudgeVerdict:
        """Return the same without blocking the event loop."""
        ...
