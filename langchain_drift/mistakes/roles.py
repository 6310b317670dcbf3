"""Who does what to whom: two texts of the same words with their roles exchanged."""

from collections.abc import Iterator
from itertools import takewhile

from langchain_drift.text.conflicts import Conflict
from langchain_drift.text.function_words import FUNCTION_WORDS
from langchain_drift.text.stems import stem
from langchain_drift.text.words import words

# A word behind one of these has a role that the words before it have not.
_PREPOSITION_WORDS = "from to into onto with without before after over under by than against for"
_PREPOSITIONS = frozenset(_PREPOSITION_WORDS.split())
# A single letter is a name here: from A to B.
_FUNCTION_WORDS = FUNCTION_WORDS["en"] - {"a", "i"}
_REACH = 3
_OTHER_WORDS = 1


def find_exchanged(left: str, right: str) -> tuple[Conflict, ...]:
    """Return where two texts of the same words, but for one, exchange their roles.

    "Copy staging to production" and "copy production to staging" do: what stands behind a
    preposition in the one stands elsewhere in the other, and the other way round.
    """
    found, others = _stems(left), _stems(right)
    if len(found ^ others) > _OTHER_WORDS:
        return ()
    mine, theirs = dict(_objects(left)), dict(_objects(right))
    for preposition in mine.keys() & theirs.keys():
        one, other = mine[preposition], theirs[preposition]
        if one != other and one in others and other in found:
            return (Conflict("roles", (f"{preposition} {one}",), (f"{preposition} {other}",)),)
    return ()


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in _FUNCTION_WORDS)


def _objects(text: str) -> Iterator[tuple[str, str]]:
    """Yield each preposition with the stem of the content word behind it, or of the next word."""
    found = words(text)
    for place, word in enumerate(found):
        if word not in _PREPOSITIONS:
            continue
        behind = found[place + 1 : place + 1 + _REACH]
        phrase = list(takewhile(lambda each: each not in _PREPOSITIONS, behind))
        if phrase:
            content = (each for each in phrase if each not in _FUNCTION_WORDS)
            yield word, stem(next(content, phrase[0]))
