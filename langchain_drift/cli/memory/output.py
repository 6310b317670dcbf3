"""What the memory commands write: JSON, or tables in which stored text has no power."""

import json
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.table import Table
from rich.text import Text

from langchain_drift.cli.harmless import clean
from langchain_drift.cli.table import make_console

_WIDTH = 120
_LONGEST = 200


def write_json(value: object) -> None:
    """Write a value as JSON in ASCII."""
    sys.stdout.write(f"{json.dumps(value, indent=1)}\n")


def write_lines(*lines: str) -> None:
    """Write lines of text; what steers a terminal is taken out."""
    console = make_console(_WIDTH)
    for line in lines:
        console.print(Text(clean(line)), soft_wrap=True)


def write_table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> None:
    """Write rows of texts and numbers; numbers stand on the right."""
    cells = [list(row) for row in rows]
    table = Table(title=Text(title) if title else None, title_justify="left", pad_edge=False)
    for place, column in enumerate(columns):
        numbers = bool(cells) and all(isinstance(row[place], int | float) for row in cells)
        table.add_column(column, justify="right" if numbers else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(_cell(value)) for value in row))
    make_console(_WIDTH).print(table)


def moment(at: float) -> str:
    """Return a moment in seconds since 1970 as UTC, to the minute."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")


def flat_rows(values: dict[str, Any], prefix: str = "") -> Iterable[tuple[str, object]]:
    """Yield nested values as rows of a name and a value."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from flat_rows(value, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}".replace("_", " "), value


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    text = clean(str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
