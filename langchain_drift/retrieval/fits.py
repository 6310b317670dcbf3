"""Fits: how well the chunks fit the question, all together and each."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_drift.retrieval import relevance
from langchain_drift.retrieval.case import Case
from langchain_drift.retrieval.model import Model, probability
from langchain_drift.retrieval.reading import Context
from langchain_drift.retrieval.vectors import ChunkVectors, Embedded


@dataclass(frozen=True)
class Fits:
    """How well chunks fit the question, 0 to 1; None without a question or without text.

    Attributes:
        best: The best fit of all chunks together and of each: one chunk that fits is enough,
            whatever else was retrieved.
        of_each: The fit of each chunk.
    """

    best: float | None
    of_each: tuple[float | None, ...]

    @classmethod
    def of(cls, case: Case, embedded: Embedded | None, model: Model) -> "Fits":
        """Hold the question of a case against its chunks.

        Args:
            case: The case.
            embedded: What the embedder says; without it only words are compared.
            model: The weights.
        """
        whole = _fit(case, case.context, case_vectors(case, embedded, case.excerpt), model)
        each = (whole,) if len(case.chunks) == 1 else tuple(_fit_of_each(case, embedded, model))
        return cls(max((fit for fit in (whole, *each) if fit is not None), default=None), each)


def case_vectors(
    case: Case, embedded: Embedded | None, places: Sequence[int]
) -> ChunkVectors | None:
    """Return the vectors of the sentences of the chunks at some places; None without any."""
    if embedded is None or not places:
        return None
    sentences = [case.context.sentences[place] for place in places]
    return ChunkVectors(sentences, embedded, places)


def _fit_of_each(case: Case, embedded: Embedded | None, model: Model) -> list[float | None]:
    context = case.context
    parts: list[list[int]] = [[] for _ in case.chunks]
    for place, number in enumerate(context.chunk_of):
        parts[number].append(place)
    read: list[list[int]] = [[] for _ in case.chunks]
    for place in case.excerpt if embedded else ():
        read[context.chunk_of[place]].append(place)
    return [
        _fit(case, _part(context, part), case_vectors(case, embedded, places), model)
        for part, places in zip(parts, read, strict=True)
    ]


def _part(context: Context, places: Sequence[int]) -> Context:
    return Context(
        tuple(context.sentences[place] for place in places),
        tuple(context.chunk_of[place] for place in places),
    )


def _fit(case: Case, context: Context, vectors: ChunkVectors | None, model: Model) -> float | None:
    if not case.question or not context.sentences:
        return None
    features = relevance.lexical_features(case.question, context)
    weights = model.relevance_lexical
    if vectors is not None:
        features |= relevance.semantic_features(case.question, vectors)
        has_tokens = "unmatched" in features
        weights = model.relevance_semantic if has_tokens else model.relevance_sentences
    return 1 - probability(weights.log_odds(features))
