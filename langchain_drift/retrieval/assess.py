"""Assessing: from what was read and embedded to the report, without input or output."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from langchain_drift.retrieval.answer import Answer
from langchain_drift.retrieval.by_chunk import by_chunk
from langchain_drift.retrieval.case import Case
from langchain_drift.retrieval.evidence import Evidence, gather
from langchain_drift.retrieval.facts import KnownFacts
from langchain_drift.retrieval.fits import Fits, case_vectors
from langchain_drift.retrieval.lexical import share_known
from langchain_drift.retrieval.model import Model, Weights, pooled, probability
from langchain_drift.retrieval.rarity import is_content
from langchain_drift.retrieval.reading import Context, Sentence
from langchain_drift.retrieval.report import (
    UNDECIDED,
    ChunkRelevance,
    DriftSignals,
    Method,
    RetrieverDriftReport,
    SentenceSupport,
    Status,
)
from langchain_drift.retrieval.vectors import Embedded, SentenceVectors
from langchain_drift.retrieval.wording import abstained_reason, scored_reason

_STRICT = 0.1
"""Log-odds that an answer has at least, if a sentence of it changes a number or denies a fact."""

_LEAST_DENIED, _MOST_DENIED = 0.2, 0.8
"""A bare no is judged by the question, turned round; that is not sure either way."""


def assess(
    case: Case, embedded: Embedded | None, model: Model, threshold: float
) -> RetrieverDriftReport:
    """Judge a case whose chunks hold text.

    Args:
        case: What is judged.
        embedded: What the embedder says of the sentences of the case; without it only words are
            compared.
        model: The weights.
        threshold: What the score is held against.
    """
    return _Assessment(case, embedded, model, threshold).report()


class _Assessment:
    def __init__(
        self, case: Case, embedded: Embedded | None, model: Model, threshold: float
    ) -> None:
        self.case, self.embedded, self.model, self.threshold = case, embedded, model, threshold
        self.vectors = case_vectors(case, embedded, case.excerpt if embedded else ())
        self.fits = Fits.of(case, embedded, model)

    def report(self) -> RetrieverDriftReport:
        if self.case.answer is None:
            return self._chunks_only(self.fits.best or 0.0)
        if self.case.abstains:
            return self._abstained()
        return self._scored()

    def _chunks(self, found: Sequence[Evidence] = ()) -> tuple[ChunkRelevance, ...]:
        context = self.case.context
        carried = Counter(context.chunk_of[each.best] for each in found if each.best is not None)
        return tuple(
            ChunkRelevance(index=index, relevance=fit, sentences=carried[index])
            for index, fit in enumerate(self.fits.of_each)
        )

    def _scored(self) -> RetrieverDriftReport:
        case = self.case
        facts = KnownFacts(case.context, case.mentioned)
        answer = Answer.of(case.answer or "", case.claims, case.context)
        found = [
            gather(each, answer, case.context, facts, self._compare(each)) for each in case.claims
        ]
        odds = [self._weights(each).log_odds(each.features) for each in found]
        score = self._score(found, odds)
        sentences = tuple(map(self._support, found, odds))
        if case.denies is not None:
            sentences = self._answered(sentences, score)
        return self._build(
            "scored",
            score,
            scored_reason(score, self.threshold, sentences),
            sentences=sentences,
            chunks=self._chunks(found),
            precision=_precision(found),
            coverage=_coverage(found, case.context),
        )

    def _compare(self, sentence: Sentence) -> SentenceVectors | None:
        return None if self.vectors is None else self.vectors.compare(sentence)

    def _weights(self, found: Evidence) -> Weights:
        if "distance" in found.features:
            return self.model.semantic
        return self.model.sentences if "apart" in found.features else self.model.lexical

    def _score(self, found: Sequence[Evidence], odds: Sequence[float]) -> float:
        strict = any(each.is_strict and value > 0 for each, value in zip(found, odds, strict=True))
        whole = pooled(found, odds)
        score = probability(max(whole, _STRICT) if strict else whole)
        if not self.case.denies:
            return score
        is_answered = self.fits.best is None or self.fits.best >= UNDECIDED
        least = _LEAST_DENIED if is_answered else UNDECIDED
        return min(max(1 - score, least), _MOST_DENIED)

    def _support(self, found: Evidence, odds: float) -> SentenceSupport:
        context = self.case.context
        return SentenceSupport(
            text=found.sentence.text,
            drift_score=probability(odds),
            weight=found.weight,
            chunk=None if found.best is None else context.chunk_of[found.best],
            support=None if found.best is None else context.sentences[found.best].text,
            unsupported=found.unsupported,
            contradicted=bool(found.features["contradiction"]),
            by_chunk=by_chunk(found.likeness, context.chunk_of, len(self.case.chunks)),
        )

    def _answered(
        self, sentences: tuple[SentenceSupport, ...], score: float
    ) -> tuple[SentenceSupport, ...]:
        """Return what carries a bare yes or no, under its own words."""
        first = max(sentences, key=lambda each: each.weight)
        text = " ".join(each.text for each in self.case.said)
        return (first.model_copy(update={"text": text, "drift_score": score, "unsupported": ()}),)

    def _chunks_only(self, fits: float) -> RetrieverDriftReport:
        carried = "fit" if 1 - fits <= self.threshold else "do not fit"
        reason = f"The chunks {carried} the question ({fits:.2f})."
        return self._build("scored", 1 - fits, reason, chunks=self._chunks())

    def _abstained(self) -> RetrieverDriftReport:
        reason = abstained_reason(is_empty=not self.case.said, fits=self.fits.best)
        return self._build("abstained", UNDECIDED, reason, chunks=self._chunks())

    def _build(
        self,
        status: Status,
        score: float,
        reason: str,
        **parts: Any,  # noqa: ANN401 - fields of the report, checked by it
    ) -> RetrieverDriftReport:
        case, fits = self.case, self.fits.best
        is_answer_scored = status == "scored" and case.answer is not None
        method: Method = "lexical" if self.embedded is None else "semantic"
        return RetrieverDriftReport(
            drift=status == "scored" and score > self.threshold,
            drift_score=score,
            threshold=self.threshold,
            status=status,
            method=method,
            signals=DriftSignals(
                intent_to_context=fits,
                answer_to_context=1 - score if is_answer_scored else None,
                answer_to_intent=self._answers(),
            ),
            intent_terms=_terms(case.question),
            context_terms=frozenset(filter(is_content, case.context.words)),
            answer_terms=_terms(case.said),
            context_read=self._share_read(),
            context_answers=None if fits is None else fits >= UNDECIDED,
            reason=reason,
            **parts,
        )

    def _share_read(self) -> float:
        """Return the share of the words of the chunks that was compared."""
        if self.embedded is None:
            return 1.0
        context = self.case.context
        read = sum(len(context.sentences[place].words) for place in self.case.excerpt)
        return read / context.size if context.size else 1.0

    def _answers(self) -> float | None:
        """Return how well the answer fits the question."""
        asked, said = self.case.question, self.case.said
        if not asked or not said:
            return None
        if self.embedded is not None:
            said = [each for each in said if each in self.embedded]
            likeness = self.embedded.texts(asked) @ self.embedded.texts(said).T
            return max(0.0, min(1.0, float(likeness.max())))
        known = frozenset().union(*(each.bag for each in said))
        content = [(each.stems[i], each.weights[i]) for each in asked for i in each.content]
        if not content:
            return None
        stems, weights = zip(*content, strict=True)
        return share_known(stems, weights, known)


def _terms(sentences: Sequence[Sentence]) -> frozenset[str]:
    return frozenset(each.words[place] for each in sentences for place in each.content)


def _precision(found: Sequence[Evidence]) -> float:
    total = sum(each.weight for each in found)
    return 1 - sum(each.weight * each.features["unknown"] for each in found) / total


def _coverage(found: Sequence[Evidence], context: Context) -> float | None:
    """Return how much of what the supporting sentences say the answer says too."""
    used = {each.best for each in found if each.best is not None}
    said = frozenset().union(*(each.sentence.bag for each in found))
    content = [
        (source.stems[place], source.weights[place])
        for source in (context.sentences[number] for number in used)
        for place in source.content
    ]
    if not content:
        return None
    stems, weights = zip(*content, strict=True)
    return share_known(stems, weights, said)
