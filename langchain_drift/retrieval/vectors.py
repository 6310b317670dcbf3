"""Vectors: what an embedder says about question, chunks and answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from langchain_core.embeddings import Embeddings

from langchain_drift.embeddings.adapter import as_embeddings
from langchain_drift.embeddings.default import default_details, default_embeddings
from langchain_drift.embeddings.details import DetailCache, TextVectors, detailed_embeddings
from langchain_drift.embeddings.vectors import aembed, embed
from langchain_drift.retrieval.alignment import Alignment, ContextVectors, Vector, align
from langchain_drift.retrieval.reading import Sentence

EVERYDAY: Final = (
    "The train to the coast leaves at half past six.",
    "My neighbour plants tomatoes behind the garage.",
    "She forgot her umbrella at the dentist.",
    "Water boils at a lower temperature on a mountain.",
    "The committee will vote on the budget next week.",
    "He is learning to play the cello.",
    "This soup needs more salt and a little lemon.",
    "The old bridge was closed for repairs.",
    "Most owls hunt at night.",
    "Please send me the signed contract.",
    "The striker scored twice in the second half.",
    "Our printer is out of toner again.",
)
"""Sentences that have nothing to do with a chunk: how like them a text is shows the embedder's
scale."""


@dataclass(frozen=True)
class SentenceVectors:
    """What an embedder says about a sentence of an answer and the chunks.

    Attributes:
        apart: How unlike it is to the most similar sentence of the chunks: 0 for the same
            sentence, 1 for one as unlike as everyday sentences are.
        best: The place of the sentence of the chunks that is most like it.
        places: The places of the sentences of the chunks that were embedded.
        likeness: How like it is to each of them, -1 to 1.
        alignment: Its words matched with words of the chunks; None without vectors of tokens.
    """

    apart: float
    best: int
    places: Sequence[int]
    likeness: Vector
    alignment: Alignment | None


class Embedded:
    """Texts as an embedder sees them; each text is known by itself.

    Args:
        texts: The texts that were embedded.
        vectors: Their vectors of length 1.
        details: Their vectors with those of their tokens, if the embedder gives them.
    """

    def __init__(
        self, texts: Sequence[str], vectors: Vector, details: Sequence[TextVectors] | None
    ) -> None:
        self._row = {text: row for row, text in enumerate(texts)}
        self._vectors = vectors
        self._details = details

    def __contains__(self, sentence: Sentence) -> bool:
        return sentence.text in self._row

    @property
    def has_tokens(self) -> bool:
        """Whether there are vectors of tokens."""
        return self._details is not None

    def texts(self, sentences: Sequence[Sentence]) -> Vector:
        """Return the vectors of sentences."""
        return self._vectors[[self._row[each.text] for each in sentences]]

    def details(self, sentences: Sequence[Sentence]) -> list[TextVectors]:
        """Return the details of sentences; only if `has_tokens`."""
        found = self._details or ()
        return [found[self._row[each.text]] for each in sentences]

    @cached_property
    def everyday(self) -> Vector:
        """The vectors of `EVERYDAY`."""
        return self._vectors[[self._row[text] for text in EVERYDAY]]


class ChunkVectors:
    """The chunks as an embedder sees them.

    Args:
        sentences: The sentences of the chunks that were embedded.
        embedded: Their vectors, among others.
        places: Where each stands among all sentences of the chunks; by default they are all.
    """

    def __init__(
        self,
        sentences: Sequence[Sentence],
        embedded: Embedded,
        places: Sequence[int] | None = None,
    ) -> None:
        self.embedded = embedded
        self.places = range(len(sentences)) if places is None else places
        self.texts = embedded.texts(sentences)
        self.tokens = (
            ContextVectors.of(embedded.details(sentences)) if embedded.has_tokens else None
        )

    def compare(self, sentence: Sentence) -> SentenceVectors | None:
        """Hold a sentence of an answer against the chunks; None if it was not embedded."""
        if sentence not in self.embedded:
            return None
        (vector,) = self.embedded.texts([sentence])
        likeness = self.texts @ vector
        usual = float((self.embedded.everyday @ vector).mean())
        apart = (1 - float(likeness.max())) / max(1 - usual, 1e-6)
        alignment = self._align(sentence)
        likeness = likeness if alignment is None else alignment.by_sentence
        best = self.places[int(likeness.argmax())]
        return SentenceVectors(apart, best, self.places, likeness, alignment)

    def _align(self, sentence: Sentence) -> Alignment | None:
        if self.tokens is None or not len(self.tokens.tokens):
            return None
        (details,) = self.embedded.details([sentence])
        return align(sentence, details, self.tokens) if len(details.tokens) else None


class Embedder:
    """Embeds sentences, with their tokens where the embedder can; safe to share.

    Args:
        embeddings: Anything that `as_embeddings` takes; by default the bundled embedder. Its
            vectors of tokens are remembered; wrap other embedders in `CachedEmbeddings` if
            chunks come back.

    Raises:
        InvalidInputError: If it cannot embed.
    """

    def __init__(self, embeddings: Embeddings | None = None) -> None:
        self.embeddings = default_embeddings() if embeddings is None else as_embeddings(embeddings)
        details = detailed_embeddings(self.embeddings)
        self._details = None
        if embeddings is None:
            self._details = default_details()
        elif details is not None:
            self._details = DetailCache(details)

    @property
    def languages(self) -> frozenset[str] | None:
        """ISO 639-1 codes of the languages it can judge, None if it does not say."""
        return getattr(self.embeddings, "languages", None)

    def embed(self, sentences: Sequence[Sentence]) -> Embedded:
        """Embed sentences in one call."""
        texts = _texts(sentences)
        if self._details is None:
            return Embedded(texts, embed(self.embeddings, texts), None)
        return _detailed(texts, self._details.embed_details(texts))

    async def aembed(self, sentences: Sequence[Sentence]) -> Embedded:
        """Embed sentences in one call without blocking the event loop."""
        texts = _texts(sentences)
        if self._details is None:
            return Embedded(texts, await aembed(self.embeddings, texts), None)
        return _detailed(texts, await self._details.aembed_details(texts))


def _texts(sentences: Sequence[Sentence]) -> list[str]:
    return list(dict.fromkeys([*EVERYDAY, *(each.text for each in sentences)]))


def _detailed(texts: list[str], details: list[TextVectors]) -> Embedded:
    return Embedded(texts, np.stack([each.text for each in details]), details)
