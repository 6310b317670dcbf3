"""The terms of a text that must agree before two texts can mean the same."""

# ruff: noqa: RUF001 - typographic quotes are meant

import re
from dataclasses import dataclass

from langchain_drift.text.opposites import Side
from langchain_drift.text.polarity import find_sides, is_negated
from langchain_drift.text.quantities import find_quantities
from langchain_drift.text.tokens import find_tokens

_QUOTED = re.compile(
    r"\"([^\"\n]+)\"|`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)"
    r"|[“„]([^“„”\n]+)[“”]|‘([^‘’\n]+)’(?!\w)|«([^«»\n]+)»",
)

# A longer quotation is speech, to be compared by its meaning.
_MAX_QUOTED_WORDS = 8
# Bold, but not the power in `2**3`.
_BOLD = re.compile(r"(?<!\d)\*\*|\*\*(?!\d)")


@dataclass(frozen=True, slots=True)
class CriticalTerms:
    """What two texts may not differ in and still mean the same.

    Attributes:
        numbers: The numbers, as plain decimals: "1,000" and "one thousand" give "1000".
        units: The units and currencies, one name for each: "%", "usd", "kg".
        identifiers: Names in code, acronyms, part numbers, packages, flags, hashes and versions,
            casefolded.
        paths: Paths, file names and URLs, casefolded.
        quoted: Names of up to eight words in quotes or backticks, casefolded, without the dots and
            stars around them: "*.txt" and ".txt" give "txt".
        negated: Whether a sentence of the text negates.
        polarity: The sides of known opposites named: ("enable/disable", "enable").
    """

    numbers: frozenset[str]
    units: frozenset[str]
    identifiers: frozenset[str]
    paths: frozenset[str]
    quoted: frozenset[str]
    negated: bool
    polarity: frozenset[Side]


def critical_terms(text: str) -> CriticalTerms:
    """Find the terms of a text that must agree before it can mean the same as another.

    Markdown does no harm: "**999** thousand" gives the number "999000".
    """
    tokens = find_tokens(_BOLD.sub("", text))
    quantities = find_quantities(tokens.rest)
    return CriticalTerms(
        numbers=quantities.numbers,
        units=quantities.units,
        identifiers=tokens.identifiers,
        paths=tokens.paths,
        quoted=_find_quoted(text),
        negated=is_negated(tokens.rest),
        polarity=find_sides(tokens.rest),
    )


def _find_quoted(text: str) -> frozenset[str]:
    groups = (match[match.lastindex or 0].casefold() for match in _QUOTED.finditer(text))
    names = (group.strip(" *.,") or group.strip() for group in groups)
    return frozenset(name for name in names if name and name.count(" ") < _MAX_QUOTED_WORDS)
