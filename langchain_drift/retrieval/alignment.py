"""Alignment: the tokens of a sentence, each matched with the token of the chunks most like it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from langchain_drift.embeddings.details import TextVectors
from langchain_drift.retrieval.lexical import NEAR, can_be_turned
from langchain_drift.retrieval.reading import Sentence
from langchain_drift.text import word_spans

Vector = NDArray[np.float32]

_AS_GOOD: Final = 0.06
"""Matches whose similarity is this near to the best count as places of a word, too."""

_MOST_PLACES: Final = 20


@dataclass(frozen=True)
class ContextVectors:
    """The vectors of the chunks, sentence after sentence.

    Attributes:
        sentences: The vector of each sentence, `[sentences, dimensions]`.
        tokens: The vectors of all tokens, `[tokens, dimensions]`.
        sentence_of: The number of the sentence of each token.
    """

    sentences: Vector
    tokens: Vector
    sentence_of: NDArray[np.intp]

    @classmethod
    def of(cls, found: Sequence[TextVectors]) -> "ContextVectors":
        """Lay the vectors of sentences side by side."""
        lengths = [len(each.tokens) for each in found]
        return cls(
            sentences=np.stack([each.text for each in found]),
            tokens=np.concatenate([each.tokens for each in found]),
            sentence_of=np.repeat(np.arange(len(found)), lengths),
        )

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """The first token of each sentence that has one."""
        return np.unique(self.sentence_of, return_index=True)[1]


@dataclass(frozen=True)
class Alignment:
    """How like the words of a sentence are to words of the chunks.

    Attributes:
        similarity: For each word the similarity of its best match, -1 to 1; 0 for a word the
            embedder does not read.
        by_sentence: The weighted similarity with each sentence of the chunks alone.
        order: As `lexical.Overlap.order`, over best matches instead of equal words; None for
            fewer than two content words.
    """

    similarity: Vector
    by_sentence: Vector
    order: float | None


def align(sentence: Sentence, vectors: TextVectors, context: ContextVectors) -> Alignment:
    """Match the words of a sentence with the words of the chunks."""
    tokens_of = _tokens_of_words(sentence, vectors)
    table = vectors.tokens @ context.tokens.T
    by_token = np.full((len(table), len(context.sentences)), 0.0, dtype=np.float32)
    filled = context.sentence_of[context.starts]
    by_token[:, filled] = np.maximum.reduceat(table, context.starts, axis=1)
    by_word = np.stack([_mean_of(by_token, tokens) for tokens in tokens_of])
    weights = np.array(sentence.weights, dtype=np.float32)
    best = table.max(axis=1)[:, None]
    return Alignment(
        similarity=np.array([_mean_of(best, tokens)[0] for tokens in tokens_of]),
        by_sentence=(by_word * weights[:, None]).sum(axis=0) / weights.sum(),
        order=_order(sentence, tokens_of, table, context.sentence_of),
    )


def _tokens_of_words(sentence: Sentence, vectors: TextVectors) -> list[list[int]]:
    """Return the tokens of each word; a word cut off by the embedder has none."""
    found: list[list[int]] = []
    first = 0
    for start, end in word_spans(sentence.text):
        while first < len(vectors.spans) and vectors.spans[first][1] <= start:
            first += 1
        last = first
        while last < len(vectors.spans) and vectors.spans[last][0] < end:
            last += 1
        found.append(list(range(first, last)))
    return found


def _mean_of(table: Vector, tokens: list[int]) -> Vector:
    if not tokens:
        return np.zeros(table.shape[1], dtype=np.float32)
    found: Vector = table[tokens].mean(axis=0)
    return found


def _order(
    sentence: Sentence,
    tokens_of: list[list[int]],
    table: Vector,
    sentence_of: NDArray[np.intp],
) -> float | None:
    content = [place for place in sentence.content if tokens_of[place]]
    places = {place: _matches(table[tokens_of[place][0]]) for place in content}
    total = lost = 0.0
    for left, right in pairwise(content):
        distance = tokens_of[right][0] - tokens_of[left][0]
        gap = _gap(places[left], places[right], distance, sentence_of)
        if gap and can_be_turned(sentence, left, right):
            gap = min(gap, _gap(places[right], places[left], distance, sentence_of))
        weight = sentence.weights[left] + sentence.weights[right]
        total += weight
        lost += weight * (1 - math.exp(-gap / NEAR))
    return lost / total if total else None


def _matches(row: Vector) -> NDArray[np.intp]:
    """Return the places of the chunks that match a token about as well as any."""
    return np.flatnonzero(row >= row.max() - _AS_GOOD)[:_MOST_PLACES]


def _gap(
    lefts: NDArray[np.intp],
    rights: NDArray[np.intp],
    distance: int,
    sentence_of: NDArray[np.intp],
) -> float:
    steps = rights[None, :] - lefts[:, None]
    follows = (steps > 0) & (sentence_of[rights][None, :] == sentence_of[lefts][:, None])
    return float(np.where(follows, np.abs(steps - distance), np.inf).min())
