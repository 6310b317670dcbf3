"""Relevance: how well the chunks fit the question."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from langchain_drift.retrieval.reading import Context, Sentence
from langchain_drift.retrieval.vectors import ChunkVectors

LEXICAL: Final = ("missing", "scattered")
"""The features of the lexical tier; see `lexical_features`."""

SENTENCES: Final = ("unlike", *LEXICAL)
"""The features of the semantic tier with an embedder that gives no vectors of tokens."""

SEMANTIC: Final = ("unmatched", "unlike")
"""The features of the semantic tier with vectors of tokens; see `semantic_features`."""

_WINDOW: Final = 3
_NEAREST: Final = 3


def lexical_features(question: Sequence[Sentence], context: Context) -> dict[str, float]:
    """Hold the words of a question against the chunks.

    Returns:
        `missing`: weighted share of its content words that no chunk holds; `scattered`: that no
        three neighbouring sentences hold together. Both 0 (best) to 1; 0 for a question without
        content words.
    """
    wanted = {each.stems[place]: each.weights[place] for each in question for place in each.content}
    total = sum(wanted.values())
    if not total:
        return {"missing": 0.0, "scattered": 0.0}
    held = sum(weight for stem, weight in wanted.items() if stem in context.stems)
    bags = [each.bag & wanted.keys() for each in context.sentences]
    together = max(
        sum(wanted[stem] for stem in frozenset().union(*bags[start : start + _WINDOW]))
        for start in range(len(bags))
    )
    return {"missing": 1 - held / total, "scattered": 1 - together / total}


def semantic_features(question: Sequence[Sentence], chunks: ChunkVectors) -> dict[str, float]:
    """Hold the vectors of a question against those of the chunks.

    Returns:
        `unlike`: one minus the mean similarity of the question with the three sentences of the
        chunks that are most like it, of fewer than five sentences with half of them;
        `unmatched`, with vectors of tokens: mean of one minus the
        similarity of its tokens with tokens of the chunks.
    """
    asked = chunks.embedded.texts(question)
    nearest = min(_NEAREST, (len(chunks.texts) + 1) // 2)
    likeness = np.sort((chunks.texts @ asked.T).max(axis=1))[-nearest:]
    found = {"unlike": 1 - float(likeness.mean())}
    if chunks.tokens is not None and len(chunks.tokens.tokens):
        tokens = np.concatenate([each.tokens for each in chunks.embedded.details(question)])
        if len(tokens):
            matched = (tokens @ chunks.tokens.tokens.T).max(axis=1)
            found["unmatched"] = 1 - float(matched.mean())
    return found


def precision(relevant: Sequence[bool]) -> float | None:
    """Return the share of chunks that are relevant, whatever their order; None for no chunks."""
    return sum(relevant) / len(relevant) if relevant else None


def average_precision(relevant: Sequence[bool]) -> float | None:
    """Return how early the relevant chunks come, exactly 1 if they all come first.

    The mean, over the relevant chunks, of the share of relevant chunks up to each; None if none
    is relevant.
    """
    ranks = [rank for rank, is_relevant in enumerate(relevant, start=1) if is_relevant]
    if not ranks:
        return None
    return math.fsum(found / rank for found, rank in enumerate(ranks, start=1)) / len(ranks)
