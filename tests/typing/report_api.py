"""Uses the reports as a typed program would; this file is checked by mypy, never run."""

from datetime import datetime
from typing import assert_type

from matplotlib.axes import Axes

from langchain_drift import (
    DriftCallbackHandler,
    DriftGuard,
    DriftTracker,
    DriftVerdict,
    RetrieverDriftReport,
    TurnResult,
    plot_drift,
    plot_grounding,
    plot_mistakes,
    report_html,
)


def plot(handler: DriftCallbackHandler, results: list[TurnResult], axes: Axes) -> None:
    """Plot whatever has turns."""
    assert_type(plot_drift(handler, ax=axes), Axes)
    assert_type(plot_drift(handler.thread("a")), Axes)
    assert_type(plot_drift(results), Axes)
    assert_type(plot_drift({"a": results}), Axes)
    assert_type(DriftVerdict.SEVERE.lower_bound, float)


def plot_others(guard: DriftGuard, report: RetrieverDriftReport) -> None:
    """Plot a memory and an answer."""
    assert_type(plot_mistakes(guard, kind="success", scope="production", limit=5), Axes)
    assert_type(plot_mistakes(guard.graph(merged=True)), Axes)
    assert_type(plot_grounding(report), Axes)
    assert_type(report.sentences[0].by_chunk, tuple[float, ...])


def write(tracker: DriftTracker, guard: DriftGuard, at: datetime) -> None:
    """Write pages."""
    assert_type(tracker.recent, tuple[TurnResult, ...])
    assert_type(report_html(tracker, title="a", max_bytes=1_000_000, made_at=at), str)
    assert_type(report_html(guard), str)
