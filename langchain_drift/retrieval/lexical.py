"""Lexical evidence: what the words alone say about a sentence and the chunks."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from langchain_drift.retrieval.places import Places
from langchain_drift.retrieval.reading import Context, Sentence

NEAR: Final = 3.0
"""Words of distance by which the order of two words may differ for a third of the credit."""

_COPULA_WORDS: Final = """
    is are was were be been being it's that's ist sind war waren est sont était étaient es son era
    eran fue fueron è sono erano é são eram foi zijn waren
"""
_COPULAS: Final = frozenset(_COPULA_WORDS.split())


@dataclass(frozen=True)
class Overlap:
    """How the words of a sentence are found in the chunks; each value is a share, 0 is best.

    Attributes:
        unknown: What the words say that no chunk holds, of all that the sentence says.
        phrases: Pairs of neighbouring words that are side by side nowhere in the chunks.
        order: Neighbouring content words that no sentence of the chunks holds in that order,
            less where they are merely farther apart. Around a form of "be" either order will do:
            "the capital is Paris".
        shared: The sentences of the chunks that share words with it, by their numbers, with the
            weighted share of its words that each holds.
    """

    unknown: float
    phrases: float
    order: float
    shared: Mapping[int, float]

    @property
    def best(self) -> int | None:
        """The sentence of the chunks that shares most with it, None if none shares anything."""
        return max(self.shared, key=lambda number: (self.shared[number], -number), default=None)


def overlap(
    sentence: Sentence,
    context: Context,
    known: frozenset[str] | None = None,
    places: Places | None = None,
) -> Overlap:
    """Hold the words of a sentence against the chunks.

    Args:
        sentence: A sentence of an answer.
        context: The chunks.
        known: The stems that count as held by the chunks; by default their own.
        places: Where its content words stand in the chunks.
    """
    unknown = _unknown(sentence, context.stems if known is None else known)
    found = Places([sentence], context) if places is None else places
    return Overlap(
        unknown=unknown,
        phrases=_phrases(sentence, context, unknown),
        order=_order(sentence, found, unknown),
        shared=_shared(sentence, found),
    )


def _unknown(sentence: Sentence, known: frozenset[str]) -> float:
    total = sentence.weight
    if not total:
        return 0.0
    missing = (sentence.weights[i] for i in sentence.content if sentence.stems[i] not in known)
    return sum(missing) / total


def _phrases(sentence: Sentence, context: Context, unknown: float) -> float:
    pairs = list(pairwise(sentence.stems))
    if not pairs:
        return unknown
    return sum(pair not in context.pairs for pair in pairs) / len(pairs)


def _order(sentence: Sentence, places: Places, unknown: float) -> float:
    total = lost = 0.0
    for left, right in pairwise(sentence.content):
        weight = sentence.weights[left] + sentence.weights[right]
        first, second = sentence.stems[left], sentence.stems[right]
        gap = places.gap(first, second, right - left)
        if gap and can_be_turned(sentence, left, right):
            gap = min(gap, places.gap(second, first, right - left))
        total += weight
        lost += weight * (1 - math.exp(-gap / NEAR))
    return lost / total if total else unknown


def can_be_turned(sentence: Sentence, left: int, right: int) -> bool:
    """Tell whether the order of two words says nothing.

    They stand around a form of "be", or are numbers: parts of a date in another order.
    """
    first, *between, second = sentence.words[left : right + 1]
    is_date = first[0].isdigit() and second[0].isdigit()
    return is_date or not _COPULAS.isdisjoint(between)


def _shared(sentence: Sentence, places: Places) -> dict[int, float]:
    weights = {sentence.stems[place]: sentence.weights[place] for place in sentence.content}
    total = sum(weights.values())
    shared: defaultdict[int, float] = defaultdict(float)
    for stem, weight in weights.items():
        for number in places.sentences(stem):
            shared[number] += weight / total
    return dict(shared)


def share_known(stems: Iterable[str], weights: Iterable[float], known: frozenset[str]) -> float:
    """Return the share of what words say that a bag of stems holds, 1 for no words."""
    found = [(weight, stem in known) for stem, weight in zip(stems, weights, strict=True)]
    total = sum(weight for weight, _ in found)
    return sum(weight for weight, is_known in found if is_known) / total if total else 1.0
