"""Memory evaluation: which steps that failed a memory foresaw, and how often it cried wolf."""

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple, TypeVar

from langchain_core.embeddings import Embeddings
from pydantic import BaseModel, ConfigDict

from langchain_drift.evaluation.metrics import Decision, decide, share, share_interval
from langchain_drift.evaluation.plain_memories import SameText, WordOverlap
from langchain_drift.evaluation.steps import LabelledStep
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.settings import DriftGuardSettings
from langchain_drift.mistakes.stores.memory import MemoryStore

T = TypeVar("T")


class Caught(BaseModel):
    """How many repeats of a kind were warned of.

    Attributes:
        n: How many there are.
        share: The share of them that was warned of.
    """

    model_config = ConfigDict(frozen=True)

    n: int
    share: float | None


class MemoryEvaluation(BaseModel):
    """The figures of a file of labelled steps; None where there is nothing to count.

    In each `Decision`, `tpr` is the share of repeated failures that were warned of, and `fpr` the
    share of good steps that were.

    Attributes:
        steps: All steps.
        failures: Those that failed.
        warnings: How good the warnings are.
        caught_interval: The 95 % interval of its `tpr`, as if the steps were independent.
        false_interval: The 95 % interval of its `fpr`, likewise.
        by_repeat: The repeats by their kind.
        blocks: How good the warnings are that may block at `guard_min_confidence`.
        same_text: How good a memory of failed texts would be.
        word_overlap: How good it would be if it warned at 60 % of the words in common.
        ms_per_review: Milliseconds of a review; the median.
        ms_per_record: Milliseconds to record a step; the median.
    """

    model_config = ConfigDict(frozen=True)

    steps: int
    failures: int
    warnings: Decision
    caught_interval: tuple[float, float] | None
    false_interval: tuple[float, float] | None
    by_repeat: dict[str, Caught]
    blocks: Decision
    same_text: Decision
    word_overlap: Decision
    ms_per_review: float | None
    ms_per_record: float | None


class _Asked(NamedTuple):
    """A step with a known answer, and what was said of it."""

    step: LabelledStep
    warned: bool
    blocked: bool
    same_text: bool
    word_overlap: bool


def evaluate_memory(
    steps: Iterable[LabelledStep],
    *,
    settings: DriftGuardSettings | None = None,
    embeddings: Embeddings | None = None,
) -> MemoryEvaluation:
    """Replay steps against an empty memory, and count what it foresees.

    Before each step with a known answer the memory is asked; what came of a run is told to it
    when the run is over, so that it never knows a step beforehand.

    Args:
        steps: In the order they happened, the steps of a run together.
        settings: By default from `DRIFTGUARD_*` in the environment; the store is always a new one
            in memory.
        embeddings: Embedder for prose; by default what the settings say.
    """
    return _Replay(DriftGuard(settings=settings, store=MemoryStore(), embeddings=embeddings)).run(
        steps
    )


class _Replay:
    """Holds the memories that are filled on the way."""

    def __init__(self, guard: DriftGuard) -> None:
        self._guard = guard
        self._same_text, self._word_overlap = SameText(), WordOverlap()
        self._asked: list[_Asked] = []
        self._review_times: list[float] = []
        self._record_times: list[float] = []

    def run(self, steps: Iterable[LabelledStep]) -> MemoryEvaluation:
        """Replay all steps and return the figures."""
        n_steps = n_failures = 0
        for _, run in groupby(steps, key=lambda step: step.trace):
            done = list(run)
            self._asked += [self._ask(step) for step in done if step.should_warn is not None]
            for step in done:
                self._tell(step)
            n_steps += len(done)
            n_failures += sum(step.failed for step in done)
        return self._measure(n_steps, n_failures)

    def _ask(self, step: LabelledStep) -> _Asked:
        review, taken = _timed(lambda: self._guard.review(step.action, scope=step.env))
        self._review_times.append(taken)
        return _Asked(
            step,
            warned=bool(review.warnings),
            blocked=bool(review.blocking(self._guard.settings.guard_min_confidence)),
            same_text=self._same_text.warns(step.env, step.action),
            word_overlap=self._word_overlap.warns(step.env, step.action),
        )

    def _tell(self, step: LabelledStep) -> None:
        tell = self._guard.record if step.failed else self._guard.record_success
        _, taken = _timed(lambda: tell(*step.told, scope=step.env))
        self._record_times.append(taken)
        if step.failed:
            self._same_text.record(step.env, step.action)
            self._word_overlap.record(step.env, step.action)

    def _measure(self, n_steps: int, n_failures: int) -> MemoryEvaluation:
        truth = [asked.step.should_warn == 1 for asked in self._asked]
        warned = decide([asked.warned for asked in self._asked], truth)
        return MemoryEvaluation(
            steps=n_steps,
            failures=n_failures,
            warnings=warned,
            caught_interval=share_interval(warned.tpr, warned.n_pos),
            false_interval=share_interval(warned.fpr, warned.n_neg),
            by_repeat=_by_repeat(self._asked),
            blocks=decide([asked.blocked for asked in self._asked], truth),
            same_text=decide([asked.same_text for asked in self._asked], truth),
            word_overlap=decide([asked.word_overlap for asked in self._asked], truth),
            ms_per_review=_median(self._review_times),
            ms_per_record=_median(self._record_times),
        )


def _by_repeat(asked: Iterable[_Asked]) -> dict[str, Caught]:
    kinds: dict[str, list[bool]] = defaultdict(list)
    for each in asked:
        if each.step.should_warn == 1:
            kinds[each.step.repeat or "unnamed"].append(each.warned)
    return {
        kind: Caught(n=len(found), share=share(sum(found), len(found)))
        for kind, found in sorted(kinds.items())
    }


def _timed(act: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    result = act()
    return result, 1000 * (time.perf_counter() - start)


def _median(times: Sequence[float]) -> float | None:
    return statistics.median(times) if times else None
