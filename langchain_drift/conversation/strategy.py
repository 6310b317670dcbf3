"""What a strategy is: it judges one turn after another and keeps its state as plain JSON."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.result import Abstention, TurnEvidence
from langchain_drift.conversation.turn import Turn
from langchain_drift.errors import InvalidInputError

State = dict[str, Any]
"""Plain JSON: dicts, lists, strings, numbers, booleans and None."""


def check_complete(state: Mapping[str, Any], keys: Collection[str]) -> None:
    """Check that a state has all its keys.

    Raises:
        InvalidInputError: If one is missing.
    """
    missing = sorted(set(keys) - state.keys())
    if missing:
        message = (
            f"The state lacks {', '.join(missing)}; pass what start() or step() gave, or begin "
            "again with start()."
        )
        raise InvalidInputError(message)


class Judgement(BaseModel):
    """What a strategy says of a turn.

    Attributes:
        score: The running score after the turn, 0 to 100.
        parts: Scores by strategy name, for strategies made of others.
        metadata: Further numbers.
        evidence: What it stands on.
        abstained: Why it did not judge; the score is then the earlier one.
        refused: Whether the assistant declined or steered back.
    """

    model_config = ConfigDict(frozen=True)

    score: float = Field(ge=0, le=100)
    parts: dict[str, float] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)
    evidence: TurnEvidence | None = None
    abstained: Abstention | None = None
    refused: bool = False


class Strategy(ABC):
    """Judges the turns of a conversation one by one; holds nothing of any conversation itself.

    Attributes:
        name: How its score is named in `DriftScore.strategy_scores`.
    """

    name: str = "strategy"

    @abstractmethod
    def start(self) -> State:
        """Return the state before the first turn."""

    @abstractmethod
    def step(self, purpose: Purpose, state: State, turn: Turn) -> tuple[State, Judgement]:
        """Judge a turn given as prose; return the state after it and the judgement."""

    async def astep(self, purpose: Purpose, state: State, turn: Turn) -> tuple[State, Judgement]:
        """Judge a turn without blocking the event loop; by default the same as `step`."""
        return self.step(purpose, state, turn)
