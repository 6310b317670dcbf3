"""Writing the figures of a memory evaluation."""

import json
import sys
from itertools import islice
from pathlib import Path

from rich.table import Table
from rich.text import Text

from langchain_drift.cli.evaluate import named, share
from langchain_drift.cli.harmless import clean
from langchain_drift.cli.table import make_console
from langchain_drift.evaluation import MemoryEvaluation, evaluate_memory, read_labelled_steps
from langchain_drift.evaluation.metrics import Decision
from langchain_drift.mistakes.settings import load_settings

_WIDTH = 180


def show_memory_figures(files: list[Path], output: str, limit: int | None) -> None:
    """Replay labelled steps and write the figures."""
    settings = load_settings()
    found = {
        name: evaluate_memory(islice(read_labelled_steps(file), limit), settings=settings)
        for name, file in named(files).items()
    }
    if output == "json":
        rows = {name: result.model_dump(mode="json") for name, result in found.items()}
        sys.stdout.write(f"{json.dumps(rows, indent=1)}\n")
    else:
        make_console(_WIDTH).print(_table(found))


def _table(found: dict[str, MemoryEvaluation]) -> Table:
    table = Table(pad_edge=False)
    for name in (
        "set", "steps", "repeats", "caught (95 % interval)", "good", "false (95 % interval)",
        "precision", "blocked", "same text", "word overlap", "ms",
    ):  # fmt: skip
        table.add_column(name, justify="left" if name == "set" else "right")
    for name, result in found.items():
        table.add_row(
            Text(clean(name)),
            str(result.steps),
            str(result.warnings.n_pos),
            _with_interval(result.warnings.tpr, result.caught_interval),
            str(result.warnings.n_neg),
            _with_interval(result.warnings.fpr, result.false_interval),
            share(result.warnings.precision),
            _pair(result.blocks),
            _pair(result.same_text),
            _pair(result.word_overlap),
            share(result.ms_per_review),
        )
    table.caption = "blocked, same text, word overlap: share of repeats caught / of good steps"
    table.caption_justify = "left"
    return table


def _with_interval(value: float | None, interval: tuple[float, float] | None) -> str:
    span = f" ({interval[0]:.3f}–{interval[1]:.3f})" if interval else ""  # noqa: RUF001 - a range
    return f"{share(value)}{span}"


def _pair(decision: Decision) -> str:
    return f"{share(decision.tpr)} / {share(decision.fpr)}"
