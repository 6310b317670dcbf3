"""A text as it is read: sentences with their words and stems."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from langchain_drift.retrieval.rarity import LEAST, stem_of, weight_of
from langchain_drift.text import sentences, to_prose, words

# Corpora and speech tools write `don 't`, `it ' s` and ``quoted''.
_APOSTROPHE = re.compile(
    r"(?<=\w)(?:\s+(?P<n>n)\s*['\u2019]\s*t|\s*['\u2019]\s+(?P<a>s|m|re|ve|ll|d|t)"
    r"|\s+['\u2019]\s*(?P<b>s|m|re|ve|ll|d|t))\b",
    re.IGNORECASE,
)
_MAX_LENGTH = 2_000
"""A longer sentence is cut: no embedder reads it whole, and none is one."""


class Sentence:
    """A sentence with its words, casefolded, and their stems.

    Attributes:
        text: The sentence as plain text, accents composed.
        words: Its words, see `text.words`.
        stems: The stem of each word.
    """

    __slots__ = ("__dict__", "stems", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = words(text)
        self.stems = [stem_of(word) for word in self.words]

    @cached_property
    def bag(self) -> frozenset[str]:
        """The different stems."""
        return frozenset(self.stems)

    @cached_property
    def weights(self) -> list[float]:
        """How much each word says, from 0.05 to 1."""
        return [weight_of(word) for word in self.words]

    @cached_property
    def content(self) -> list[int]:
        """The places of the words that carry content."""
        return [place for place, weight in enumerate(self.weights) if weight > LEAST]

    @property
    def weight(self) -> float:
        """How much the sentence says: the weights of its content words added up."""
        return sum(self.weights[place] for place in self.content)


def read(text: str) -> list[Sentence]:
    """Return the sentences of a text, markdown or plain, without empty ones."""
    prose = to_prose(text)
    if not prose.isascii():
        prose = unicodedata.normalize("NFC", prose)
    if " '" in prose or "' " in prose or "\u2019 " in prose or " \u2019" in prose:
        prose = _APOSTROPHE.sub(_join, prose)
    return [Sentence(piece) for found in sentences(prose) for piece in _pieces(found)]


def _join(match: re.Match[str]) -> str:
    return f"{match['n'] or ''}'{match['a'] or match['b'] or 't'}"


def _pieces(text: str) -> list[str]:
    if len(text) <= _MAX_LENGTH:
        return [text]
    return [text[start : start + _MAX_LENGTH] for start in range(0, len(text), _MAX_LENGTH)]


@dataclass(frozen=True)
class Context:
    """The retrieved chunks as they are read; sentences keep the order of the chunks.

    Attributes:
        sentences: The sentences of all chunks.
        chunk_of: The number of the chunk of each sentence.
    """

    sentences: tuple[Sentence, ...]
    chunk_of: tuple[int, ...]

    @classmethod
    def of(cls, chunks: Sequence[str]) -> "Context":
        """Read chunks; blank ones have no sentences but keep their number."""
        found = [(number, each) for number, chunk in enumerate(chunks) for each in read(chunk)]
        return cls(tuple(each for _, each in found), tuple(number for number, _ in found))

    @cached_property
    def text(self) -> str:
        """All sentences, one a line."""
        return "\n".join(each.text for each in self.sentences)

    @cached_property
    def words(self) -> frozenset[str]:
        """The different words."""
        return frozenset().union(*(each.words for each in self.sentences))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The different stems."""
        return frozenset().union(*(each.bag for each in self.sentences))

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """The different pairs of stems that stand side by side in a sentence."""
        found: set[tuple[str, str]] = set()
        for each in self.sentences:
            found.update(pairwise(each.stems))
        return frozenset(found)

    @cached_property
    def size(self) -> int:
        """The number of words."""
        return sum(len(each.words) for each in self.sentences)
