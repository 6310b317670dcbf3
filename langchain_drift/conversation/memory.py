"""What the scorer remembers of a conversation: a few floats and three vectors, as JSON."""

import base64
import reprlib
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from langchain_drift.conversation.strategy import check_complete
from langchain_drift.errors import InvalidInputError

Vector = NDArray[np.float32]

_ON_DECAY = 0.95
_OFF_DECAY = 0.8
_LONGEST = 12.0
"""Turns on purpose after which the average match stops getting slower."""


class MemoryState(TypedDict):
    """A `Memory` as plain JSON; vectors are base64 of little-endian 16-bit floats."""

    turns: int
    off: float
    average: float
    weight: float
    previous: str
    on_purpose: str
    off_purpose: str
    on_weight: float
    off_weight: float


@dataclass(frozen=True)
class Memory:
    """The state of the filter between two turns.

    Attributes:
        turns: Judged turns so far.
        off: Probability that the conversation is off purpose, 0 to 1.
        average: Running mean of the match (`Match.z`) of the turns on purpose.
        weight: How many turns that mean stands for.
        previous: Vector of the previous exchange; empty at the start.
        on_purpose: Weighted sum of the vectors of turns on purpose.
        off_purpose: Weighted sum of the vectors of turns off purpose.
        on_weight: Sum of the weights in `on_purpose`.
        off_weight: Sum of the weights in `off_purpose`.
    """

    turns: int
    off: float
    average: float
    weight: float
    previous: Vector
    on_purpose: Vector
    off_purpose: Vector
    on_weight: float = 0.0
    off_weight: float = 0.0

    @classmethod
    def start(cls, off: float, average: float, weight: float) -> "Memory":
        """Return the memory of a conversation that has not begun."""
        nothing = np.zeros(0, np.float32)
        return cls(0, off, average, weight, nothing, nothing, nothing)

    def after(
        self, vector: Vector, *, z: float, off: float, substance: float, gate: float
    ) -> "Memory":
        """Return the memory after a turn.

        Args:
            vector: Vector of the exchange.
            z: Its match with the purpose.
            off: The filtered probability that it is off purpose.
            substance: How much there was to judge, 0 to 1.
            gate: How much its evidence counted, 0 to 1.
        """
        on_gain, off_gain = (1 - off) * substance, off * substance
        gain = (1 - off) * gate
        return replace(
            self,
            turns=self.turns + 1,
            off=off,
            average=(self.average * self.weight + gain * z) / (self.weight + gain),
            weight=min(self.weight + gain, _LONGEST),
            previous=vector,
            on_purpose=_add(self.on_purpose, _ON_DECAY, vector, on_gain),
            off_purpose=_add(self.off_purpose, _OFF_DECAY, vector, off_gain),
            on_weight=self.on_weight * _ON_DECAY + on_gain,
            off_weight=self.off_weight * _OFF_DECAY + off_gain,
        )

    def dump(self) -> MemoryState:
        """Return the memory as plain JSON."""
        return MemoryState(
            turns=self.turns,
            off=self.off,
            average=self.average,
            weight=self.weight,
            previous=_pack(self.previous),
            on_purpose=_pack(self.on_purpose),
            off_purpose=_pack(self.off_purpose),
            on_weight=self.on_weight,
            off_weight=self.off_weight,
        )

    @classmethod
    def load(cls, state: MemoryState) -> "Memory":
        """Return the memory that was dumped.

        Raises:
            InvalidInputError: If the state is not complete, or damaged.
        """
        check_complete(state, MemoryState.__required_keys__)
        return cls(
            turns=state["turns"],
            off=state["off"],
            average=state["average"],
            weight=state["weight"],
            previous=_unpack(state["previous"]),
            on_purpose=_unpack(state["on_purpose"]),
            off_purpose=_unpack(state["off_purpose"]),
            on_weight=state["on_weight"],
            off_weight=state["off_weight"],
        )


def _add(total: Vector, decay: float, vector: Vector, gain: float) -> Vector:
    kept = total * np.float32(decay) if total.size else np.float32(0)
    return np.asarray(kept + vector * np.float32(gain), dtype=np.float32)


def _pack(vector: Vector) -> str:
    return base64.b64encode(vector.astype("<f2").tobytes()).decode("ascii")


def _unpack(text: str) -> Vector:
    try:
        vector = np.frombuffer(base64.b64decode(text, validate=True), dtype="<f2")
    except (TypeError, ValueError):
        vector = np.array([np.nan])
    if not np.isfinite(vector).all():
        message = (
            f"The state holds {reprlib.repr(text)} where a vector should be, so it is damaged; "
            "load an older one, or begin again with start()."
        )
        raise InvalidInputError(message)
    return vector.astype(np.float32)
