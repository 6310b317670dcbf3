"""Facts: the numbers, dates and names of a text, which must agree to the letter."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from langchain_drift.retrieval.rarity import stem_of
from langchain_drift.retrieval.reading import Context, Sentence
from langchain_drift.text.names import find_names
from langchain_drift.text.quantities import UNITS, find_quantities
from langchain_drift.text.words import words

_ORDINAL_WORDS: Final = """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
"""
_ORDINALS: Final = {
    word: str(number) for number, word in enumerate(_ORDINAL_WORDS.split(), start=1)
} | {"one": "1", "once": "1", "twice": "2", "both": "2", "half": "0.5", "dozen": "12"}
_MONTH_WORDS: Final = """
    january february march april may june july august september october november december
"""
_WEEKDAY_WORDS: Final = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS: Final = _MONTH_WORDS.split()
# "May" and "March" are also other words.
_DATE_NAMES: Final = (frozenset(_MONTHS) - {"may", "march"}) | frozenset(_WEEKDAY_WORDS.split())
_ORDINAL_DIGITS: Final = re.compile(r"(?<![\w.,])(\d+)(?:st|nd|rd|th)\b", re.IGNORECASE)
_SPACED_NUMBER: Final = re.compile(r"(?<=\d)\s*([.,])\s+(?=\d{3}\b)|(?<=\d)\s+([.,])\s*(?=\d)")
_MARKER: Final = re.compile(r"^\s*[(\[]?\d{1,2}[.)\]](?=\s|$)|[:.;]\s+\d{1,2}[.)]$")
_LIST_NUMBER: Final = re.compile(r"(?<!\S)[(\[]?(\d{1,2})[.)\]](?!\S)")
_COUNTED: Final = frozenset({"2", "3"})
_DATE: Final = re.compile(r"(?<!\d)(\d{4})[./-](\d{1,2})[./-](\d{1,2})(?!\d)")
_MEASURE: Final = re.compile(
    r"([$€£¥₹]|\b(?:eur|usd|gbp|jpy|inr)(?=[ ]?\d))?[ ]?(\d+(?:[.,]\d+)*)"
    r"[ -]?([^\W\d_]+|[%€$£¥₹°])?"
)
# "1.500" is a thousand and a half in English and fifteen hundred in German.
_POINTED: Final = re.compile(r"(?<![\d.,])(\d{1,3})\.(\d{3})(?![\d.,]*\d)")
_DIGIT: Final = re.compile(r"\d")
# As stems: "four" and "4" share one.
_NUMBER_WORDS: Final = frozenset(map(str, (*range(21), *range(30, 100, 10)))).union(
    map(stem_of, ("zero", "hundred", "thousand", "million", "billion", "trillion"))
)
_LEAST_NAME: Final = 2


@dataclass(frozen=True)
class Unsupported:
    """Facts of a sentence that the chunks do not hold, as written or as plain decimals.

    Attributes:
        numbers: Numbers, also with another unit than in the chunks: "5000", "14 mile".
        dates: Names of months and days of the week.
        names: Names.
    """

    numbers: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class KnownFacts:
    """The facts of the chunks, and the words of question and history.

    Args:
        context: The chunks.
        mentioned: Words of the question and the history: names in it are nobody's invention.
    """

    def __init__(self, context: Context, mentioned: frozenset[str] = frozenset()) -> None:
        self.context = context
        self.mentioned = mentioned

    def missing(
        self,
        sentence: Sentence,
        source: Sentence | None = None,
        listed: frozenset[str] = frozenset(),
    ) -> Unsupported:
        """Return the facts of a sentence that are in no chunk.

        Args:
            sentence: A sentence of the answer.
            source: The sentence of the chunks that is most like it. A small number in words may
                count what the chunks list ("two plans"): it is missing only if the source counts
                otherwise.
            listed: The numbers of the list items of the answer; see `list_numbers`.
        """
        return Unsupported(
            numbers=tuple(self._missing_numbers(sentence, source, listed)),
            dates=tuple(self._missing_dates(sentence)),
            names=tuple(self._missing_names(sentence)),
        )

    def written_otherwise(self, sentence: Sentence) -> frozenset[str]:
        """Return the stems of numbers and units that the chunks hold in another spelling.

        "2,100,000" where they say "2.1 million", "500" for "five hundred", "kilometres" for "km".
        """
        if not _has_number(sentence):
            return frozenset()
        found = {
            stem
            for word, stem in zip(sentence.words, sentence.stems, strict=True)
            if UNITS.get(word) in self._units
        }
        if not self._unknown_numbers(_as_read(sentence.text)):
            found.update(stem for stem in sentence.stems if _is_number(stem))
        return frozenset(found)

    @cached_property
    def _numbers(self) -> frozenset[str]:
        named = {_ORDINALS[word] for word in self.context.words & _ORDINALS.keys()}
        digits = (word for word in self.context.words if word[0].isdigit())
        parts = {part for word in digits for part in _parts(word)}
        pointed = {"".join(match) for match in _POINTED.findall(self._numeric)}
        return find_quantities(self._numeric).numbers | named | parts | pointed

    @cached_property
    def _numeric(self) -> str:
        """The sentences of the chunks that may hold a number."""
        found = "\n".join(
            each.text
            for each in self.context.sentences
            if _DIGIT.search(each.text) or not _NUMBER_WORDS.isdisjoint(each.bag)
        )
        return _ORDINAL_DIGITS.sub(r"\1", _close_up(found))

    @cached_property
    def _measures(self) -> dict[str, set[str]]:
        return _measures(self._numeric)

    @cached_property
    def _units(self) -> frozenset[str]:
        return frozenset().union(*self._measures.values())

    @cached_property
    def _months(self) -> frozenset[str]:
        """The months of dates that are written in digits."""
        found = (int(month) for _, month, _ in _DATE.findall(self._numeric))
        return frozenset(_MONTHS[month - 1] for month in found if 1 <= month <= len(_MONTHS))

    def _missing_numbers(
        self, sentence: Sentence, source: Sentence | None, listed: frozenset[str]
    ) -> list[str]:
        if not _has_number(sentence):
            return []
        text = _as_read(sentence.text)
        if listed:
            text = _LIST_NUMBER.sub(lambda match: " " if match[1] in listed else match[0], text)
        missing = [
            number
            for number in sorted(self._unknown_numbers(text))
            if number not in self.context.words and number not in self.context.stems
        ]
        counts_otherwise = bool(missing) and _counts_otherwise(source, text)
        missing = [
            number
            for number in missing
            if number not in _COUNTED or number in text or counts_otherwise
        ]
        return missing or self._changed_units(text)

    def _unknown_numbers(self, text: str) -> frozenset[str]:
        """Return the numbers of a text that the chunks hold in no spelling."""
        unknown = find_quantities(text).numbers - self._numbers
        pointed = {"".join(match) for match in _POINTED.findall(text)}
        if unknown and pointed and pointed <= self._numbers:
            unknown -= find_quantities(" ".join(map(".".join, _POINTED.findall(text)))).numbers
        return unknown

    def _changed_units(self, text: str) -> list[str]:
        """Return the numbers whose unit is another one wherever the chunks name the number."""
        return [
            f"{number} {unit}"
            for number, units in _measures(text).items()
            for unit in sorted(units)
            if unit not in self._measures.get(number, units)
        ]

    def _missing_dates(self, sentence: Sentence) -> list[str]:
        known = self.context.words
        missing = (
            word
            for word in dict.fromkeys(words(_DATE.sub(_spelled, sentence.text)))
            if word in _DATE_NAMES and word not in known and word[:3] not in known
        )
        return [word for word in missing if word not in self._months]

    def _missing_names(self, sentence: Sentence) -> list[str]:
        if sentence.text.islower():
            return []
        names = ((name, Sentence(name)) for name in find_names(sentence.text))
        return [name for name, read in names if not self._is_known(read) or self._is_mixed(read)]

    def _is_mixed(self, name: Sentence) -> bool:
        """Tell whether a name joins the first word of one name and the last of another."""
        if len(name.stems) != 2:  # noqa: PLR2004 - as names of people are
            return False
        first, last = name.stems
        lasts, firsts = self._pairs[0].get(first), self._pairs[1].get(last)
        return bool(
            lasts and firsts and last not in lasts and tuple(name.stems) not in self.context.pairs
        )

    @cached_property
    def _pairs(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """The last words of names of two words by their first, and the first by their last."""
        by_first: defaultdict[str, set[str]] = defaultdict(set)
        by_last: defaultdict[str, set[str]] = defaultdict(set)
        for name in find_names(self.context.text):
            stems = Sentence(name).stems
            if len(stems) == 2:  # noqa: PLR2004 - as names of people are
                by_first[stems[0]].add(stems[1])
                by_last[stems[1]].add(stems[0])
        return by_first, by_last

    def _is_known(self, name: Sentence) -> bool:
        return all(
            len(word) < _LEAST_NAME
            or word in self.context.words
            or stem in self.context.stems
            or word in self.mentioned
            or word in _DATE_NAMES
            or UNITS.get(word) in self._units
            for word, stem in zip(name.words, name.stems, strict=True)
        )


def list_numbers(text: str) -> frozenset[str]:
    """Return the numbers of the items of a numbered list in a text, in lines or run together."""
    found = frozenset(_LIST_NUMBER.findall(text))
    return found if {"1", "2"} <= found else frozenset()


def _has_number(sentence: Sentence) -> bool:
    return any(map(_is_number, sentence.stems)) or bool(_DIGIT.search(sentence.text))


def _is_number(stem: str) -> bool:
    return stem in _NUMBER_WORDS or any(map(str.isdigit, stem))


def _as_read(text: str) -> str:
    """Return a text of an answer without item numbers, its dates spelled out."""
    return _ORDINAL_DIGITS.sub(r"\1", _close_up(_DATE.sub(_spelled, _MARKER.sub(" ", text))))


def _spelled(date: re.Match[str]) -> str:
    year, month, day = map(int, date.groups())
    return f"{day} {_MONTHS[month - 1]} {year}" if 1 <= month <= len(_MONTHS) else date[0]


def _counts_otherwise(source: Sentence | None, text: str) -> bool:
    return source is not None and bool(
        find_quantities(source.text).numbers - find_quantities(text).numbers
    )


def _close_up(text: str) -> str:
    """Write `30, 000` and `7 . 8` as one number."""
    return _SPACED_NUMBER.sub(lambda match: match[1] or match[2], text)


def _parts(word: str) -> Iterable[str]:
    return (part.lstrip("0") or "0" for part in re.findall(r"\d+", word))


def _measures(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for sign, number, after in _MEASURE.findall(text.lower()):
        unit = UNITS.get(sign) or UNITS.get(after)
        if unit:
            found.setdefault(number, set()).add(unit)
    return found


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the different words of texts."""
    return frozenset().union(*(words(text) for text in texts))
