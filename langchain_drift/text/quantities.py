"""Numbers and units of a text, written one way."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_drift.text.number_words import NUMBER_WORDS, read_number_words

_UNIT_LISTS = {
    "%": "% percent pct prozent",
    "eur": "€ eur euro euros",
    "usd": "$ usd dollar dollars buck bucks",
    "pound": "£ gbp pound pounds lb lbs",
    "jpy": "¥ jpy yen",
    "inr": "₹ inr rupee rupees",
    "cent": "cent cents",
    "byte": "byte bytes",
    "kb": "kb kilobyte kilobytes kib",
    "mb": "mb megabyte megabytes mib",
    "gb": "gb gigabyte gigabytes gib",
    "tb": "tb terabyte terabytes tib",
    "ms": "ms millisecond milliseconds",
    "second": "second seconds sec secs",
    "minute": "minute minutes min mins",
    "hour": "hour hours hr hrs",
    "day": "day days",
    "week": "week weeks",
    "month": "month months",
    "year": "year years yr yrs",
    "am": "am",
    "pm": "pm",
    "mg": "mg milligram milligrams",
    "gram": "g gram grams",
    "kg": "kg kilo kilos kilogram kilograms",
    "ounce": "oz ounce ounces",
    "mm": "mm millimetre millimetres millimeter millimeters",
    "cm": "cm centimetre centimetres centimeter centimeters",
    "metre": "metre metres meter meters",
    "km": "km kilometre kilometres kilometer kilometers",
    "inch": "inch inches",
    "foot": "foot feet ft",
    "mile": "mile miles",
    "ml": "ml millilitre millilitres milliliter milliliters",
    "litre": "l litre litres liter liters",
    "celsius": "°c celsius",
    "fahrenheit": "°f fahrenheit",
    "degree": "° degree degrees",
    "watt": "watt watts",
    "kwh": "kwh",
    "mph": "mph",
    "kmh": "kmh",
}
UNITS = {word: unit for unit, listed in _UNIT_LISTS.items() for word in listed.split()}
"""Casefolded words and signs of units to one name for each."""

_POWERS = {
    "hundred": 2, "k": 3, "thousand": 3, "tausend": 3, "lakh": 5, "million": 6, "millions": 6,
    "millionen": 6, "mn": 6, "crore": 7, "billion": 9, "billions": 9, "bn": 9, "trillion": 12,
}  # fmt: skip
_POWERS_OF_MONEY = {"m": 6, "b": 9}
_NUMBER = re.compile(rf"\d+(?:[.,]\d+)*|{NUMBER_WORDS}")
_CURRENCIES = frozenset("$€£¥₹")
_FOLLOWING = re.compile(r"[ \t\u00a0-]?(°?[^\W\d_]+|[%€$£¥₹°])")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_POINTED_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+|\.\d{3})")
_DECIMAL_COMMA = re.compile(r"\d+,\d{1,2}")


@dataclass(frozen=True, slots=True)
class Quantities:
    """What a text counts and measures.

    Attributes:
        numbers: The numbers, as plain decimals: "1,000", "1000.0" and "one thousand" give "1000";
            versions and dates with points as written.
        units: The units and currencies, one name for each: "%" for "per cent" too.
    """

    numbers: frozenset[str]
    units: frozenset[str]


def find_quantities(text: str) -> Quantities:
    """Find the numbers of a text, in digits or English words, and their units."""
    lowered = text.lower()
    numbers: set[str] = set()
    units: set[str] = set()
    for match in _NUMBER.finditer(lowered):
        currency, minus = _read_preceding(lowered[max(0, match.start() - 3) : match.start()])
        powers = _POWERS | _POWERS_OF_MONEY if currency else _POWERS
        power, unit = _read_following(lowered, match.end(), powers)
        found = _normalise(match[0])
        if not found:
            continue
        numbers.update(minus + _shift(number, power) for number in found)
        units.update(UNITS[name] for name in (currency, unit) if name)
    return Quantities(frozenset(numbers), frozenset(units))


def _read_preceding(before: str) -> tuple[str, str]:
    """Return the currency sign and the minus that stand before a number, or nothing for each.

    A hyphen after a letter or a digit is no minus: "5-10", "covid-19".
    """
    minus = ""
    if before.endswith(("-", "\u2212")) and not before[-2:-1].isalnum():
        before, minus = before[:-1], "-"
    currency = before.rstrip(" ")[-1:]
    return (currency if currency in _CURRENCIES else ""), minus


def _read_following(text: str, position: int, powers: dict[str, int]) -> tuple[int, str | None]:
    """Return the power of ten and the unit that the words after a number name."""
    power = 0
    while following := _FOLLOWING.match(text, position):
        word = following[1]
        if word in powers:
            power += powers[word]
            position = following.end()
        elif word == "per" and text[following.end() : following.end() + 5] == " cent":
            return power, "%"
        else:
            return power, word if word in UNITS else None
    return power, None


def _normalise(number: str) -> Sequence[str]:
    """Return plain decimals: one, three for "1,2,3", none for a bare "one"."""
    if not number[-1].isdigit():
        return read_number_words(number)
    if not number.isascii():
        number = "".join(str(int(digit)) if digit.isdigit() else digit for digit in number)
    if _THOUSANDS.fullmatch(number):
        return [number.replace(",", "")]
    if _POINTED_THOUSANDS.fullmatch(number):
        return [number.replace(".", "").replace(",", ".")]
    if _DECIMAL_COMMA.fullmatch(number):
        return [number.replace(",", ".")]
    return number.split(",")


def _shift(number: str, power: int) -> str:
    """Multiply a decimal by a power of ten without the rounding of a float.

    A version or a date with points ("1.2.30") is no decimal and stays as it is.
    """
    if number.count(".") > 1:
        return number
    whole, _, fraction = number.partition(".")
    fraction = fraction.ljust(power, "0")
    whole = (whole + fraction[:power]).lstrip("0") or "0"
    fraction = fraction[power:].rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
