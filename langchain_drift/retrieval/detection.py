"""Detection in one call: the detector for those who judge an answer now and then."""

from langchain_drift.retrieval.case import Chunks, History
from langchain_drift.retrieval.detector import RetrieverDriftDetector, Tier
from langchain_drift.retrieval.report import RetrieverDriftReport


def detect(  # noqa: PLR0913 - options with defaults, by keyword
    intent: str | None,
    context_chunks: Chunks,
    answer: str | None,
    *,
    threshold: float | None = None,
    min_term_len: int | None = None,
    method: Tier | None = None,
    history: History = None,
) -> RetrieverDriftReport:
    """Judge whether an answer stands on its question and on the retrieved chunks.

    Args:
        intent: The question; empty or None judges the answer by the chunks alone.
        context_chunks: One chunk or many, as texts or LangChain documents; blank ones count as
            none.
        answer: The answer; None judges only how well the chunks fit the question.
        threshold: Above this score the answer has drifted; by default 0.5, and 0.65 for
            `jaccard`.
        min_term_len: Shortest term for `jaccard`, by default 3; refused elsewhere.
        method: How to judge, see `RetrieverDriftDetector`.
        history: What was said before, as texts or as messages: names in it are not invented,
            and a question too short to stand alone follows the last of it.

    Returns:
        The report.

    Raises:
        InvalidInputError: If an argument cannot be used.

    Example:
        ```python
        report = detect("What is the limit?", ["The limit is 500 euros."], "It is 5000 euros.")
        report.drift, report.unsupported
        ```
    """
    detector = RetrieverDriftDetector(method=method, threshold=threshold, min_term_len=min_term_len)
    return detector.detect(intent, context_chunks, answer, history=history)


async def adetect(  # noqa: PLR0913 - options with defaults, by keyword
    intent: str | None,
    context_chunks: Chunks,
    answer: str | None,
    *,
    threshold: float | None = None,
    min_term_len: int | None = None,
    method: Tier | None = None,
    history: History = None,
) -> RetrieverDriftReport:
    """Judge an answer without blocking the event loop; see `detect`."""
    detector = RetrieverDriftDetector(method=method, threshold=threshold, min_term_len=min_term_len)
    return await detector.adetect(intent, context_chunks, answer, history=history)
