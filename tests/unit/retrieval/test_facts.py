import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.retrieval.facts import KnownFacts
from langchain_drift.retrieval.known_numbers import list_numbers
from langchain_drift.retrieval.reading import Context, Sentence


def missing(chunk, answer, known=(), source=None, listed=frozenset()):
    facts = KnownFacts(Context.of([chunk]), frozenset(known))
    return facts.missing(Sentence(answer), source and Sentence(source), listed)


@pytest.mark.parametrize(
    ("chunk", "answer"),
    [
        ("It costs 1,000 euros.", "It costs 1000 euros."),
        ("It costs two thousand euros.", "It costs 2000 euros."),
        ("Four wheels.", "4 wheels."),
        ("The 19th century.", "The nineteenth century."),
        ("It has been 30, 000 years.", "It has been 30,000 years."),
        ("Prices fell by 7.8 percent.", "Prices fell by 7.8 per cent."),
        ("Version 1.2.3 is out.", "Version 1.2.3 came out."),
        ("He was bishop from 2003.06.11 on.", "He was bishop from 11 June 2003."),
        ("She came second.", "She came 2nd."),
        ("The fee is 500 euros and the cap 20%.", "The cap is 20 percent."),
        ("Open from 9 to 17.", "It opens at nine."),
    ],
)
def test_numbers_written_otherwise_are_the_same(chunk, answer):
    """How a number or a date is written does not matter."""
    found = missing(chunk, answer)
    assert not found.numbers
    assert not found.dates


@pytest.mark.parametrize(
    ("chunk", "answer", "value"),
    [
        ("It costs 500 euros.", "It costs 5000 euros.", "5000"),
        ("It takes three weeks.", "It takes 4 weeks.", "4"),
        ("It is 14 km long.", "It is 14 miles long.", "14 mile"),
        ("Born in 1967.", "Born in 1976.", "1976"),
    ],
)
def test_a_number_or_unit_that_no_chunk_holds_is_missing(chunk, answer, value):
    """Another number is missing, and so is the same number with another unit."""
    assert value in missing(chunk, answer).numbers


def test_a_month_or_weekday_that_no_chunk_holds_is_missing():
    """Dates are facts, too; months written in short are known."""
    assert missing("It ends on Friday.", "It ends on Monday.").dates == ("monday",)
    assert missing("On 31 Dec 2020.", "On 31 December 2020.").dates == ()


def test_names_of_the_question_are_no_invention():
    """A name that no chunk holds is missing, unless question or history mention it."""
    assert missing("The director spoke.", "The director Jonas Beck spoke.").names == ("Jonas Beck",)
    known = {"jonas", "beck"}
    assert missing("The director spoke.", "The director Jonas Beck spoke.", known).names == ()


def test_numbers_of_list_items_are_no_facts():
    """The marks of a numbered list are not held against the chunks."""
    text = "Do this: 1. Open the lid 2. Fill in water"
    assert list_numbers(text) == {"1", "2"}
    listed = list_numbers(text)
    assert missing("Open the lid.", "Open the lid 2.", listed=listed).numbers == ()
    assert list_numbers("It rose to 7. Then it fell.") == frozenset()


def test_two_in_words_may_count_what_the_chunks_list():
    """Saying "two plans" misses nothing unless the source counts otherwise."""
    plans = "There are two plans."
    assert missing("Plans: basic and pro.", plans, source="Plans: basic and pro.").numbers == ()
    assert missing("There are 5 plans.", plans, source="There are 5 plans.").numbers == ("2",)


@given(st.integers(0, 10**9))
def test_a_number_is_never_missing_from_its_own_text(number):
    """A sentence misses nothing of a chunk that is the same sentence."""
    text = f"The total is {number} items."
    assert missing(text, text).numbers == ()
