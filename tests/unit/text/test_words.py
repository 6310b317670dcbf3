import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.text import content_words, words
from langchain_drift.text.stems import stem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't STOP!", ["don't", "stop"]),
        ("don\u2019t", ["don't"]),
        ("Besanc\u0327on", ["besançon"]),
        ("Straße", ["strasse"]),
        ("$19.99, 1,000 or 3.", ["19.99", "1,000", "or", "3"]),
        ("v1.2.3", ["v1.2.3"]),
        ("snake_case-name", ["snake", "case", "name"]),
        ("हिन्दी में नमस्ते।", ["हिन्दी", "में", "नमस्ते"]),
        ("我丢了卡。", ["我", "丢", "了", "卡"]),
        ("カード", ["カ", "ー", "ド"]),
        ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
        ("안녕 하세요", ["안녕", "하세요"]),
        ("مُحَمَّد", ["مُحَمَّد"]),
        ("Привет, мир", ["привет", "мир"]),
        ("", []),
        ("?! 🎉", []),
    ],
)
def test_words_of_every_script(text, expected):
    """A word keeps its marks, apostrophes and decimal points; unspaced scripts give characters."""
    assert words(text) == [unicodedata.normalize("NFC", word) for word in expected]


@given(st.text(max_size=200))
def test_words_are_composed_and_not_blank(text):
    """Words of any text are composed and hold no space."""
    for word in words(text):
        assert word == unicodedata.normalize("NFC", word)
        assert word.strip() == word != ""


@given(
    st.lists(
        st.sampled_from(["card", "straße", "été", "слово", "दिन", "42", "19.99", "don't"]),
        max_size=9,
    )
)
def test_words_joined_by_spaces_are_found_again(tokens):
    """Splitting undoes joining."""
    assert words(" ".join(tokens)) == [token.casefold() for token in tokens]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cards", "card"),
        ("accounts", "account"),
        ("booking", "book"),
        ("stored", "store"),
        ("cancelled", "cancel"),
        ("planning", "plan"),
        ("policies", "policy"),
        ("denied", "deny"),
        ("changes", "changing"),
        ("boxes", "box"),
        ("addresses", "address"),
        ("bank's", "bank"),
        ("refunded", "refund"),
    ],
)
def test_inflections_share_a_stem(one, other):
    """English plurals, -ed and -ing meet their base."""
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("note", "not"), ("noting", "not"), ("plane", "plan"), ("care", "car"), ("status", "statu")],
)
def test_different_words_keep_different_stems(one, other):
    """No stem turns a word into a negation or another short word."""
    assert stem(one) != stem(other)


@pytest.mark.parametrize("word", ["bus", "news", "sing", "red", "feed", "gas", "été", "42"])
def test_short_and_foreign_words_stay(word):
    """What is no inflection is not cut."""
    assert stem(word) in {word, word.removesuffix("s")}


@given(st.from_regex(r"[a-z']{1,12}", fullmatch=True))
def test_a_stem_is_never_empty_or_longer(word):
    """A stem of a word is a word, at most one letter longer (`noting`, `note`)."""
    assert 0 < len(stem(word)) <= len(word) or word == "'s"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Could you please cancel the cards?", ["cancel", "card"]),
        ("Do not do it without me", ["not", "without"]),
        ("I can't, never, no", ["can't", "never", "no"]),
        ("Ich habe das Konto nicht", ["konto", "nicht"]),
        ("The plants die in the war", ["plant", "die", "war"]),
        ("turn it off", ["turn", "off"]),
    ],
)
def test_content_words(text, expected):
    """Function words go, negations and English content words stay."""
    assert content_words(text) == expected


@pytest.mark.parametrize("pattern", ["a", "a'", "1.", "1,", "é", "我", "\u0301", "'"])
def test_words_take_linear_time(pattern):
    """A megabyte of any character is read in a second."""
    text = pattern * (1_000_000 // len(pattern))
    start = time.process_time()
    words(text)
    assert time.process_time() - start < 2
