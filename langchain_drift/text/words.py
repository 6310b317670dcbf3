"""Words in any script, and the words of a text that carry its content."""

import re
import unicodedata

from langchain_drift.text.function_words import FUNCTION_WORDS
from langchain_drift.text.negation import NEGATIONS
from langchain_drift.text.stems import stem

# Scripts written without spaces: Thai, Lao, Myanmar, Khmer, kana, Han.
_UNSPACED = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u1000-\u102a"
    "\u103f\u1050-\u1055\u1780-\u17b3\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc-\u30fe"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
)
# Python counts combining marks as no part of a word; Indic vowels, for one, are.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u07a6-\u07b0\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd"
    "\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03"
    "\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6"
    "\u0d00-\u0d03\u0d3b-\u0d4d\u0d57\u0d81-\u0d83\u0dca-\u0ddf\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u0f18\u0f19\u0f35-\u0f39\u0f71-\u0f84\u0f8d-\u0fbc"
    "\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u200c\u200d\u3099\u309a"
)
_LETTER = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}])"
# Possessive: nothing follows that could make it give back, so no memory is kept for that.
_WORD = re.compile(
    rf"[{_UNSPACED}][{_MARKS}]*+|{_LETTER}++(?:'{_LETTER}++|(?<=\d)[.,](?=\d){_LETTER}++)*+",
)
_ASCII_WORD = re.compile(r"[a-z0-9]++(?:'[a-z0-9]++|(?<=[0-9])[.,](?=[0-9])[a-z0-9]++)*+")

# Other languages' function words that carry content in English, and words that turn a meaning.
_CONTENT_IN_ENGLISH = """
    after against ante before bin come den die dos door down fare hat lui man mine off os par per
    pour pro sin son sui sur te ton van war
"""
_CONTENT = NEGATIONS | frozenset(_CONTENT_IN_ENGLISH.split())
_FUNCTION = (
    frozenset().union(
        *(FUNCTION_WORDS[code] for code in ("en", "de", "es", "fr", "it", "pt", "nl"))
    )
    - _CONTENT
)


def words(text: str) -> list[str]:
    """Return the words of a text, casefolded, in order.

    Letters of any script, combining marks, digits, inner apostrophes ("don't") and the points and
    commas inside numbers ("19.99") make a word; hyphens and underscores part words. Where a script
    has no spaces (Han, kana, Thai, Lao, Khmer, Myanmar) each character with its marks is a word.
    Accents are composed (NFC) and apostrophes straight.
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    folded = unicodedata.normalize("NFC", text.casefold().replace("\u2019", "'"))
    return _WORD.findall(folded)


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return where the words of a text start and end; accents must be composed (NFC)."""
    return [match.span() for match in _WORD.finditer(text.replace("\u2019", "'"))]


def is_function_word(word: str) -> bool:
    """Tell whether a casefolded word carries grammar only; `content_words` leaves it out."""
    return word in _FUNCTION


def content_words(text: str) -> list[str]:
    """Return the words that carry content, stemmed, in order.

    Function words of English, German, Spanish, French, Italian, Portuguese and Dutch are left
    out; negations stay. English plurals, -ing and -ed are cut so that "cards" meets "card" and
    "booking" meets "book". A stem is a key to compare by, not always a word.
    """
    return [stem(word) for word in words(text) if word not in _FUNCTION]
