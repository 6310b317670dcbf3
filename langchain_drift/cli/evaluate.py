"""Writing the figures of an evaluation."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from rich.table import Table
from rich.text import Text

from langchain_drift.cli.harmless import clean
from langchain_drift.cli.table import make_console
from langchain_drift.evaluation import (
    DriftEvaluation,
    LabelledConversation,
    evaluate,
    read_labelled,
)
from langchain_drift.evaluation.labelled import sample

_WIDTH = 150


def show_evaluation(
    files: list[Path], output: str, *, without_filter: bool, limit: int | None
) -> None:
    """Measure conversation drift on labelled files and write the figures."""
    found = {
        name: evaluate(_conversations(file, limit), without_filter=without_filter)
        for name, file in named(files).items()
    }
    if output == "json":
        rows = {name: result.model_dump(mode="json") for name, result in found.items()}
        sys.stdout.write(f"{json.dumps(rows, indent=1)}\n")
    else:
        make_console(_WIDTH).print(_table(found))


def named(files: list[Path]) -> dict[str, Path]:
    """Return the files by their short names, or by their paths where these are the same."""
    stems = [file.stem for file in files]
    is_short = len(set(stems)) == len(set(files))
    return {stem if is_short else str(file): file for stem, file in zip(stems, files, strict=True)}


def _conversations(file: Path, limit: int | None) -> Iterable[LabelledConversation]:
    conversations = read_labelled(file)
    return conversations if limit is None else sample(conversations, limit)


def _table(found: dict[str, DriftEvaluation]) -> Table:
    table = Table(pad_edge=False)
    for name in (
        "set", "chats", "on", "off", "AUROC (95 % interval)", "caught", "false", "noticed, clean",
        "false chats", "back in 2", "ms a turn",
    ):  # fmt: skip
        table.add_column(name, justify="left" if name == "set" else "right")
    for name, result in found.items():
        interval = result.auroc_interval
        span = f" ({interval[0]:.3f}–{interval[1]:.3f})" if interval else ""  # noqa: RUF001 - a range
        table.add_row(
            Text(clean(name)),
            str(result.dialogues),
            str(result.on),
            str(result.off),
            f"{share(result.auroc)}{span}",
            share(result.alarm_without_ack.tpr),
            share(result.alarm_without_ack.fpr),
            share(result.departures.clean_within[1]),
            share(result.false_alarms.rate),
            share(result.recovery.off_after_two),
            f"{result.ms_per_turn:.1f}",
        )
    return table


def share(value: float | None) -> str:
    """Return a share as text, a dash for None."""
    return "–" if value is None else f"{value:.3f}"  # noqa: RUF001 - nothing to count
