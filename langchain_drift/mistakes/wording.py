"""Wording: what the words of an action in prose say, read once for all that it is held against."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from langchain_drift.text.alternatives import ALTERNATIVES
from langchain_drift.text.function_words import FUNCTION_WORDS
from langchain_drift.text.stems import stem
from langchain_drift.text.words import words

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
# A single letter is a name here: from A to B.
NO_NAMES = FUNCTION_WORDS["en"] - {"a", "i"}
"""English function words, but for those that may be a name."""

_LONGEST_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of a text.

    Attributes:
        words: All of them, in order.
        stems: The stems of those that name something.
        numbers: How often it says each number.
        alternatives: By kind, the words of which only one can hold: days, environments, directions.
    """

    words: tuple[str, ...]
    stems: AbstractSet[str]
    numbers: Counter[str]
    alternatives: Mapping[str, AbstractSet[str]]


def read_wording(text: str) -> Wording:
    """Return the words of a text."""
    return _kept(text) if len(text) <= _LONGEST_KEPT else _read(text)


def _read(text: str) -> Wording:
    found = tuple(words(text))
    alternatives: dict[str, set[str]] = defaultdict(set)
    for word in found:
        if each := ALTERNATIVES.get(stem(word)):
            kind, name = each
            alternatives[kind].add(name)
    return Wording(
        words=found,
        stems=frozenset(stem(word) for word in found if word not in NO_NAMES),
        numbers=Counter(_NUMBER.findall(text)),
        alternatives=dict(alternatives),
    )


# A review holds one text against up to a hundred others, some of them more than once.
_kept = lru_cache(maxsize=256)(_read)
