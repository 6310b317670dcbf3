"""Figures of an evaluation, as a table or JSON, a set a row."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel
from rich.table import Table
from rich.text import Text

from langchain_drift.cli.harmless import clean
from langchain_drift.cli.table import make_console

_WIDTH = 180


def named(files: list[Path]) -> dict[str, Path]:
    """Return the files by their short names, or by their paths where these are the same."""
    stems = [file.stem for file in files]
    is_short = len(set(stems)) == len(set(files))
    return {stem if is_short else str(file): file for stem, file in zip(stems, files, strict=True)}


def write_json(found: Mapping[str, BaseModel]) -> None:
    """Write all that was found on each set."""
    rows = {name: figures.model_dump(mode="json") for name, figures in found.items()}
    sys.stdout.write(f"{json.dumps(rows, indent=1)}\n")


def write_table(rows: Mapping[str, Mapping[str, str]], caption: str | None = None) -> None:
    """Write a row of figures, by their columns, for each set."""
    columns = next(iter(rows.values()), {})
    table = Table("set", pad_edge=False, caption=caption, caption_justify="left")
    for column in columns:
        table.add_column(column, justify="right")
    for name, cells in rows.items():
        table.add_row(Text(clean(name)), *cells.values())
    make_console(_WIDTH).print(table)


def share(value: float | None, interval: Sequence[float] | None = None) -> str:
    """Return a share as text, with its interval if there is one; a dash for None."""
    text = "–" if value is None else f"{value:.3f}"  # noqa: RUF001 - nothing to count
    return f"{text} ({interval[0]:.3f}–{interval[1]:.3f})" if interval else text  # noqa: RUF001 - a range
