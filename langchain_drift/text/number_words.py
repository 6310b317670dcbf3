"""Numbers in English words: "seven", "two hundred and fifty", "one thousand"."""

import re
from collections.abc import Iterator
from functools import lru_cache

_SMALL = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: value for value, word in enumerate(_SMALL.split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), start=2)
}
_GREAT = {"thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_HUNDRED = 100

_FIRST = "|".join(sorted(_VALUES, key=len, reverse=True))
_ANY = "|".join((_FIRST, "hundred", *_GREAT))
# An "a" counts before a great number only, and half of that is another number.
NUMBER_WORDS = (
    rf"\b(?:{_FIRST}|(?<!half )a(?=[ -](?:hundred|{'|'.join(_GREAT)})\b))\b"
    rf"(?:[ -](?:and )?(?:{_ANY})\b)*"
)
"""Pattern of a run of number words in lower case."""


@lru_cache(maxsize=1024)
def read_number_words(run: str) -> tuple[str, ...]:
    """Return the numbers of a run of number words as plain decimals.

    "two three" is two numbers; a bare "one" is none, since it is more often a pronoun.
    """
    return tuple(str(value) for value in _values(re.split("[ -]", run)) if value is not None)


def _values(words: list[str]) -> Iterator[int | None]:
    """Yield the value of each number, None for a bare "one"."""
    start = 0
    while start < len(words):
        end, value = _read(words, start)
        if end > start:
            yield None if words[start:end] == ["one"] else value
        start = max(end, start + 1)


def _read(words: list[str], start: int) -> tuple[int, int]:
    """Return where the number that begins at a place ends, and its value."""
    total, least, place = 0, None, start
    while True:
        end, group = _read_group(words, place)
        if end == place:
            return place, total
        place, great = _read_great(words, end)
        if place == end or (least is not None and great >= least):
            return end, total + group
        total, least = total + group * great, great
        if words[place : place + 1] == ["and"]:
            place += 1


def _read_great(words: list[str], start: int) -> tuple[int, int]:
    """Return where thousands, millions and so on end, and their product."""
    great = 1
    while start < len(words) and words[start] in _GREAT:
        great *= _GREAT[words[start]]
        start += 1
    return start, great


def _read_group(words: list[str], start: int) -> tuple[int, int]:
    """Return where a number below a thousand ends, and its value."""
    end, value = _read_below_hundred(words, start)
    if end == start or words[end : end + 1] != ["hundred"]:
        return end, value
    behind = end + 2 if words[end + 1 : end + 2] == ["and"] else end + 1
    last, rest = _read_below_hundred(words, behind)
    return (last, value * _HUNDRED + rest) if last > behind else (end + 1, value * _HUNDRED)


def _read_below_hundred(words: list[str], start: int) -> tuple[int, int]:
    word = words[start] if start < len(words) else ""
    if word == "a":
        return start + 1, 1
    value = _VALUES.get(word)
    if value is None:
        return start, 0
    unit = _VALUES.get(words[start + 1], 0) if start + 1 < len(words) else 0
    if word in _TENS.split() and 0 < unit < 10:  # noqa: PLR2004 - twenty-one to ninety-nine
        return start + 2, value + unit
    return start + 1, value
