"""What people and models said, shown as it was said and nothing more.

Texts come from anybody. Before one is shown it is cut short, and characters that steer a terminal
or turn the direction of writing are replaced; in HTML it is escaped.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

STEERING: Final = r"\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
"""Characters, for a set in a pattern, that steer a display beside those below U+0020."""

_STEERING: Final = re.compile(rf"[\x00-\x08\x0b-\x1f{STEERING}]")
_CELL: Final = 300


def shortened(text: str, longest: int) -> str:
    """Return the beginning of a text, with an ellipsis if something was left out.

    Args:
        text: The text.
        longest: Characters it may have, the ellipsis included; at least 1.
    """
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def in_lines(text: str, longest: int) -> str:
    """Return the beginning of a text with its lines, without characters that steer a display."""
    start = text[: 4 * longest].replace("\r\n", "\n").replace("\r", "\n")
    return shortened(_STEERING.sub(" ", start).strip(), longest)


def on_a_line(text: str, longest: int = _CELL) -> str:
    """Return the beginning of a text on one line, without characters that steer a display."""
    return shortened(" ".join(in_lines(text, 4 * longest).split()), longest)


def html_table(
    title: str,
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    note: str = "",
) -> str:
    """Return a table as HTML for a notebook; every text in it is escaped.

    Args:
        title: What it is a table of.
        head: The names of the columns; empty for rows that begin with their own name.
        rows: The cells, line by line; each is shown on one line and cut at 300 characters.
        note: What is said below the title.
    """
    names = "".join(f'<th scope="col">{_cell(name)}</th>' for name in head)
    body = "".join(f"<tr>{_row(row, is_named=not head)}</tr>" for row in rows)
    top = f"<thead><tr>{names}</tr></thead>" if head else ""
    table = f"<table>{top}<tbody>{body}</tbody></table>" if body else ""
    said = f"<div>{_cell(note)}</div>" if note else ""
    return f"<div><strong>{_cell(title)}</strong>{said}{table}</div>"


def _row(row: Sequence[object], *, is_named: bool) -> str:
    cells = [f"<td>{_cell(value)}</td>" for value in row]
    if is_named and row:
        cells[0] = f'<th scope="row">{_cell(row[0])}</th>'
    return "".join(cells)


def _cell(value: object) -> str:
    return escape(on_a_line(f"{value:.2f}" if isinstance(value, float) else str(value)))
