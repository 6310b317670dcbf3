"""Names of the chunks, and which names of an answer are none of them."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from langchain_drift.retrieval.known_numbers import KnownNumbers
from langchain_drift.retrieval.reading import Context, Sentence
from langchain_drift.text.names import find_names
from langchain_drift.text.quantities import UNITS
from langchain_drift.text.words import words

_LEAST_LETTERS: Final = 2
_PERSON: Final = 2
"""Words in the name of a person, as far as it is checked that they belong together."""


class KnownNames:
    """The names of the chunks.

    Args:
        context: The chunks.
        mentioned: Words that may be part of a name, wherever they come from.
        numbers: The numbers of the chunks: "EUR" is a unit and no name where they have euros.
    """

    def __init__(self, context: Context, mentioned: frozenset[str], numbers: KnownNumbers) -> None:
        self.context = context
        self.mentioned = mentioned
        self.numbers = numbers

    def missing(self, sentence: Sentence) -> list[str]:
        """Return the names of a sentence that have a word unknown to the chunks, or are mixed."""
        if sentence.text.islower():
            return []
        names = ((name, Sentence(name)) for name in find_names(sentence.text))
        return [name for name, read in names if not self._is_known(read) or self._is_mixed(read)]

    def _is_known(self, name: Sentence) -> bool:
        return all(
            len(word) < _LEAST_LETTERS
            or word in self.context.words
            or stem in self.context.stems
            or word in self.mentioned
            or (word in UNITS and UNITS[word] in self.numbers.units)
            for word, stem in zip(name.words, name.stems, strict=True)
        )

    def _is_mixed(self, name: Sentence) -> bool:
        """Tell whether a name joins the first word of one name and the last of another."""
        if len(name.stems) != _PERSON or tuple(name.stems) in self.context.pairs:
            return False
        by_first, by_last = self._people
        first, last = name.stems
        return first in by_first and last in by_last and last not in by_first[first]

    @cached_property
    def _people(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """The last words of names of two words by their first, and the first by their last."""
        by_first: defaultdict[str, set[str]] = defaultdict(set)
        by_last: defaultdict[str, set[str]] = defaultdict(set)
        for name in find_names(self.context.text):
            stems = Sentence(name).stems
            if len(stems) == _PERSON:
                by_first[stems[0]].add(stems[1])
                by_last[stems[1]].add(stems[0])
        return dict(by_first), dict(by_last)


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the different words of texts."""
    return frozenset().union(*(words(text) for text in texts))
