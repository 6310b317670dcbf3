"""Numbers of the chunks, and which numbers of an answer are none of them."""

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from langchain_drift.retrieval.dates import spell_dates
from langchain_drift.retrieval.rarity import stem_of
from langchain_drift.retrieval.reading import Context, Sentence
from langchain_drift.text.quantities import UNITS, find_quantities

_ORDINAL_WORDS: Final = """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
"""
_ORDINALS: Final = {
    word: str(number) for number, word in enumerate(_ORDINAL_WORDS.split(), start=1)
} | {"one": "1", "once": "1", "twice": "2", "both": "2", "half": "0.5", "dozen": "12"}
_ORDINAL_DIGITS: Final = re.compile(r"(?<![\w.,])(\d+)(?:st|nd|rd|th)\b", re.IGNORECASE)
_SPACED_NUMBER: Final = re.compile(r"(?<=\d)\s*([.,])\s+(?=\d{3}\b)|(?<=\d)\s+([.,])\s*(?=\d)")
_MARKER: Final = re.compile(r"^\s*[(\[]?\d{1,2}[.)\]](?=\s|$)|[:.;]\s+\d{1,2}[.)]$")
_LIST_NUMBER: Final = re.compile(r"(?<!\S)[(\[]?(\d{1,2})[.)\]](?!\S)")
_COUNTED: Final = frozenset({"2", "3"})
_MEASURE: Final = re.compile(
    r"([$€£¥₹]|\b(?:eur|usd|gbp|jpy|inr)(?=[ ]?\d))?[ ]?(\d+(?:[.,]\d+)*)"
    r"[ -]?([^\W\d_]+|[%€$£¥₹°])?"
)
# "1.500" is one and a half in English and fifteen hundred in German.
_POINTED: Final = re.compile(r"(?<![\d.,])(\d{1,3})\.(\d{3})(?![\d.,]*\d)")
_DIGIT: Final = re.compile(r"\d")
# As stems: "four" and "4" share one.
_NUMBER_WORDS: Final = frozenset(map(str, (*range(21), *range(30, 100, 10)))).union(
    map(stem_of, ("zero", "hundred", "thousand", "million", "billion", "trillion"))
)


class KnownNumbers:
    """The numbers of the chunks with their units."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def missing(
        self,
        sentence: Sentence,
        source: Sentence | None = None,
        listed: frozenset[str] = frozenset(),
    ) -> list[str]:
        """Return the numbers of a sentence that no chunk holds, or not with this unit.

        Args:
            sentence: A sentence of the answer.
            source: The sentence of the chunks that is most like it. A small number in words may
                count what the chunks list ("two plans"): it is missing only if the source counts
                otherwise.
            listed: The numbers of the list items of the answer; see `list_numbers`.
        """
        if not _has_number(sentence):
            return []
        text = _as_read(sentence.text)
        if listed:
            text = _LIST_NUMBER.sub(lambda match: " " if match[1] in listed else match[0], text)
        missing = sorted(self._unknown(text))
        if missing and not _counts_otherwise(source, text):
            missing = [each for each in missing if each not in _COUNTED or each in text]
        return missing or self._changed_units(text)

    def written_otherwise(self, sentence: Sentence) -> frozenset[str]:
        """Return the stems of numbers and units that the chunks hold in another spelling.

        "2,100,000" where they say "2.1 million", "500" for "five hundred", "kilometres" for "km".
        """
        new = {
            stem: UNITS.get(word)
            for word, stem in zip(sentence.words, sentence.stems, strict=True)
            if stem not in self.context.stems and (word in UNITS or _is_number(stem))
        }
        if not new or not _has_number(sentence):
            return frozenset()
        are_known = not self._unknown(_as_read(sentence.text))
        return frozenset(
            stem
            for stem, unit in new.items()
            if (are_known and _is_number(stem)) or (unit and unit in self.units)
        )

    @cached_property
    def text(self) -> str:
        """The sentences of the chunks that may hold a number, numbers written one way."""
        found = "\n".join(each.text for each in self.context.sentences if _has_number(each))
        return _ORDINAL_DIGITS.sub(r"\1", _close_up(found))

    @cached_property
    def units(self) -> frozenset[str]:
        """The units beside the numbers."""
        return frozenset().union(*self._measures.values())

    @cached_property
    def _numbers(self) -> frozenset[str]:
        named = {_ORDINALS[word] for word in self.context.words & _ORDINALS.keys()}
        digits = (word for word in self.context.words if word[0].isdigit())
        parts = {part for word in digits for part in _parts(word)}
        return find_quantities(self.text).numbers | named | parts | _pointed(self.text)

    @cached_property
    def _measures(self) -> dict[str, set[str]]:
        return _measures(self.text)

    def _unknown(self, text: str) -> frozenset[str]:
        """Return the numbers of a text that the chunks hold in no spelling."""
        found = find_quantities(text).numbers - self.context.words - self.context.stems
        unknown = found and found - self._numbers
        if unknown and _pointed(text) <= self._numbers:
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


def list_numbers(text: str) -> frozenset[str]:
    """Return the numbers of the items of a numbered list in a text, in lines or run together."""
    found = frozenset(_LIST_NUMBER.findall(text))
    return found if {"1", "2"} <= found else frozenset()


def _has_number(sentence: Sentence) -> bool:
    return bool(_DIGIT.search(sentence.text)) or not _NUMBER_WORDS.isdisjoint(sentence.bag)


def _is_number(stem: str) -> bool:
    return stem in _NUMBER_WORDS or any(map(str.isdigit, stem))


def _as_read(text: str) -> str:
    """Return a text of an answer without item numbers, its dates spelled out."""
    return _ORDINAL_DIGITS.sub(r"\1", _close_up(spell_dates(_MARKER.sub(" ", text))))


def _counts_otherwise(source: Sentence | None, text: str) -> bool:
    return source is not None and bool(
        find_quantities(source.text).numbers - find_quantities(text).numbers
    )


def _close_up(text: str) -> str:
    """Write `30, 000` and `7 . 8` as one number."""
    return _SPACED_NUMBER.sub(lambda match: match[1] or match[2], text)


def _parts(word: str) -> Iterable[str]:
    return (part.lstrip("0") or "0" for part in re.findall(r"\d+", word))


def _pointed(text: str) -> set[str]:
    """Return the numbers that a point may part into thousands."""
    return {"".join(match) for match in _POINTED.findall(text)}


def _measures(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for sign, number, after in _MEASURE.findall(text.lower()):
        unit = UNITS.get(sign) or UNITS.get(after)
        if unit:
            found.setdefault(number, set()).add(unit)
    return found
