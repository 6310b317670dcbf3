"""Assertions for tests of RAG applications."""

from langchain_drift.retrieval.case import Chunks, History
from langchain_drift.retrieval.detection import detect
from langchain_drift.retrieval.detector import Tier
from langchain_drift.retrieval.report import RetrieverDriftReport


def assert_no_retriever_drift(  # noqa: PLR0913 - options with defaults, by keyword
    intent: str | None,
    context_chunks: Chunks,
    answer: str,
    *,
    threshold: float | None = None,
    method: Tier | None = None,
    history: History = None,
    allow_abstention: bool = False,
) -> RetrieverDriftReport:
    """Assert in a test that an answer stands on its question and chunks.

    Args:
        intent: See `detect`.
        context_chunks: See `detect`.
        answer: See `detect`.
        threshold: See `detect`.
        method: See `detect`.
        history: See `detect`.
        allow_abstention: Whether an answer that says that it has none is all right.

    Returns:
        The report.

    Raises:
        AssertionError: If it drifted, or nothing could be decided; the message says why.
    """
    report = detect(
        intent, context_chunks, answer, threshold=threshold, method=method, history=history
    )
    is_fine = report.is_scored or (allow_abstention and report.status == "abstained")
    if report.drift or not is_fine:
        raise AssertionError(_failure(report))
    return report


def _failure(report: RetrieverDriftReport) -> str:
    lines = [f"{report.status}, drift {report.drift_score:.2f}: {report.reason}"]
    lines += [
        f"  {each.drift_score:.2f} {each.text!r} (nearest: {each.support!r})"
        for each in report.sentences
        if each.drift_score > report.threshold
    ]
    return "\n".join(lines)
