"""What is said in the topics near a purpose, beside what is said in all others.

A purpose names its topic and not all that belongs to it. The cohort does: a turn that sounds like
what is said in topics near the purpose is likely to be on purpose even where it shares no word
with the prompt.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from langchain_drift.conversation.background import Background

Vector = NDArray[np.float32]
Vectors = NDArray[np.float32]

_NEAREST = 6
"""Topics that may stand for the purpose."""

_TYPICAL = 2
"""Texts of a topic, the nearest ones, that tell how much a turn sounds like it."""

_RIVALS = 3
"""Far topics, the nearest ones, that a turn is held against."""

_SHARPNESS = 0.65
"""Spreads by which a topic must sound less like the turn to count a third of another."""

_DISTANCE = 0.8
"""Spreads that a topic loses for each deviation it is farther from the purpose than the nearest."""


@dataclass(frozen=True)
class Nearness:
    """How a text sounds like the topics near a purpose.

    Attributes:
        affinity: How near the topics it sounds like are to the purpose, in deviations over topics.
        near: How much it sounds like the topics nearest to the purpose, in spreads.
        lead: How far `near` is above the far topics it sounds most like, in spreads.
        topic: The index in `topics()` of the near topic it sounds most like.
        topic_cosine: Mean cosine with the two nearest texts of that topic.
        rival: The index in `topics()` of the far topic it sounds most like.
        rival_cosine: Mean cosine with the two nearest texts of that one.
    """

    affinity: float
    near: float
    lead: float
    topic: int
    topic_cosine: float
    rival: int
    rival_cosine: float


class Nearby:
    """The topics of a cohort by their nearness to a purpose.

    Args:
        background: The cohort of the embedder in use.
        statements: Vectors of the purpose's statements, `[statements, dimensions]`.
        left_out: How many topics, the nearest, are no rivals of the purpose.
    """

    def __init__(self, background: Background, statements: Vectors, left_out: int) -> None:
        self._background = background
        self._affinity = _affinity(background, statements)
        order = np.argsort(-self._affinity, kind="stable")
        self._near = order[:_NEAREST]
        self.far: NDArray[np.intp] = np.sort(order[left_out:])
        behind = self._affinity[order[0]] - self._affinity[self._near]
        self._handicap = _DISTANCE * background.spread * behind

    def match(self, vector: Vector) -> Nearness:
        """Return how a text with this vector sounds like the topics near the purpose."""
        cosines = self._background.said @ vector
        sounds = np.partition(cosines, -_TYPICAL, axis=1)[:, -_TYPICAL:].mean(axis=1)
        spread, mean = self._background.spread, self._background.mean
        shares = np.exp((sounds - sounds.max()) / (_SHARPNESS * spread))
        nearest = sounds[self._near] - self._handicap
        near, far = float(nearest.max()), sounds[self.far]
        rivals = float(np.partition(far, -_RIVALS)[-_RIVALS:].mean())
        topic, rival = self._near[nearest.argmax()], self.far[far.argmax()]
        return Nearness(
            affinity=float(shares @ self._affinity / shares.sum()),
            near=(near - mean) / spread,
            lead=(near - rivals) / spread,
            topic=int(self._background.topics[topic]),
            topic_cosine=float(sounds[topic]),
            rival=int(self._background.topics[rival]),
            rival_cosine=float(sounds[rival]),
        )


def _affinity(background: Background, statements: Vectors) -> NDArray[np.float64]:
    """Return how near each topic is to the purpose, in deviations over topics."""
    by_name = (background.abouts @ statements.T).max(axis=1)
    by_talk = (background.said @ statements.T).max(axis=2).mean(axis=1)
    return (_standard(by_name) + _standard(by_talk)) / 2


def _standard(values: Vectors) -> NDArray[np.float64]:
    found = values.astype(np.float64)
    return np.asarray((found - found.mean()) / (found.std() + 1e-6))
