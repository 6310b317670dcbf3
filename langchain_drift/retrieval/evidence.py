"""Evidence: what speaks against a sentence of an answer, as features from 0 (nothing) upwards."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from langchain_drift.retrieval.alignment import Alignment
from langchain_drift.retrieval.answer import Answer
from langchain_drift.retrieval.contradiction import contradicts
from langchain_drift.retrieval.facts import KnownFacts, Unsupported
from langchain_drift.retrieval.lexical import Overlap, overlap
from langchain_drift.retrieval.reading import Context, Sentence
from langchain_drift.retrieval.vectors import SentenceVectors

_COMMON: Final = ("order", "number", "name", "contradiction")
LEXICAL: Final = ("unknown", "phrases", *_COMMON)
"""The features of the lexical tier; see `Evidence`."""

SENTENCES: Final = ("apart", *LEXICAL)
"""The features of the semantic tier with an embedder that gives no vectors of tokens."""

SEMANTIC: Final = (
    "distance",
    "strange",
    "token_order",
    "size",
    "says",
    *_COMMON,
)
"""The features of the semantic tier with vectors of tokens."""

_SIZE_UNIT: Final = 20


@dataclass(frozen=True)
class Evidence:
    """What is known about a sentence of an answer.

    Attributes:
        sentence: The sentence.
        features: What speaks against it by name, all from 0 upwards.
            `unknown`: weighted share of its words that no chunk holds.
            `order`: see `lexical.Overlap`; `token_order`: the same over similar words.
            `phrases`: share of its neighbouring words that are neighbours nowhere in the chunks.
            `distance`: mean of one minus the similarity of its words with the words of the chunks,
            weighted; a number that no chunk holds has similarity 0.
            `strange`: the same over the words that no chunk holds, the others counting nothing.
            `says`: how much the whole answer says; the more, the likelier that some of it is not
            carried.
            `number`, `name`, `contradiction`: 1 if a number or date, a name is in no chunk, or
            the sentence denies what its source affirms.
            `size`: log(1 + words of the chunks / 20).
            `apart`: how unlike it is to the most similar sentence of the chunks, on a scale on
            which it is 1 for an unrelated sentence.
        facts: Its numbers, dates and names that are in no chunk.
        unknown_words: Its content words that no chunk holds.
        best: The sentence of the chunks that supports it most, None if none shares anything.
        likeness: How like it is to sentences of the chunks, by their numbers; see
            `SentenceSupport.by_chunk`. Those left out were not read or share nothing.
    """

    sentence: Sentence
    features: dict[str, float]
    facts: Unsupported
    unknown_words: tuple[str, ...]
    best: int | None
    likeness: Mapping[int, float]

    @property
    def is_strict(self) -> bool:
        """Whether it changes a number or a date, or denies what its source says."""
        return bool(self.features["number"] or self.features["contradiction"])

    @property
    def unsupported(self) -> tuple[str, ...]:
        """What no chunk holds: numbers as written, dates, names, then other words."""
        digits = [word for word in self.unknown_words if any(map(str.isdigit, word))]
        facts = (*(digits or self.facts.numbers), *self.facts.dates, *self.facts.names)
        named = {word for fact in facts for word in fact.casefold().split()}
        rest = (word for word in self.unknown_words if word not in named)
        return tuple(dict.fromkeys((*facts, *rest)))

    @property
    def weight(self) -> float:
        """How much the sentence counts in its answer: its content words by their weight."""
        return max(self.sentence.weight, 0.05)


def gather(
    sentence: Sentence,
    answer: Answer,
    context: Context,
    facts: KnownFacts,
    vectors: SentenceVectors | None = None,
) -> Evidence:
    """Hold a sentence with at least one word against the chunks.

    Args:
        sentence: A sentence of the answer.
        answer: The answer.
        context: The chunks, with at least one sentence.
        facts: The facts of the chunks.
        vectors: What the embedder says; without it only words are compared.
    """
    otherwise = facts.numbers.written_otherwise(sentence)
    known = context.stems | otherwise if otherwise else context.stems
    shared = overlap(sentence, context, known, answer.places)
    features = {
        "unknown": shared.unknown,
        "phrases": shared.phrases,
        "order": shared.order,
        "says": answer.says,
        "size": math.log1p(context.size / _SIZE_UNIT),
    }
    best, likeness = shared.best, shared.shared
    if vectors is not None:
        features["apart"] = vectors.apart
        best = vectors.best
        likeness = dict(zip(vectors.places, vectors.likeness.tolist(), strict=True))
        if vectors.alignment is not None:
            features |= _aligned(sentence, context, vectors.alignment, shared, otherwise)
    source = None if best is None else context.sentences[best]
    missing = facts.missing(sentence, source, answer.listed)
    features["number"] = float(bool(missing.numbers or missing.dates))
    features["name"] = float(bool(missing.names))
    features["contradiction"] = float(
        source is not None and contradicts(sentence, source, context.sentences)
    )
    unknown = (
        sentence.words[place] for place in sentence.content if sentence.stems[place] not in known
    )
    return Evidence(sentence, features, missing, tuple(dict.fromkeys(unknown)), best, likeness)


def _aligned(
    sentence: Sentence,
    context: Context,
    alignment: Alignment,
    shared: Overlap,
    written_otherwise: frozenset[str],
) -> dict[str, float]:
    distance = strange = total = 0.0
    for word, stem, weight, similarity in zip(
        sentence.words, sentence.stems, sentence.weights, alignment.similarity.tolist(), strict=True
    ):
        total += weight
        if stem in written_otherwise:
            continue
        lost = weight * (1 - similarity)
        if stem in context.stems:
            distance += lost
            continue
        strange += lost
        distance += weight if any(map(str.isdigit, word)) else lost
    return {
        "distance": distance / total,
        "strange": strange / total,
        "token_order": shared.order if alignment.order is None else alignment.order,
    }
