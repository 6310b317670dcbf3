"""Dates: names of months and days, and dates in digits."""

import re
from typing import Final

_MONTH_WORDS: Final = """
    january february march april may june july august september october november december
"""
_WEEKDAY_WORDS: Final = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS: Final = _MONTH_WORDS.split()
# "May" and "March" are also other words.
DATE_NAMES: Final = (frozenset(_MONTHS) - {"may", "march"}) | frozenset(_WEEKDAY_WORDS.split())
"""The names of months and days that are nothing else, casefolded."""

_DATE: Final = re.compile(r"(?<!\d)(\d{4})[./-](\d{1,2})[./-](\d{1,2})(?!\d)")


def spell_dates(text: str) -> str:
    """Return a text with its dates in digits spelled out: "2021-03-12" is "12 march 2021"."""
    return _DATE.sub(_spelled, text)


def months_in_digits(text: str) -> frozenset[str]:
    """Return the names of the months of the dates in digits."""
    found = (int(month) for _, month, _ in _DATE.findall(text))
    return frozenset(_MONTHS[month - 1] for month in found if 1 <= month <= len(_MONTHS))


def _spelled(date: re.Match[str]) -> str:
    year, month, day = map(int, date.groups())
    return f"{day} {_MONTHS[month - 1]} {year}" if 1 <= month <= len(_MONTHS) else date[0]
