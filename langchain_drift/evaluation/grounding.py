"""Grounding evaluation: how well scores tell drifted answers from grounded ones."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from langchain_drift.errors import InvalidInputError
from langchain_drift.evaluation.labelled import reason_of, shown
from langchain_drift.evaluation.metrics import Decision, auroc, bootstrap_auroc, decide
from langchain_drift.json_lines import file_lines, not_empty, read_values
from langchain_drift.retrieval.detector import RagCase, RetrieverDriftDetector
from langchain_drift.retrieval.report import RetrieverDriftReport

_BATCH = 16
"""Answers judged in one call."""


class LabelledAnswer(BaseModel):
    """An answer with its label.

    Attributes:
        id: What to call it.
        question: The question; may be empty.
        contexts: The retrieved chunks.
        answer: The answer; empty where only question and chunks are labelled.
        label: Whether it drifted: 1 or true if the chunks do not carry the answer, or do not fit
            the question where there is no answer.
        history: What was said before.
    """

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    id: str
    question: str = ""
    contexts: tuple[str, ...] = Field(validation_alias=AliasChoices("contexts", "context"))
    answer: str | None = None
    label: Literal[0, 1]
    history: tuple[str, ...] = ()

    @property
    def case(self) -> RagCase:
        """The case to judge."""
        return RagCase(self.question, self.contexts, self.answer or None, self.history)


class GroundingEvaluation(BaseModel):
    """The figures of a set of labelled answers; None where there is nothing to count.

    Attributes:
        rows: Answers.
        drift_rows: Answers labelled as drift.
        auroc: Probability that a drifted answer outranks a grounded one, ties counted half.
        auroc_interval: Its 95 % interval, resampling answers.
        decision: How good the decision at the threshold is.
        threshold: The threshold.
        best_threshold: The threshold of the best balanced accuracy on these answers.
        best_balanced_accuracy: The balanced accuracy there. It is found on the answers it is
            measured on, so it flatters small sets.
        not_scored: Answers with each status but `scored`.
        ms_per_row: Milliseconds to judge an answer.
    """

    model_config = ConfigDict(frozen=True)

    rows: int
    drift_rows: int
    auroc: float | None
    auroc_interval: tuple[float, float] | None
    decision: Decision
    threshold: float
    best_threshold: float | None
    best_balanced_accuracy: float | None
    not_scored: dict[str, int]
    ms_per_row: float


def read_labelled_answers(source: str | PathLike[str]) -> Iterator[LabelledAnswer]:
    """Read labelled answers from JSONL, one a line.

    A row is `{"question", "contexts": [...], "answer", "label"}`, with `id` and `history` where
    known; other keys are ignored.

    Args:
        source: The path of a file.

    Raises:
        InvalidInputError: If a line holds no labelled answer, which the error names, or there
            is none.
    """
    values = read_values(file_lines(Path(source)), str(source))
    rows = not_empty(values, str(source), "question, contexts, answer and label")
    for number, (where, value) in enumerate(rows, start=1):
        if not isinstance(value, Mapping):
            message = f"{where} holds {shown(value)}; write one object with contexts and label."
            raise InvalidInputError(message)
        yield _labelled({"id": str(number), **value}, where)


def evaluate_grounding(
    answers: Iterable[LabelledAnswer], *, detector: RetrieverDriftDetector | None = None
) -> GroundingEvaluation:
    """Judge labelled answers and count how well that went.

    Args:
        answers: See `read_labelled_answers`; read once. Rows without an answer are judged by how
            well the chunks fit the question.
        detector: How to judge; by default `RetrieverDriftDetector()`.

    Returns:
        The figures.
    """
    judge, rows = detector or RetrieverDriftDetector(), list(answers)
    started = time.perf_counter()
    reports = [
        report
        for start in range(0, len(rows), _BATCH)
        for report in judge.detect_batch([row.case for row in rows[start : start + _BATCH]])
    ]
    seconds = time.perf_counter() - started
    return _measured(rows, reports, judge.threshold, seconds)


def _measured(
    rows: Sequence[LabelledAnswer],
    reports: Sequence[RetrieverDriftReport],
    threshold: float,
    seconds: float,
) -> GroundingEvaluation:
    scores, truth = [each.drift_score for each in reports], [row.label == 1 for row in rows]
    best = _best_threshold(scores, truth)
    statuses = [each.status for each in reports if not each.is_scored]
    return GroundingEvaluation(
        rows=len(rows),
        drift_rows=sum(truth),
        auroc=auroc(scores, truth),
        auroc_interval=bootstrap_auroc(scores, truth, range(len(rows))),
        decision=decide([each.drift for each in reports], truth),
        threshold=threshold,
        best_threshold=best,
        best_balanced_accuracy=None if best is None else _balanced(scores, truth, best),
        not_scored={status: statuses.count(status) for status in sorted(set(statuses))},
        ms_per_row=1000 * seconds / max(1, len(rows)),
    )


def _best_threshold(scores: Sequence[float], truth: Sequence[bool]) -> float | None:
    """Return the middle between two scores at which the two kinds of answers part best."""
    values = np.unique(scores)
    if len(values) == 0 or len(set(truth)) == 1:
        return None
    middles = np.concatenate((values[:1], (values[1:] + values[:-1]) / 2))
    return float(max(middles, key=lambda value: _balanced(scores, truth, value) or 0.0))


def _balanced(scores: Sequence[float], truth: Sequence[bool], threshold: float) -> float | None:
    return decide([score > threshold for score in scores], truth).balanced_accuracy


def _labelled(row: dict[str, Any], where: str) -> LabelledAnswer:
    if isinstance(row.get("history"), list):
        row["history"] = [_said(each) for each in row["history"]]
    if isinstance(row.get("contexts", row.get("context")), str):
        row["contexts"] = [row.get("contexts", row.get("context"))]
    try:
        return LabelledAnswer.model_validate(row)
    except ValidationError as error:
        message = f"{where}{reason_of(error)}. Correct the row."
        raise InvalidInputError(message) from error


def _said(entry: object) -> object:
    """Return the text of an entry of a history."""
    if isinstance(entry, Mapping):
        return next((entry[key] for key in ("content", "text") if key in entry), entry)
    return entry
