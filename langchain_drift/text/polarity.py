"""Which side a text takes: whether it negates, and which of two opposites it names."""

import re

from langchain_drift.text.hedges import without_hedge
from langchain_drift.text.language import detect_language
from langchain_drift.text.negation import NEGATIONS, NEGATIONS_BY_LANGUAGE
from langchain_drift.text.opposites import (
    ALONE,
    ENVIRONMENT_NOUNS,
    ENVIRONMENTS,
    ORDERS,
    PARTICLES,
    Side,
)
from langchain_drift.text.sentences import sentences
from langchain_drift.text.stems import stem
from langchain_drift.text.words import words

# In these languages two negations close together cancel; in the others they agree.
_CANCELLING = frozenset().union(*(NEGATIONS_BY_LANGUAGE[code] for code in ("en", "de", "nl")))
_CANCELLING_DISTANCE = 3
# Negations that are also ordinary words or names elsewhere: counted in a known language only.
_DOUBTFUL = frozenset({"mai", "nee", "ni", "nie", "sans", "sem", "sin"})
_INTERJECTION = re.compile(
    r"\W*(?:no|nope|nein|nee|non|não)\s*[,.!;:\u2013\u2014-]\s*(?=\w)", re.IGNORECASE
)
_PARTICLE_REACH = 5


def is_negated(text: str) -> bool:
    """Tell whether a sentence of the text negates, in one of seven languages.

    Two negations within three words of each other cancel in English, German and Dutch ("not
    without"). A "No," that opens a sentence answers and does not negate it, nor does an "I'm not
    sure, but" before what is said.
    """
    known = _negations(detect_language(text).code)
    if known.isdisjoint(words(text)):
        return False
    return any(_is_sentence_negated(sentence, known) for sentence in sentences(text))


def _negations(language: str | None) -> frozenset[str]:
    return NEGATIONS_BY_LANGUAGE.get(language or "", NEGATIONS - _DOUBTFUL)


def _is_sentence_negated(sentence: str, known: frozenset[str]) -> bool:
    found = words(without_hedge(_INTERJECTION.sub("", sentence, count=1)))
    open_negations: list[int] = []
    for position, word in enumerate(found):
        if word not in known:
            continue
        is_close = open_negations and position - open_negations[-1] <= _CANCELLING_DISTANCE
        if is_close and {word, found[open_negations[-1]]} <= _CANCELLING:
            open_negations.pop()
        else:
            open_negations.append(position)
    return bool(open_negations)


def find_sides(text: str) -> frozenset[Side]:
    """Find the sides of known opposites that a text names, such as ("enable/disable", "enable")."""
    stems = [stem(word) for word in words(text)]
    sides: set[Side] = set(ORDERS.get(stems[0], ())) if stems else set()
    for position, key in enumerate(stems):
        sides.update(ALONE.get(key, ()))
        if key in PARTICLES:
            side, verbs = PARTICLES[key]
            if not verbs.isdisjoint(stems[max(0, position - _PARTICLE_REACH) : position]):
                sides.add(side)
        if key in ENVIRONMENTS and not ENVIRONMENT_NOUNS.isdisjoint(
            stems[position + 1 : position + 2]
        ):
            sides.update(ENVIRONMENTS[key])
    return frozenset(sides)
