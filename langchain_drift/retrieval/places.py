"""Places: where the words of an answer stand in the chunks."""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from langchain_drift.retrieval.reading import Context, Sentence

WordPlaces = Mapping[int, Sequence[int]]
"""Where a word stands: its places in each sentence that holds it, in order."""


class Places:
    """Where the content words of some sentences stand in the chunks.

    Args:
        sentences: Sentences of an answer.
        context: The chunks.
    """

    def __init__(self, sentences: Iterable[Sentence], context: Context) -> None:
        wanted = {each.stems[place] for each in sentences for place in each.content}
        self._of: dict[str, defaultdict[int, list[int]]] = {
            stem: defaultdict(list) for stem in wanted
        }
        self._gaps: dict[tuple[str, str, int], float] = {}
        for number, each in enumerate(context.sentences):
            if wanted.isdisjoint(each.bag):
                continue
            for place, stem in enumerate(each.stems):
                if stem in wanted:
                    self._of[stem][number].append(place)

    def sentences(self, stem: str) -> Collection[int]:
        """Return the numbers of the sentences that hold a word."""
        return self._of[stem].keys()

    def gap(self, first: str, second: str, distance: int) -> float:
        """Return `least_gap` of two words; long answers say the same two again and again."""
        key = (first, second, distance)
        if key not in self._gaps:
            self._gaps[key] = least_gap(self._of[first], self._of[second], distance)
        return self._gaps[key]


def least_gap(lefts: WordPlaces, rights: WordPlaces, distance: int) -> float:
    """Return by how much the distance of two words differs where they stand most alike.

    Args:
        lefts: Where the first word stands in the chunks.
        rights: Where the second word stands.
        distance: How far the second stands behind the first in the answer.

    Returns:
        The difference in words, infinite if the second never follows in a sentence.
    """
    least = math.inf
    for number, starts in lefts.items():
        found = rights.get(number, ())
        for start in starts if found else ():
            at = bisect_left(found, start + distance)
            for place in found[max(0, at - 1) : at + 1]:
                if place > start:
                    least = min(least, abs(place - start - distance))
        if not least:
            break
    return least
