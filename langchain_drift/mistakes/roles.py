"""Who does what to whom: two texts of the same words with their roles exchanged."""

from collections.abc import Iterator
from itertools import takewhile

from langchain_drift.mistakes.wording import NO_NAMES, Wording
from langchain_drift.text.conflicts import Conflict
from langchain_drift.text.stems import stem

# A word behind one of these has a role that the words before it have not.
_PREPOSITION_WORDS = "from to into onto with without before after over under by than against for"
_PREPOSITIONS = frozenset(_PREPOSITION_WORDS.split())
_REACH = 3
_OTHER_WORDS = 1


def find_exchanged(left: Wording, right: Wording) -> tuple[Conflict, ...]:
    """Return where two texts of the same words, but for one, exchange their roles.

    "Copy staging to production" and "copy production to staging" do: what stands behind a
    preposition in the one stands elsewhere in the other, and the other way round.
    """
    found, others = left.stems, right.stems
    if len(found ^ others) > _OTHER_WORDS:
        return ()
    mine, theirs = dict(_objects(left)), dict(_objects(right))
    for preposition in mine.keys() & theirs.keys():
        one, other = mine[preposition], theirs[preposition]
        if one != other and one in others and other in found:
            return (Conflict("roles", (f"{preposition} {one}",), (f"{preposition} {other}",)),)
    return ()


def _objects(wording: Wording) -> Iterator[tuple[str, str]]:
    """Yield each preposition with the stem of the content word behind it, or of the next word."""
    for place, word in enumerate(wording.words):
        if word not in _PREPOSITIONS:
            continue
        behind = wording.words[place + 1 : place + 1 + _REACH]
        phrase = list(takewhile(lambda each: each not in _PREPOSITIONS, behind))
        if phrase:
            content = (each for each in phrase if each not in NO_NAMES)
            yield word, stem(next(content, phrase[0]))
