import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.text import Conflict, CriticalTerms, conflicts, critical_terms


def differ(one, other):
    """Return the conflicts of two texts."""
    return conflicts(critical_terms(one), critical_terms(other))


def test_terms_by_hand():
    """Every kind of term is found in its place."""
    text = "Do not grant user_1 **5** thousand € for `Plan B` in /tmp."
    assert critical_terms(text) == CriticalTerms(
        numbers=frozenset({"5000"}),
        units=frozenset({"eur"}),
        identifiers=frozenset({"user_1"}),
        paths=frozenset({"/tmp"}),  # noqa: S108 - a name
        quoted=frozenset({"plan b"}),
        negated=True,
        polarity=frozenset({("grant/revoke", "grant")}),
    )


@pytest.mark.parametrize(
    "text",
    ['the "Plan B"', "the 'Plan B'", "the `Plan B`", "the “Plan B”", "der „Plan B“", "« Plan B »",
     "the ‘Plan B’", 'the "plan b,"'],
)  # fmt: skip
def test_quotes_of_every_kind(text):
    """What stands in quotes is the same in each kind of quotes."""
    assert critical_terms(text).quoted == {"plan b"}


def test_apostrophes_are_no_quotes():
    """Possessives and contractions quote nothing, nor does a long speech."""
    assert critical_terms("the users' data isn't the admins' data").quoted == frozenset()
    assert critical_terms('"' + "word " * 9 + '"').quoted == frozenset()


def test_a_number_in_bold_is_a_number():
    """Bold markers do not part a number from its magnitude, nor join a power."""
    assert critical_terms("**999** thousand").numbers == {"999000"}
    assert critical_terms("2**3").numbers == {"2", "3"}


@pytest.mark.parametrize(
    ("one", "other", "kinds"),
    [
        ("delete user 1", "delete user 2", ["numbers"]),
        ("delete user 2", "do not delete user 1", ["numbers", "negation"]),
        ("enable TLS", "disable TLS", ["opposites"]),
        ("turn off the payment retry", "turn on the payment retry", ["opposites"]),
        ("flash board ZX1603", "flash board ZX1605", ["identifiers"]),
        ("upgrade @lib/test-native", "upgrade @lib/test-react-native", ["identifiers"]),
        ("67 thousand inhabitants", "**999** thousand inhabitants", ["numbers"]),
        ("5 kg of rice", "5 lb of rice", ["units"]),
        ("clear /tmp", "clear /var", ["paths"]),
        ('rename "a"', 'rename "b"', ["quoted"]),
        ("deploy to staging", "deploy to production", ["opposites"]),
        ("meet at 5 am", "meet at 5 pm", ["units"]),
        ("log in", "log out", ["opposites"]),
        ("pay by credit card", "pay by debit card", ["opposites"]),
        ("before lunch", "after lunch", ["opposites"]),
    ],
)
def test_opposed_texts_conflict(one, other, kinds):
    """Texts that differ in what matters are told apart, and how is named."""
    assert [conflict.kind for conflict in differ(one, other)] == kinds


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("clear /tmp", "clear out the temp directory"),
        ("page 1", "page 1 of 2"),
        ("edit src/app.js", "open app.js"),
        ("reset the PIN", "reset the pin"),
        ("$5", "five dollars"),
        ("1,000 items", "one two 1000 items"),
        ("no onions please", "without onions"),
        ("enable or disable TLS", "disable TLS"),
        ("list '*.txt' files", "list '.txt' files"),
    ],
)
def test_one_text_may_say_more(one, other):
    """Saying more, or the same in other signs, is no conflict."""
    assert differ(one, other) == ()


def test_a_conflict_names_both_sides():
    """What differs is listed, sorted, without what agrees."""
    assert differ("copy 1 and 3 to 9", "copy 2 and 9") == (
        Conflict(kind="numbers", left=("1", "3"), right=("2",)),
    )
    assert differ("go", "do not go") == (Conflict("negation", ("affirmed",), ("negated",)),)


VOCABULARY = """
    delete do not user_1 user_2 1 2 kg lb /tmp/a /b/a a.js src/a.js enable disable turn on off 'x'
    "y" staging production without https://a.b/c
"""
TEXTS = st.lists(
    st.sampled_from(
        VOCABULARY.split(),
    ),
    max_size=8,
).map(" ".join) | st.text(max_size=60)


@given(TEXTS)
def test_no_text_conflicts_with_itself(text):
    """The law of reflexivity."""
    assert differ(text, text) == ()


@given(TEXTS, TEXTS)
def test_conflicts_are_mutual(one, other):
    """The law of symmetry: exchanged texts exchange the sides."""
    mirrored = tuple(Conflict(kind=c.kind, left=c.right, right=c.left) for c in differ(other, one))
    assert differ(one, other) == mirrored


@pytest.mark.parametrize(
    "pattern",
    ["user_1 at 5 pm. ", "1,", "a_", '" ', "“a", "‘", "a/", "twenty-", "@a.", "1 k ", "http://",
     "A1-", "'a", "no ", "$ ", "x@", "turn on "],
)  # fmt: skip
def test_terms_take_linear_time(pattern):
    """100 KB of any text is read, and compared, in a fraction of a second."""
    text = pattern * (100_000 // len(pattern))
    start = time.process_time()
    terms = critical_terms(text)
    assert conflicts(terms, critical_terms("a/b.js 1 user_2")) is not None
    assert time.process_time() - start < 1.5
