"""What of a turn is embedded: bounded passages of its user text, its reply and both together."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from langchain_drift.conversation.injection import without_injection
from langchain_drift.conversation.turn import Turn
from langchain_drift.text import passages, substance

_LEAD = 300
"""Characters of the user's text that stand before each passage of a long reply."""


@dataclass(frozen=True)
class Reading:
    """The texts of a turn that an embedder reads, in the order user, reply, exchange.

    Attributes:
        turn: The turn as prose, with attempts to change the instructions taken out.
        user: Passages of the user's text.
        reply: Passages of the reply.
        exchange: Passages of the reply, each behind the start of the user's text.
        coverage: The share of the reply's characters that is read, 0 to 1.
        is_injection: Whether the user tried to change the assistant's instructions.
    """

    turn: Turn
    user: tuple[str, ...]
    reply: tuple[str, ...]
    exchange: tuple[str, ...]
    coverage: float
    is_injection: bool

    @classmethod
    def of(cls, turn: Turn) -> "Reading":
        """Read a turn given as prose."""
        request, is_injection = without_injection(turn.user)
        request = request.strip()
        asked, answered = passages(request), passages(turn.assistant)
        kept = Turn(user=request, assistant=turn.assistant)
        exchange = _exchange(request, asked.texts, answered.texts)
        coverage = answered.coverage if answered.texts else asked.coverage
        return cls(kept, asked.texts, answered.texts, exchange, coverage, is_injection)

    @property
    def texts(self) -> list[str]:
        """All texts to embed, each once."""
        return list(dict.fromkeys((*self.user, *self.reply, *self.exchange)))

    @cached_property
    def text(self) -> str:
        """The words of the turn, user first; a reply that only repeats the user counts once."""
        user, assistant = self.turn.user, self.turn.assistant
        return user if user == assistant else f"{user}\n{assistant}".strip()

    @cached_property
    def substance(self) -> float:
        """How much there is to judge in the turn, 0 to 1."""
        return substance(self.text)

    def vectors(self, embedded: NDArray[np.float32]) -> "TurnVectors":
        """Return one unit vector for the user, the reply and the exchange.

        Args:
            embedded: Vectors of `texts`, `[texts, dimensions]`.
        """
        at = dict(zip(self.texts, embedded, strict=True))
        exchange = _mean([at[text] for text in self.exchange])
        user = _mean([at[text] for text in self.user]) if self.user else exchange
        reply = _mean([at[text] for text in self.reply]) if self.reply else exchange
        return TurnVectors(user, reply, exchange)


@dataclass(frozen=True)
class TurnVectors:
    """Unit vectors of a turn, `[dimensions]` each.

    Attributes:
        user: The user's text.
        reply: The reply.
        exchange: Both together.
    """

    user: NDArray[np.float32]
    reply: NDArray[np.float32]
    exchange: NDArray[np.float32]


def _exchange(request: str, asked: tuple[str, ...], answered: tuple[str, ...]) -> tuple[str, ...]:
    if not answered or asked == answered:
        return asked
    if not asked:
        return answered
    if len(answered) == 1 and len(asked) == 1:
        return (f"{request}\n{answered[0]}",)
    return tuple(f"{request[:_LEAD]}\n{passage}" for passage in answered)


def _mean(vectors: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    total = np.sum(vectors, axis=0)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9), dtype=np.float32)
