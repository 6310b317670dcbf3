"""Sentences in any script, in linear time."""

# ruff: noqa: RUF001 - the marks of many scripts are meant

import re
from collections.abc import Iterator

# A run of marks, then closing quotes: matched without looking ahead, so that no run is read twice.
_STOP = re.compile(r"([.!?…。！？．｡؟۔।॥။។።։]+)([\"'”’»)\]」』]*)")
_ALWAYS = frozenset("。！？．｡؟۔।॥။។።։")
_NUMBERING = re.compile(r"\s*(?:\d+|[A-Za-z])")
# English, German, Spanish, French, Italian, Portuguese and Dutch.
_ABBREVIATION_LIST = """
    abb al approx apr aug av ave bijv blvd bspw bzw ca capt cf co col corp dec dept dhr dott dr
    dra ed eds eq est etc evtl exmo ext feb fig figs fri gen ggf inc ing inkl jan jr jul jun lt
    ltd mar max mevr min mlle mme mon mr mrs ms no nos nov nr oct pp prof rd rev sep sept sgt sig
    sr sra srta st str tel thu tue ud uds usw vgl vol vs wed zzgl
"""
_ABBREVIATIONS = frozenset(_ABBREVIATION_LIST.split())
_BEFORE_NEW_SENTENCE = frozenset({"co", "corp", "etc", "inc", "ltd", "max", "min", "no", "st"})
_ABBREVIATION_LENGTH = 12


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, stripped, in order and without empty ones.

    A sentence ends at a full stop, question or exclamation mark of any script, and at the end of
    a line, so each list item is one. Abbreviations ("e.g.", "Dr.", "U.S."), initials, decimal
    numbers and file names do not end one. No character but white space is lost.
    """
    found = []
    start = 0
    for end in sentence_ends(text):
        found.append(text[start:end].strip())
        start = end
    return [sentence for sentence in found if sentence]


def sentence_ends(text: str) -> Iterator[int]:
    """Yield the offsets in a text after which a new sentence begins; the last is its length."""
    start = 0
    for line in text.splitlines(keepends=True):
        for stop in _STOP.finditer(line):
            if _ends_sentence(line, stop):
                yield start + stop.end()
        start += len(line)
        yield start


def _ends_sentence(line: str, stop: re.Match[str]) -> bool:
    marks, closers = stop.groups()
    if not _ALWAYS.isdisjoint(marks):
        return True
    after = line[stop.end() : stop.end() + 2]
    if not after[:1].isspace():
        return False
    is_continued = after[1:].islower()
    if marks != ".":
        return not (is_continued and (closers or marks[-1] in ".…"))
    return not (is_continued and closers) and not _is_abbreviation(line, stop.start(), after[1:])


def _is_abbreviation(line: str, stop: int, following: str) -> bool:
    """Tell whether the full stop at an offset belongs to the word before it."""
    before = line[max(0, stop - _ABBREVIATION_LENGTH) : stop].split()
    if not before or line[stop - 1].isspace():
        return False
    word = before[-1].lstrip("([\"'“‘").casefold()
    if stop <= _ABBREVIATION_LENGTH and _NUMBERING.fullmatch(line, 0, stop):
        return True
    if word in _BEFORE_NEW_SENTENCE:
        return not following.isupper()
    return word in _ABBREVIATIONS or all(
        len(part) == 1 and part.isalpha() for part in word.split(".")
    )
