"""The evidence of one turn: numbers that mean the same for every embedder."""

import math
from dataclasses import dataclass

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
    "lead",
    "mean_lead",
    "known",
    "substance",
    "small_talk",
    "breadth",
    "length",
)
"""Features of a turn alone; the last two tell how high its match can be expected to be."""

DYNAMIC = ("like_on", "like_off", "above_average", "continuity")
"""Features of a turn beside what went before."""

_HALF = 0.3
"""Weight of remembered turns at which their likeness counts about half."""


@dataclass(frozen=True)
class Evidence:
    """What speaks for and against a turn being on purpose.

    Attributes:
        exchange: Match of user and reply together.
        user: Match of the user's text alone.
        reply: Match of the reply alone.
        static: Values of `STATIC`.
        dynamic: Values of `DYNAMIC`.
        user_static: Values of `STATIC` for the user's text alone.
        reply_static: Values of `STATIC` for the reply alone.
        breach: How clearly the turn is about something forbidden; see `Reference.breach`.
    """

    exchange: Match
    user: Match
    reply: Match
    static: NDArray[np.float64]
    dynamic: NDArray[np.float64]
    user_static: NDArray[np.float64]
    reply_static: NDArray[np.float64]
    breach: float


def gather(
    reference: Reference, memory: Memory, reading: Reading, vectors: TurnVectors
) -> Evidence:
    """Gather the evidence of a turn."""
    exchange = reference.match(vectors.exchange)
    user, reply = reference.match(vectors.user), reference.match(vectors.reply)
    return Evidence(
        exchange=exchange,
        user=user,
        reply=reply,
        static=_static(reference, reading.text, vectors.exchange, (exchange, user, reply)),
        dynamic=dynamic(reference, memory, vectors.exchange, exchange),
        user_static=_static(reference, reading.turn.user, vectors.user, (user, user, user)),
        reply_static=_static(
            reference, reading.turn.assistant, vectors.reply, (reply, reply, reply)
        ),
        breach=reference.breach(vectors.exchange, exchange),
    )


def _static(
    reference: Reference, text: str, vector: Vector, matches: tuple[Match, Match, Match]
) -> NDArray[np.float64]:
    whole, user, reply = matches
    found = set(content_words(text))
    known = len(found & reference.purpose.vocabulary) / len(found) if found else 0.0
    talk = reference.small_talk(vector)
    breadth = math.log(len(reference.purpose.statements) or 1)
    length = math.log1p(len(words(text)))
    leads = (whole.lead, whole.mean_lead)
    values = (whole.z, user.z, reply.z, *leads, known, substance(text), talk, breadth, length)
    return np.array(values, dtype=np.float64)


def dynamic(
    reference: Reference, memory: Memory, vector: Vector, match: Match
) -> NDArray[np.float64]:
    """Return the values of `DYNAMIC` for a turn; NaN where nothing went before."""
    spread = reference.background.spread

    def likeness(total: Vector, weight: float) -> float:
        length = float(np.linalg.norm(total))
        if not length:
            return 0.0
        cosine = float(total @ vector) / length
        return (cosine - match.base) / spread * weight / (weight + _HALF)

    above_average = match.z - memory.average
    if not memory.turns:
        return np.array((np.nan, np.nan, above_average, np.nan))
    like_on = likeness(memory.on_purpose, memory.on_weight)
    like_off = likeness(memory.off_purpose, memory.off_weight)
    continuity = (float(memory.previous @ vector) - match.base) / spread
    return np.array((like_on, like_off, above_average, continuity))
