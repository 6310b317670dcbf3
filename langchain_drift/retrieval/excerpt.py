"""Excerpts: which sentences of a very long text are embedded."""

from collections.abc import Sequence
from typing import Final

from langchain_drift.retrieval.reading import Sentence

MOST_WORDS: Final = 12_000
"""Words of all chunks together that are embedded, a few seconds' work the first time."""

MOST_WORDS_ASKED: Final = 1_000
"""Words of the question that are embedded."""

MOST_WORDS_SAID: Final = 3_000
"""Words of the answer that are embedded."""


def excerpt(
    sentences: Sequence[Sentence], most_words: int, wanted: frozenset[str] = frozenset()
) -> list[int]:
    """Return the places of the sentences that are embedded, in order.

    All of them up to `most_words` words. Of a longer text half the words are of the sentences
    that share most with what is wanted, the others of sentences spread evenly over the rest.

    Args:
        sentences: The sentences.
        most_words: How many words they may have together; one sentence is always taken.
        wanted: Stems that are looked for.
    """
    places = range(len(sentences))
    if sum(len(each.words) for each in sentences) <= most_words:
        return list(places)
    shared = {place: _shared(sentences[place], wanted) for place in places}
    ranked = sorted((place for place in places if shared[place]), key=lambda place: -shared[place])
    chosen = _first(sentences, ranked, most_words // 2)
    rest = [place for place in places if place not in chosen]
    room = most_words - sum(len(sentences[place].words) for place in chosen)
    return sorted({*chosen, *_spread(sentences, rest, room)} or {0})


def _shared(sentence: Sentence, wanted: frozenset[str]) -> float:
    """Return how much the words of a sentence that are wanted say, each counted once."""
    if wanted.isdisjoint(sentence.bag):
        return 0.0
    weights = dict(zip(sentence.stems, sentence.weights, strict=True))
    return sum(weight for stem, weight in weights.items() if stem in wanted)


def _first(sentences: Sequence[Sentence], places: Sequence[int], most_words: int) -> set[int]:
    """Return the first places whose sentences fit into so many words."""
    chosen: set[int] = set()
    for place in places:
        most_words -= len(sentences[place].words)
        if most_words < 0:
            break
        chosen.add(place)
    return chosen


def _spread(sentences: Sequence[Sentence], places: Sequence[int], most_words: int) -> set[int]:
    """Return places at even steps whose sentences fit into so many words."""
    total = sum(len(sentences[place].words) for place in places)
    if not total:
        return set()
    step = max(1.0, total / max(1, most_words))
    count = int(len(places) / step)
    return _first(sentences, [places[int(number * step)] for number in range(count)], most_words)
