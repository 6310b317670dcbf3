"""A purpose as an embedder sees it, with what the background cohort scores against it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from langchain_drift.conversation.background import Background
from langchain_drift.conversation.nearby import Nearby, Nearness
from langchain_drift.conversation.purpose import Purpose

Vectors = NDArray[np.float32]
Vector = NDArray[np.float32]

_NEAR = 0.05
"""Share of the cohort, nearest to the purpose, that is left out as no rival of it."""

_NEAREST_RIVALS = 5


@dataclass(frozen=True)
class Match:
    """How a text matches a purpose, beside how it matches everyday topics.

    Attributes:
        cosine: Cosine with the best statement of the purpose.
        statement: The index of that statement.
        z: The best match in standard deviations of the cohort's best matches.
        mean_lead: How far `cosine` is above the mean of the five nearest rival topics, in
            spreads of the embedder.
        rival_cosine: Cosine with the nearest of these.
        base: Mean cosine of the five nearest rivals: what any text of this kind reaches.
        nearness: How the text sounds like the topics near the purpose.
    """

    cosine: float
    statement: int
    z: float
    mean_lead: float
    rival_cosine: float
    base: float
    nearness: Nearness


class Reference:
    """The vectors of a purpose and the cohort's scores against them.

    Args:
        purpose: The purpose.
        background: The cohort of the embedder in use.
        vectors: Vectors of `purpose.statements`, then of `purpose.forbidden`.
    """

    def __init__(self, purpose: Purpose, background: Background, vectors: Vectors) -> None:
        self.purpose = purpose
        self.background = background
        count = len(purpose.statements)
        self._statements = vectors[:count]
        self._forbidden = vectors[count:]
        left_out = max(8, round(_NEAR * len(background.topics)))
        self._nearby = Nearby(background, self._statements, left_out)
        far = self._nearby.far
        self._rivals = background.abouts[far]
        cosines = background.exchanges[far] @ self._statements.T
        self._mean = cosines.mean(axis=0)
        self._deviation = cosines.std(axis=0) + 0.2 * background.spread
        best = ((cosines - self._mean) / self._deviation).max(axis=1)
        self._best_mean, self._best_deviation = float(best.mean()), float(best.std()) + 1e-6

    def match(self, vector: Vector) -> Match:
        """Return how a text with this vector matches the purpose."""
        cosines = self._statements @ vector
        z = float(((cosines - self._mean) / self._deviation).max())
        rivals = self._rivals @ vector
        nearest = np.partition(rivals, -_NEAREST_RIVALS)[-_NEAREST_RIVALS:]
        statement = int(cosines.argmax())
        cosine, base = float(cosines[statement]), float(nearest.mean())
        return Match(
            cosine=cosine,
            statement=statement,
            z=(z - self._best_mean) / self._best_deviation,
            mean_lead=(cosine - base) / self.background.spread,
            rival_cosine=float(nearest.max()),
            base=base,
            nearness=self._nearby.match(vector),
        )

    def breach(self, vector: Vector, match: Match) -> float:
        """Return how far the best forbidden sentence is above the best allowed statement.

        In spreads of the embedder; 0 where nothing is forbidden or an allowed statement is nearer.
        """
        if not len(self._forbidden):
            return 0.0
        best = float((self._forbidden @ vector).max())
        return max(0.0, (best - match.cosine) / self.background.spread)

    def small_talk(self, vector: Vector) -> float:
        """Return how close a text is to talk about nothing, in spreads above the mean cosine."""
        return self._above_mean(self.background.small_talk, vector)

    def follow_up(self, vector: Vector) -> float:
        """Return how close an exchange is to one of any topic, in spreads above the mean cosine."""
        return self._above_mean(self.background.follow_ups, vector)

    def question(self, vector: Vector, match: Match) -> float:
        """Return how much more a user's text is a follow-up of any topic than of a rival's."""
        best = float((self.background.questions @ vector).max())
        return (best - match.rival_cosine) / self.background.spread

    def _above_mean(self, texts: Vectors, vector: Vector) -> float:
        best = float((texts @ vector).max())
        return (best - self.background.mean) / self.background.spread
