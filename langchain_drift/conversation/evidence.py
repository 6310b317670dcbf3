"""The evidence of one turn: numbers that mean the same for every embedder."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from langchain_drift.conversation.memory import Memory, Vector
from langchain_drift.conversation.reading import Reading, TurnVectors
from langchain_drift.conversation.reference import Match, Reference
from langchain_drift.text import content_words, substance, words

STATIC = (
    "z",
    "user_z",
    "reply_z",
    "mean_lead",
    "user_mean_lead",
    "affinity",
    "user_affinity",
    "near",
    "near_lead",
    "known",
    "agreement",
    "substance",
    "small_talk",
    "follow_up",
    "question",
    "breadth",
    "length",
)
"""Features of a turn alone: its match with the purpose and with the topics near it, words known
from the purpose, likeness of user and reply, how much there is to judge, and how high a match can
be expected to be (`breadth` of the prompt, `length` of the turn)."""

DYNAMIC = ("like_on", "like_off", "above_average", "continuity")
"""Features of a turn beside what went before."""

RIVALRY = ("mean_lead", "user_mean_lead", "affinity", "user_affinity", "near", "near_lead")
"""Features that need the cohort's topics; the others need only its scale."""

_HALF = 0.3
"""Weight of remembered turns at which their likeness counts about half."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """What speaks for and against a turn being on purpose.

    Attributes:
        exchange: Match of user and reply together.
        static: Values of `STATIC`.
        dynamic: Values of `DYNAMIC`.
        user_static: Values of `STATIC` for the user's text alone.
        breach: How clearly the turn is about something forbidden; see `Reference.breach`.
    """

    exchange: Match
    static: Values
    dynamic: Values
    user_static: Values
    breach: float


class _Part(NamedTuple):
    """A text of a turn, or both together, as the purpose sees it."""

    vector: Vector
    match: Match


def gather(
    reference: Reference, memory: Memory, reading: Reading, vectors: TurnVectors
) -> Evidence:
    """Gather the evidence of a turn."""
    exchange, user, reply = (
        _Part(vector, reference.match(vector))
        for vector in (vectors.exchange, vectors.user, vectors.reply)
    )
    return Evidence(
        exchange=exchange.match,
        static=_static(reference, reading.text, exchange, user, reply),
        dynamic=dynamic(reference, memory, vectors.exchange, exchange.match),
        user_static=_static(reference, reading.turn.user, user, user, user),
        breach=reference.breach(vectors.exchange, exchange.match),
    )


def _static(reference: Reference, text: str, whole: _Part, user: _Part, reply: _Part) -> Values:
    """Return the values of `STATIC` for a text, given whole and by who said it."""
    background = reference.background
    cosine = float(user.vector @ reply.vector)
    found = set(content_words(text))
    values = {
        "z": whole.match.z,
        "user_z": user.match.z,
        "reply_z": reply.match.z,
        "mean_lead": whole.match.mean_lead,
        "user_mean_lead": user.match.mean_lead,
        "affinity": whole.match.nearness.affinity,
        "user_affinity": user.match.nearness.affinity,
        "near": whole.match.nearness.near,
        "near_lead": whole.match.nearness.lead,
        "known": len(found & reference.purpose.vocabulary) / len(found) if found else 0.0,
        # One text alone neither agrees nor disagrees with itself.
        "agreement": math.nan if whole is user else (cosine - background.mean) / background.spread,
        "substance": substance(text),
        "small_talk": reference.small_talk(whole.vector),
        "follow_up": reference.follow_up(whole.vector),
        "question": reference.question(user.vector, user.match),
        "breadth": math.log(len(reference.purpose.statements) or 1),
        "length": math.log1p(len(words(text))),
    }
    return np.array([values[name] for name in STATIC], dtype=np.float64)


def dynamic(reference: Reference, memory: Memory, vector: Vector, match: Match) -> Values:
    """Return the values of `DYNAMIC` for a turn; NaN where nothing went before."""
    spread = reference.background.spread

    def likeness(total: Vector, weight: float) -> float:
        # The mean cosine with the turns remembered: it means the same however alike they are.
        if not weight:
            return 0.0
        cosine = float(total @ vector) / weight
        return (cosine - match.base) / spread * weight / (weight + _HALF)

    above_average = match.z - memory.average
    if not memory.turns:
        return np.array((np.nan, np.nan, above_average, np.nan))
    like_on = likeness(memory.on_purpose, memory.on_weight)
    like_off = likeness(memory.off_purpose, memory.off_weight)
    continuity = (float(memory.previous @ vector) - match.base) / spread
    return np.array((like_on, like_off, above_average, continuity))
