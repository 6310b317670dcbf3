"""How a conversation shows itself: a small table with a sparkline, as text and as HTML.

What people and models said is shown as `shown.py` shows it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Self

from rich.cells import cell_len, set_cell_size

from langchain_drift.conversation.result import TurnResult
from langchain_drift.shown import on_a_line

_BARS = "▁▂▃▄▅▆▇█"
_NO_SCORE = "·"
_SHOWN_ROWS = 10
_SHOWN_SCORES = 40
_SHOWN_TEXT = 48
_HEAD = ("turn", "score", "verdict", "user", "why")


def sparkline(scores: Sequence[float | None]) -> str:
    """Return a bar for each score from 0 to 100, and a dot for none."""
    return "".join(_NO_SCORE if score is None else _bar(score) for score in scores)


@dataclass(frozen=True)
class Table:
    """The last turns of a conversation, or of several.

    Attributes:
        title: What it is a table of.
        line: The sparkline.
        head: The names of the columns.
        rows: The cells, line by line.
        left_out: How many earlier turns are not shown.
    """

    title: str
    line: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int

    @classmethod
    def of(
        cls,
        title: str,
        results: Sequence[TurnResult],
        *,
        threads: Sequence[str] = (),
        total: int | None = None,
    ) -> Self:
        """Make the table of some results.

        Args:
            title: What it is a table of.
            results: The results, oldest first.
            threads: The conversation of each, if there are several.
            total: How many there were in all; by default those given.
        """
        total = len(results) if total is None else total
        scores = [result.drift.score if result.drift else None for result in results]
        shown = results[-_SHOWN_ROWS:]
        rows = [_cells(result) for result in shown]
        if threads:
            names = threads[-_SHOWN_ROWS:]
            rows = [(_clean(name), *row) for name, row in zip(names, rows, strict=True)]
        return cls(
            title=f"{_clean(title)}: {total} turn{'' if total == 1 else 's'}",
            line=sparkline(scores[-_SHOWN_SCORES:]),
            head=("thread", *_HEAD) if threads else _HEAD,
            rows=tuple(rows),
            left_out=total - len(shown),
        )

    @classmethod
    def of_conversations(
        cls, title: str, results: Sequence[TurnResult], threads: Sequence[str], *, dropped: int
    ) -> Self:
        """Make the table of results that may belong to several conversations.

        Args:
            title: What it is a table of.
            results: The results, oldest first.
            threads: The conversation of each, shown if there are several.
            dropped: How many results were let go before.
        """
        several = threads if len(set(threads)) > 1 else ()
        return cls.of(title, results, threads=several, total=len(results) + dropped)

    def to_text(self) -> str:
        """Return the table as plain text."""
        lines = [f"{self.title}  {self.line}".rstrip()]
        if self.left_out:
            lines.append(f"… {self.left_out} earlier")
        if self.rows:
            columns = zip(self.head, *self.rows, strict=True)
            widths = [max(map(cell_len, column)) for column in columns]
            lines += [_line(row, widths) for row in (self.head, *self.rows)]
        return "\n".join(lines)

    def to_html(self) -> str:
        """Return the table as HTML."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.head)
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows
        )
        earlier = f"<div>… {self.left_out} earlier</div>" if self.left_out else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return (
            f"<div><strong>{escape(self.title)}</strong> <code>{escape(self.line)}</code>"
            f"{earlier}{table if self.rows else ''}</div>"
        )


def _bar(score: float) -> str:
    return _BARS[min(int(score / 100 * len(_BARS)), len(_BARS) - 1)]


def _cells(result: TurnResult) -> tuple[str, ...]:
    drift = result.drift
    number, score, verdict = "", "", ""
    if drift:
        number, score, verdict = str(drift.turn_number), f"{drift.score:.0f}", drift.verdict.value
    return number, score, verdict, _clean(result.user_message), _clean(result.explanation or "")


def _clean(text: str) -> str:
    return on_a_line(text, _SHOWN_TEXT)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [set_cell_size(cell, width) for cell, width in zip(cells, widths, strict=True)]
    return "  ".join(padded).rstrip()
