"""What a guard has done so far, counted."""

import threading
from typing import Final, TypedDict

COUNTERS: Final = (
    "reviews_total",
    "reviews_skipped_total",
    "reviews_failed_total",
    "reviews_blocked_total",
    "reviews_ack_required_total",
    "review_warnings_total",
    "review_confidence_samples_total",
    "records_total",
    "duplicates_total",
    "transients_total",
    "nodes_created_total",
    "nodes_merged_total",
    "edges_created_total",
    "edges_reused_total",
    "prune_runs_total",
    "prune_nodes_removed_total",
    "prune_edges_removed_total",
)
"""Names of the counters. A node or edge is merged or reused if the scope already had the same one
but for spelling. A review failed if the memory could not be asked, whatever came of the step."""

GAUGES: Final = (
    "last_review_confidence",
    "review_confidence_average",
    "review_confidence_total",
    "merge_ratio",
)
"""Names of the gauges. `merge_ratio` is nodes merged over nodes created. The average is over the
reviews that had warnings."""


class MetricsSnapshot(TypedDict):
    """The counters and gauges at one moment; every name is present."""

    counters: dict[str, int]
    gauges: dict[str, float]


class DriftGuardMetrics:
    """Counts what a guard does; safe to share between threads."""

    def __init__(self) -> None:
        self._counters = dict.fromkeys(COUNTERS, 0)
        self._total = self._last = 0.0
        self._lock = threading.Lock()

    def count(self, **amounts: int) -> None:
        """Add to counters by name, without the ending `_total`."""
        with self._lock:
            for name, amount in amounts.items():
                self._counters[f"{name}_total"] += amount

    def record_review(self, warnings: int, confidence: float) -> None:
        """Count a review, once whatever the policy makes of it."""
        self.count(reviews=1, review_warnings=warnings)
        with self._lock:
            self._last = confidence
            if warnings:
                self._counters["review_confidence_samples_total"] += 1
                self._total += confidence

    def snapshot(self) -> MetricsSnapshot:
        """Return all counters and gauges."""
        with self._lock:
            counters = dict(self._counters)
            total, last = self._total, self._last
        samples = counters["review_confidence_samples_total"]
        created = counters["nodes_created_total"]
        gauges = {
            "last_review_confidence": last,
            "review_confidence_average": total / samples if samples else 0.0,
            "review_confidence_total": total,
            "merge_ratio": counters["nodes_merged_total"] / created if created else 0.0,
        }
        return {"counters": counters, "gauges": gauges}
