"""The published detector: its formula, its numbers and its parameters."""

from collections.abc import Sequence

from langchain_drift.retrieval import overlap
from langchain_drift.retrieval.case import Case
from langchain_drift.retrieval.report import DriftSignals, RetrieverDriftReport, Status
from langchain_drift.retrieval.wording import NO_CONTEXT, abstained_reason


def published(case: Case, threshold: float, min_term_len: int) -> RetrieverDriftReport:
    """Return the numbers of the published detector for a case.

    The score is `1 - (0.6 · J(answer, chunks) + 0.4 · J(answer, question))`, where J is the
    shared terms by all terms, to four decimals. `status` is ours: scores of blank chunks or a
    blank answer are what the formula gives, and say nothing.
    """
    intent, answer = (
        overlap.terms(text, min_term_len) for text in (case.intent, case.answer or "")
    )
    chunks = overlap.terms("\n".join(case.chunks), min_term_len)
    to_context, to_intent = overlap.jaccard(answer, chunks), overlap.jaccard(answer, intent)
    score = overlap.drift_score(to_context, to_intent)
    status, reason = _status(case, score, threshold)
    return RetrieverDriftReport(
        drift=score > threshold,
        drift_score=score,
        threshold=threshold,
        status=status,
        method="jaccard",
        signals=DriftSignals(
            intent_to_context=overlap.jaccard(intent, chunks),
            answer_to_context=to_context,
            answer_to_intent=to_intent,
        ),
        intent_terms=intent,
        context_terms=chunks,
        answer_terms=answer,
        reason=reason,
    )


def _status(case: Case, score: float, threshold: float) -> tuple[Status, str]:
    if not case.context.sentences:
        return "no_context", NO_CONTEXT
    if not case.said:
        return "abstained", abstained_reason(is_empty=True, fits=None)
    side = "above" if score > threshold else "not above"
    return "scored", f"The word overlap gives {score:.2f}, {side} {threshold:.2f}."


def detect_context_drift(
    *,
    query: str,
    context: str | Sequence[str],
    answer: str,
    threshold: float = overlap.THRESHOLD,
    min_term_len: int = overlap.MIN_TERM_LEN,
) -> RetrieverDriftReport:
    """Judge an answer by the published formula, under its published parameter names.

    Args:
        query: The question.
        context: One chunk or many.
        answer: The answer.
        threshold: Above this score the answer has drifted.
        min_term_len: Shortest term, in characters.

    Returns:
        The report of `detect(query, context, answer, method="jaccard")`.
    """
    from langchain_drift.retrieval.detection import detect  # noqa: PLC0415 - it needs us

    return detect(
        query, context, answer, threshold=threshold, min_term_len=min_term_len, method="jaccard"
    )


detectContextDrift = detect_context_drift  # noqa: N816 - published under this name, too
"""The same, under the name that the detector shares with its JavaScript sibling."""
