import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.text.quantities import find_quantities


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
        ("-5 degrees, pages 5-10", {"-5", "5", "10"}),
        ("on 2024-05-01 at 5:30", {"2024", "5", "1", "30"}),
        ("007 and 0.50", {"7", "0.5"}),
        ("٤٢ and ४२", {"42"}),
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


@given(st.text())
def test_any_text_has_quantities(text):
    """No text fails; numbers are plain decimals."""
    for number in find_quantities(text).numbers:
        float(number)


def test_a_very_long_number_keeps_its_digits():
    """No digit is lost to rounding."""
    assert find_quantities("9" * 5000).numbers == {"9" * 5000}
