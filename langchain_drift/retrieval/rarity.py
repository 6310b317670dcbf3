"""How much a word says: rare words much, function words and chatter next to nothing."""

import json
import math
import re
import unicodedata
from functools import cache, lru_cache
from typing import Final

from langchain_drift.embeddings.weights import read_weights
from langchain_drift.text import is_function_word
from langchain_drift.text.stems import stem

LEAST: Final = 0.05
"""Weight of a word that carries no content."""

# The bundled tokenizer lists its words from frequent to rare, behind special tokens and letters.
_FIRST_WORD: Final = 1996
_OFFSET: Final = 1990
_LETTER, _FREQUENT = 0.25, 0.09
_CHATTER_LIST = """
    absolutely actually afraid agree ah aha alright amazing apparently awesome awful basically
    believe bye cheers cool course crazy cute definitely exactly fascinating fun funnily funny glad
    great guess haha hear heard hello hey hi hmm honestly hope imagine indeed interesting know like
    lol love lovely luckily mean neat nice oh ok okay pretty probably really right sad sadly say
    seems seriously sorry sure surely terrible thank thanks think thought true unfortunately well
    welcome wonder wow yeah yep yes yup
"""
_CHATTER = frozenset(_CHATTER_LIST.split())

_SMALL_WORDS: Final = """
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
"""
_TEN_WORDS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_CARDINALS: Final = {
    word: str(number) for number, word in enumerate(_SMALL_WORDS.split(), start=2)
} | {word: str(10 * number) for number, word in enumerate(_TEN_WORDS.split(), start=2)}
_DIGITS: Final = re.compile(r"(\d+)(?:st|nd|rd|th)?|\d{1,3}(?:,\d{3})+")


@lru_cache(maxsize=65_536)
def stem_of(word: str) -> str:
    """Return the stem of a casefolded word, digits and accents written one way.

    "four", "4" and "4th" share one, so do "1,000" and "1000", "Zürich" and "Zurich".
    """
    if not word.isascii():
        word = _plain(word)
    found = _DIGITS.fullmatch(word)
    if found:
        return found[1] or word.replace(",", "")
    cardinal = _CARDINALS.get(word) or _CARDINALS.get(word.removesuffix("th"))
    return cardinal or stem(word)


def _plain(word: str) -> str:
    """Return a word with ASCII digits and, if it is Latin, without accents."""
    digits = "".join(str(unicodedata.digit(each, each)) for each in word)
    bare = "".join(
        each for each in unicodedata.normalize("NFD", digits) if not unicodedata.combining(each)
    )
    return bare if bare.isascii() else digits


@lru_cache(maxsize=65_536)
def weight_of(word: str) -> float:
    """Return how much a casefolded word says, from 0.05 to 1.

    A content word weighs `(log(rank) / log(size))²` of its rank by frequency among the words that
    the bundled tokenizer knows whole; words it does not know weigh 1, single letters and Han
    characters 0.25. Function words and chatter ("sure", "wow") weigh 0.05.
    """
    if is_function_word(word) or word in _CHATTER or not any(map(str.isalnum, word)):
        return LEAST
    ranks = _ranks()
    rank = ranks.get(word)
    if rank is None:
        return 1.0
    if rank < _FIRST_WORD:
        return _LETTER if len(word) == 1 else _FREQUENT
    share = math.log(rank - _OFFSET) / math.log(len(ranks) - _OFFSET)
    return max(_FREQUENT, min(1.0, share**2))


def is_content(word: str) -> bool:
    """Tell whether a casefolded word carries content."""
    return weight_of(word) > LEAST


@cache
def _ranks() -> dict[str, int]:
    found: dict[str, int] = json.loads(read_weights("tokenizer.json"))["model"]["vocab"]
    return found
