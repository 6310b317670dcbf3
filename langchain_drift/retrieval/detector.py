"""The detector: one way of judging, with its embedder, used for any number of cases."""

import asyncio
from collections.abc import Iterable
from typing import Literal, NamedTuple

from langchain_core.embeddings import Embeddings

from langchain_drift.errors import InvalidInputError
from langchain_drift.retrieval import overlap
from langchain_drift.retrieval.as_judge import as_judge
from langchain_drift.retrieval.assess import assess
from langchain_drift.retrieval.case import Case, Chunks, History
from langchain_drift.retrieval.judging import ajudged, judged
from langchain_drift.retrieval.model import shipped
from langchain_drift.retrieval.published import published
from langchain_drift.retrieval.reading import Sentence
from langchain_drift.retrieval.report import (
    UNDECIDED,
    ChunkRelevance,
    DriftSignals,
    RetrieverDriftReport,
    Status,
    check_threshold,
)
from langchain_drift.retrieval.vectors import Embedded, Embedder
from langchain_drift.retrieval.wording import NO_CONTEXT, abstained_reason, language_reason
from langchain_drift.text import Language

Tier = Literal["semantic", "lexical", "jaccard"]
"""How answers are judged without a judge."""

THRESHOLD = 0.5
"""Above this probability an answer has drifted."""

_TIERS = ("semantic", "lexical", "jaccard")


class RagCase(NamedTuple):
    """A question, its chunks and its answer, as `detect_batch` takes them."""

    intent: str | None
    context_chunks: Chunks
    answer: str | None
    history: History = None


