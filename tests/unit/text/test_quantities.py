import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.text.quantities import find_quantities

SMALL_WORDS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
"""
TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
SMALL, TENS = SMALL_WORDS.split(), TEN_WORDS.split()
GREAT = ((10**6, " million"), (1000, " thousand"), (100, " hundred"))


def spelled_out(number):
    """Return a number in English words."""
    if number < 20:
        return SMALL[number]
    if number < 100:
        rest = f"-{SMALL[number % 10]}" if number % 10 else ""
        return f"{TENS[number // 10 - 2]}{rest}"
    size, name = next(each for each in GREAT if number >= each[0])
    link = " and " if size == 100 else " "
    rest = f"{link}{spelled_out(number % size)}" if number % size else ""
    return f"{spelled_out(number // size)}{name}{rest}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,000 or 1000 or 1000.00", {"1000"}),
        ("67 thousand people", {"67000"}),
        ("10k and 2.5 million", {"10000", "2500000"}),
        ("$5m, €3bn", {"5000000", "3000000000"}),
        ("5 m long", {"5"}),
        ("1.000,50 and 3,5 and 1,234.5", {"1000.5", "3.5", "1234.5"}),
        ("1,2,3", {"1", "2", "3"}),
        ("twenty-five, two hundred, seven", {"25", "200", "7"}),
        ("this one and that one", set()),
        ("one thousand or a thousand, half a million", {"1000"}),
        ("one hundred and one, two million three hundred thousand", {"101", "2300000"}),
        ("two hundred and fifty thousand", {"250000"}),
        ("two thousand million", {"2000000000"}),
        ("one two three and four", {"2", "3", "4"}),
        ("nineteen eighty-four", {"19", "84"}),
        ("-5 degrees, pages 5-10", {"-5", "5", "10"}),
        ("on 2024-05-01 at 5:30", {"2024", "5", "1", "30"}),
        ("007 and 0.50", {"7", "0.5"}),
        ("٤٢ and ४२", {"42"}),
        ("versions 1.2.30 and 0.0.0", {"1.2.30", "0.0.0"}),
        ("no number", set()),
    ],
)
def test_numbers(text, expected):
    """Ways to write a number give one plain decimal."""
    assert find_quantities(text).numbers == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("19.99%", {"%"}),
        ("20 per cent", {"%"}),
        ("5 percent", {"%"}),
        ("$5 or 5 dollars", {"usd"}),
        ("67 thousand euros", {"eur"}),
        ("5kg and 5 pounds", {"kg", "pound"}),
        ("5pm", {"pm"}),
        ("a 5-year plan", {"year"}),
        ("20 °C", {"celsius"}),
        ("many dollars, five people", set()),
        ("one year", set()),
    ],
)
def test_units(text, expected):
    """Units and currencies beside a number give one name each."""
    assert find_quantities(text).units == expected


@given(st.integers(0, 10**12))
def test_an_integer_is_found_however_it_is_grouped(number):
    """Thousands separators change nothing."""
    assert find_quantities(f"about {number:,} items").numbers == {str(number)}
    assert find_quantities(f"about {number} items").numbers == {str(number)}


@given(st.integers(0, 10**9 - 1))
def test_a_number_in_words_is_found(number):
    """However large a number is, spelled out it gives its digits; a bare "one" gives none."""
    found = find_quantities(f"about {spelled_out(number)} of them").numbers
    assert found == ({str(number)} - {"1"})


@given(st.text())
def test_any_text_has_quantities(text):
    """No text fails; numbers are plain decimals, but for versions and dates with points."""
    for number in find_quantities(text).numbers:
        float(number if number.count(".") < 2 else number.replace(".", ""))


def test_a_very_long_number_keeps_its_digits():
    """No digit is lost to rounding."""
    assert find_quantities("9" * 5000).numbers == {"9" * 5000}
