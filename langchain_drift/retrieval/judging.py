"""Judging: a report by what a judge says, and what happens where the judge fails."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from langchain_drift.retrieval.case import Case
from langchain_drift.retrieval.judge import Judge, JudgeVerdict
from langchain_drift.retrieval.report import RetrieverDriftReport

_log = logging.getLogger(__name__)


def judged(judge: Judge, case: Case, report: RetrieverDriftReport) -> RetrieverDriftReport:
    """Return a report by what a judge says; where the judge fails, the report with the failure."""
    if not _is_for_judges(report, case):
        return report
    with _noting_failure() as failures:
        verdict = judge.judge(case.intent, case.chunks, case.answer or "")
    return _fallen_back(report, failures[0]) if failures else _by(verdict, report)


async def ajudged(judge: Judge, case: Case, report: RetrieverDriftReport) -> RetrieverDriftReport:
    """Do as `judged` without blocking the event loop."""
    if not _is_for_judges(report, case):
        return report
    with _noting_failure() as failures:
        verdict = await judge.ajudge(case.intent, case.chunks, case.answer or "")
    return _fallen_back(report, failures[0]) if failures else _by(verdict, report)


@contextmanager
def _noting_failure() -> Iterator[list[Exception]]:
    """Note what a judge raises: it is somebody's model or function, so that may be anything."""
    failures: list[Exception] = []
    try:
        yield failures
    except Exception as error:
        if _is_control_flow(error):
            raise
        failures.append(error)


def _is_control_flow(error: Exception) -> bool:
    """Tell an interrupt of LangGraph, which is no failure; a room does not import langgraph."""
    return any(kind.__name__ == "GraphBubbleUp" for kind in type(error).__mro__)


def _is_for_judges(report: RetrieverDriftReport, case: Case) -> bool:
    """Judges are asked about answers that claim something on chunks that hold text."""
    return case.answer is not None and report.status in ("scored", "unsupported_language")


def _by(verdict: JudgeVerdict, report: RetrieverDriftReport) -> RetrieverDriftReport:
    score = verdict.drift_score
    side = "do not carry" if score > report.threshold else "carry"
    changes = {
        "drift": score > report.threshold,
        "drift_score": score,
        "status": "scored",
        "method": "judge",
        "signals": report.signals.model_copy(update={"answer_to_context": 1 - score}),
        "reason": verdict.reason or f"The judge says that the chunks {side} the answer.",
        "judge_unsupported": verdict.unsupported,
    }
    return report.model_copy(update=changes)


def _fallen_back(report: RetrieverDriftReport, error: Exception) -> RetrieverDriftReport:
    message = f"the judge failed with {type(error).__name__}: {error!s:.200}"
    _log.warning("Judged by the %s method, because %s", report.method, message)
    return report.model_copy(update={"fallback": message})
