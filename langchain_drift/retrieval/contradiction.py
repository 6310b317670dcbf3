"""Contradiction: a sentence that negates what its source affirms, or the other way round."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from langchain_drift.retrieval.rarity import is_content
from langchain_drift.retrieval.reading import Sentence
from langchain_drift.text.negation import NEGATIONS
from langchain_drift.text.opposites import ALONE
from langchain_drift.text.polarity import find_sides

_ANSWER: Final = re.compile(r"^\W*(?:no|yes|nope|yeah)\b[\s,.;:!-]*", re.IGNORECASE)
# Beside the languages that negation is known of, those that negate with a word of its own.
_MORE_NEGATIONS: Final = "不 没 沒 未 не нет никогда لا ليس لم لن नहीं inte aldrig ikke aldri"
_NEGATIONS: Final = NEGATIONS | frozenset(_MORE_NEGATIONS.split())
_FIRST_PERSON: Final = frozenset({"i", "i'm", "i've", "i'd", "we", "we've", "my"})
# Words that deny without a negation: with one of them about, polarity is not decided here.
_DENIAL_WORDS: Final = """
    avoid avoided avoiding cannot ceased deny denied except excluded excluding fail failed failing
    fails failure few hardly instead lack lacked lacks less neither nor only otherwise prevent
    prevented prevents rarely rather refuse refused unable unless unlike until
"""
_DENIALS: Final = frozenset(_DENIAL_WORDS.split())
# What a clause behind one of these denies is a condition or describes a thing.
_SUBORDINATE_WORDS: Final = "if that unless when where whether which who whose"
_SUBORDINATE: Final = frozenset(_SUBORDINATE_WORDS.split())
_REACH: Final = 4
_LEAST_SHARED, _LEAST_SHARED_BY_OPPOSITES = 0.6, 0.75


def contradicts(answer: Sentence, source: Sentence, others: Iterable[Sentence] = ()) -> bool:
    """Tell whether a sentence says the opposite of a sentence of a chunk.

    The source must hold most of what the sentence says. Then the two contradict one another if
    what one negates ("not *taken*") is affirmed by the other and nowhere negated in it, or if
    they name opposite sides ("enable", "disable"). What the writer denies of himself ("I've never
    been there") does not count.

    Args:
        answer: A sentence of the answer.
        source: The sentence of the chunks that is most like it.
        others: All sentences of the chunks: where one of them agrees, nothing is contradicted.
    """
    said = Sentence(_ANSWER.sub("", answer.text))
    share = _share(said, source)
    if share < _LEAST_SHARED:
        return False
    denied = _reversed(said, source)
    if denied:
        return not any(denied in _denied(each) for each in others)
    affirmed = _reversed(source, said)
    if affirmed:
        return not any(
            affirmed in each.bag and _NEGATIONS.isdisjoint(each.words) for each in others
        )
    return share >= _LEAST_SHARED_BY_OPPOSITES and _is_opposite(said, source)


def _share(said: Sentence, source: Sentence) -> float:
    """Return the share of what is said, opposites aside, that the source says too."""
    content = [place for place in said.content if said.stems[place] not in ALONE]
    total = sum(said.weights[place] for place in content)
    known = (said.weights[place] for place in content if said.stems[place] in source.bag)
    return sum(known) / total if total else 0.0


def _reversed(denying: Sentence, affirming: Sentence) -> str | None:
    """Return the stem that one sentence denies and the other affirms."""
    if not _DENIALS.isdisjoint(affirming.words) or not _NEGATIONS.isdisjoint(affirming.words):
        return None
    found = (
        denied
        for denied in _denied(denying)
        if denied in affirming.bag and denying.stems.count(denied) == 1
    )
    return next(found, None)


def _denied(sentence: Sentence) -> Iterator[str]:
    """Yield the stem of the first content word behind each negation."""
    for place, word in enumerate(sentence.words):
        if word not in _NEGATIONS:
            continue
        before = sentence.words[max(0, place - _REACH) : place]
        if not _FIRST_PERSON.isdisjoint(before) or not _SUBORDINATE.isdisjoint(before):
            continue
        behind = range(place + 1, min(place + 1 + _REACH, len(sentence.words)))
        for each in behind:
            if is_content(sentence.words[each]) and sentence.words[each] not in _NEGATIONS:
                yield sentence.stems[each]
                break


def _is_opposite(said: Sentence, source: Sentence) -> bool:
    mine, theirs = find_sides(said.text), find_sides(source.text)
    return any(
        {side for name, side in mine if name == pair}.isdisjoint(
            side for name, side in theirs if name == pair
        )
        for pair in {name for name, _ in mine} & {name for name, _ in theirs}
    )
