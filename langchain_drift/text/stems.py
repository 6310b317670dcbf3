"""English stems: of Porter's steps those for plurals, -ed, -ing and a final e or l."""

import re
from functools import lru_cache

_VOWEL = re.compile(r"[aeiouy]")
_VOWEL_THEN_CONSONANT = re.compile(r"[aeiouy]+[^aeiouy]+")
_SHORT_END = re.compile(r"[^aeiouy][aeiouy][^aeiouwxy]$")
_DOUBLE = re.compile(r"([bdfgmnprt])\1$")
_MIN_LENGTH = 4
_MIN_BASE = 3
# Texts repeat their words; what is longer is none.
_LONGEST_KEPT = 32


def stem(word: str) -> str:
    """Return a key that an English word shares with its plural, its past and its -ing form.

    Args:
        word: A casefolded word; anything but ASCII letters and apostrophes is returned as it is.
    """
    if not word.isascii():
        return word
    return _kept(word) if len(word) <= _LONGEST_KEPT else _stem(word)


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    if len(word) < _MIN_LENGTH or not word.isalpha():
        return word
    if word[-1] == "s":
        word = _singular(word)
    if word.endswith(("ed", "ing")):
        word = _present(word)
    if word.endswith("ll") and _measure(word) > 1:
        return word[:-1]
    if word[-1] == "e" and _loses_final_e(word[:-1]):
        return word[:-1]
    return word


_kept = lru_cache(maxsize=8192)(_stem)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > _MIN_LENGTH:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def _present(word: str) -> str:
    if word.endswith("ied") and len(word) > _MIN_LENGTH:
        return word[:-3] + "y"
    base = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if word.endswith("eed") or len(base) < _MIN_BASE or not _VOWEL.search(base):
        return word
    if len(base) > _MIN_BASE and _DOUBLE.search(base):
        return base[:-1]
    return base + "e" if _measure(base) == 1 and _SHORT_END.search(base) else base


def _loses_final_e(base: str) -> bool:
    measure = _measure(base)
    return measure > 1 or (measure == 1 and not _SHORT_END.search(base))


def _measure(base: str) -> int:
    """Count Porter's m: how often a vowel is followed by a consonant."""
    return len(_VOWEL_THEN_CONSONANT.findall(base))
