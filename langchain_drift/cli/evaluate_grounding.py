"""Writing the figures of a grounding evaluation."""

import json
import sys
from itertools import islice
from pathlib import Path

from rich.table import Table
from rich.text import Text

from langchain_drift.cli.evaluate import named, share
from langchain_drift.cli.harmless import clean
from langchain_drift.cli.table import make_console
from langchain_drift.evaluation import (
    GroundingEvaluation,
    evaluate_grounding,
    read_labelled_answers,
)
from langchain_drift.retrieval.detector import RetrieverDriftDetector

_WIDTH = 150


def show_grounding(
    files: list[Path], detector: RetrieverDriftDetector, output: str, limit: int | None
) -> None:
    """Measure grounding on labelled files and write the figures."""
    found = {
        name: evaluate_grounding(islice(read_labelled_answers(file), limit), detector=detector)
        for name, file in named(files).items()
    }
    if output == "json":
        rows = {name: result.model_dump(mode="json") for name, result in found.items()}
        sys.stdout.write(f"{json.dumps(rows, indent=1)}\n")
    else:
        make_console(_WIDTH).print(_table(found))


def _table(found: dict[str, GroundingEvaluation]) -> Table:
    table = Table(pad_edge=False)
    for name in (
        "set", "answers", "drift", "AUROC (95 % interval)", "caught", "false", "balanced",
        "best", "at", "not scored", "ms a row",
    ):  # fmt: skip
        table.add_column(name, justify="left" if name == "set" else "right")
    for name, result in found.items():
        interval = result.auroc_interval
        span = f" ({interval[0]:.3f}–{interval[1]:.3f})" if interval else ""  # noqa: RUF001 - a range
        table.add_row(
            Text(clean(name)),
            str(result.rows),
            str(result.drift_rows),
            f"{share(result.auroc)}{span}",
            share(result.decision.tpr),
            share(result.decision.fpr),
            share(result.decision.balanced_accuracy),
            share(result.best_balanced_accuracy),
            share(result.best_threshold),
            str(sum(result.not_scored.values())),
            f"{result.ms_per_row:.1f}",
        )
    return table