class RetrieverDriftDetector:
    """Judges whether answers stand on their questions and chunks; safe to share.

    Args:
        method: `semantic` compares words, numbers, names and the vectors of sentences and tokens;
            `lexical` the words alone, in any script and in well under a millisecond; `jaccard`
            is the formula of the published detector. None takes `semantic` where the embedder
            reads the language and `lexical` elsewhere.
        embeddings: Any LangChain embedder for `semantic`; by default the bundled one, which
            reads English.
        judge: A chat model, a scorer or a function that judges answers instead, see `as_judge`;
            where it fails, `method` judges and the report says so in `fallback`.
        threshold: Above this score an answer has drifted; by default 0.5, and 0.65 for `jaccard`.
        min_term_len: Shortest term for `jaccard`, by default 3; refused elsewhere.

    Raises:
        InvalidInputError: If a value is out of range or does not go with the method.
    """

    def __init__(
        self,
        *,
        method: Tier | None = None,
        embeddings: Embeddings | None = None,
        judge: object = None,
        threshold: float | None = None,
        min_term_len: int | None = None,
    ) -> None:
        _check_method(method, judge, embeddings, min_term_len)
        self.method = method
        usual = overlap.THRESHOLD if method == "jaccard" else THRESHOLD
        self.threshold = usual if threshold is None else check_threshold(threshold)
        self.min_term_len = overlap.MIN_TERM_LEN if min_term_len is None else min_term_len
        self.judge = None if judge is None else as_judge(judge)
        self._embedder = None if method in ("lexical", "jaccard") else Embedder(embeddings)

    def detect(
        self,
        intent: str | None,
        context_chunks: Chunks,
        answer: str | None,
        *,
        history: History = None,
    ) -> RetrieverDriftReport:
        """Judge one answer; see `detect`."""
        return self.detect_batch([RagCase(intent, context_chunks, answer, history)])[0]

    async def adetect(
        self,
        intent: str | None,
        context_chunks: Chunks,
        answer: str | None,
        *,
        history: History = None,
    ) -> RetrieverDriftReport:
        """Judge one answer without blocking the event loop; see `detect`."""
        (report,) = await self.adetect_batch([RagCase(intent, context_chunks, answer, history)])
        return report

    def detect_batch(self, cases: Iterable[RagCase]) -> list[RetrieverDriftReport]:
        """Judge many answers; all their sentences are embedded in one call."""
        read, sentences = self._read(cases)
        embedded = self._embedder.embed(sentences) if self._embedder and sentences else None
        reports = self._reports(read, embedded)
        if self.judge is None:
            return reports
        return [judged(self.judge, *each) for each in zip(read, reports, strict=True)]

    async def adetect_batch(self, cases: Iterable[RagCase]) -> list[RetrieverDriftReport]:
        """Judge many answers without blocking the event loop; see `detect_batch`."""
        read, sentences = await asyncio.to_thread(self._read, cases)
        embedder = self._embedder
        embedded = await embedder.aembed(sentences) if embedder and sentences else None
        reports = await asyncio.to_thread(self._reports, read, embedded)
        judge = self.judge
        if judge is None:
            return reports
        pairs = zip(read, reports, strict=True)
        return list(await asyncio.gather(*(ajudged(judge, *each) for each in pairs)))

    def _read(self, cases: Iterable[RagCase]) -> tuple[list[Case], list[Sentence]]:
        """Return the cases as they are read, and the sentences of those the embedder can judge."""
        read = [Case.of(*each) for each in cases]
        found = (each.to_embed for each in read if each.context.sentences and self._reads(each))
        return read, [sentence for sentences in found for sentence in sentences]

    def _reports(
        self, cases: Iterable[Case], embedded: Embedded | None
    ) -> list[RetrieverDriftReport]:
        return [self._report(each, embedded) for each in cases]

    def _reads(self, case: Case) -> bool:
        """Tell whether the embedder reads the languages of a case, as far as they show."""
        if self._embedder is None:
            return False
        known = self._embedder.languages
        return known is None or all(
            each.code is None or each.code in known for each in case.languages
        )

    def _report(self, case: Case, embedded: Embedded | None) -> RetrieverDriftReport:
        if self.method == "jaccard":
            return published(case, self.threshold, self.min_term_len)
        if not case.context.sentences:
            return self._without_context(case)
        if self._embedder is not None and not self._reads(case):
            embedded = None
            answer, chunks = (each.code or each.script for each in case.languages)
            if self.method == "semantic" or _is_mixed(*case.languages):
                return self._unread(case, language_reason(answer, chunks))
        return assess(case, embedded, shipped(), self.threshold)

    def _without_context(self, case: Case) -> RetrieverDriftReport:
        score = UNDECIDED if case.abstains and case.answer is not None else 1.0
        report = self._undecided(case, "no_context" if score == 1 else "abstained", score)
        reason = NO_CONTEXT if score == 1 else abstained_reason(is_empty=not case.said, fits=None)
        return report.model_copy(update={"reason": reason})

    def _unread(self, case: Case, reason: str) -> RetrieverDriftReport:
        report = self._undecided(case, "unsupported_language", UNDECIDED)
        return report.model_copy(update={"reason": reason})

    def _undecided(self, case: Case, status: Status, score: float) -> RetrieverDriftReport:
        return RetrieverDriftReport(
            drift=status == "no_context" and score > self.threshold,
            drift_score=score,
            threshold=self.threshold,
            status=status,
            method="lexical" if self._embedder is None else "semantic",
            signals=DriftSignals(
                intent_to_context=None, answer_to_context=None, answer_to_intent=None
            ),
            chunks=tuple(
                ChunkRelevance(index=index, relevance=None, sentences=0)
                for index in range(len(case.chunks))
            ),
            reason="",
        )


def _is_mixed(answer: Language, chunks: Language) -> bool:
    """Tell languages whose words cannot be compared: other scripts, or English and another."""
    if answer.code is None or chunks.code is None or answer.code == chunks.code:
        return False
    return answer.script != chunks.script or "en" in (answer.code, chunks.code)


def _check_method(
    method: object, judge: object, embeddings: Embeddings | None, min_term_len: int | None
) -> None:
    if method is not None and method not in _TIERS:
        message = (
            f"method is {method!r}; choose 'semantic', 'lexical' or 'jaccard', or None for the "
            "best one that reads the language."
        )
        raise InvalidInputError(message)
    if method == "jaccard" and judge is not None:
        message = "method='jaccard' gives the published numbers and takes no judge; leave one out."
        raise InvalidInputError(message)
    if method in ("lexical", "jaccard") and embeddings is not None:
        message = f"method={method!r} embeds nothing; leave out embeddings, or the method."
        raise InvalidInputError(message)
    if min_term_len is None:
        return
    if method != "jaccard":
        message = "min_term_len acts on method='jaccard' only; leave it out."
        raise InvalidInputError(message)
    if isinstance(min_term_len, bool) or not isinstance(min_term_len, int) or min_term_len < 1:
        message = f"min_term_len is {min_term_len!r}; give a whole number of at least 1."
        raise InvalidInputError(message)
