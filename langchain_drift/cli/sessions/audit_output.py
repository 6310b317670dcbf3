"""How an audit is written: threads worst first, then the turns to look at."""

import csv
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from langchain_drift.checkpoints.audit import Audit, ThreadDrift
from langchain_drift.cli.harmless import cell, clean
from langchain_drift.cli.table import COLOURS, make_console

_LOOKED_AT = 10
_LONGEST = 60
_FIELDS = ("thread", "at", "turns", "off", "lowest", "final", "verdict", "departures", "returns")
_NUMBERS = {"turns", "off", "lowest", "now"}


def write_audit(found: Audit, output: str, limit: int) -> None:
    """Write an audit as a table, JSON, JSONL or CSV; a limit of 0 is none."""
    _WRITERS[output](found, limit)


def _write_table(found: Audit, limit: int) -> None:
    console = make_console()
    table = Table(pad_edge=False)
    for name in ("thread", "last written", "turns", "off", "lowest", "now", "verdict"):
        table.add_column(name, justify="right" if name in _NUMBERS else "left")
    table.add_column("left and came back")
    shown = found.threads[:limit] if limit else found.threads
    for each in shown:
        table.add_row(*_cells(each))
    console.print(table)
    rest = len(found.threads) - len(shown)
    if rest:
        console.print(Text(f"… and {rest} more; --limit 0 shows all."))
    for reason, count in found.left_out.items():
        console.print(Text(f"{count} left out: {reason}."))
    _write_turns_to_look_at(console, found.threads)


def _cells(each: ThreadDrift) -> list[Text]:
    at = f"{each.at.astimezone():%Y-%m-%d %H:%M}" if each.at else "–"  # noqa: RUF001 - a dash
    left = ", ".join(map(str, each.departures[:5]))
    back = ", ".join(map(str, each.returns[:5]))
    path = f"{left} ▼ {back} ▲" if back else f"{left} ▼" if left else ""
    return [
        Text(_short(each.thread_id, 40)),
        Text(at),
        Text(str(each.turns)),
        Text(str(each.off)),
        Text(f"{each.lowest:.0f}"),
        Text(f"{each.final:.0f}"),
        Text(each.verdict.value, style=COLOURS[each.verdict]),
        Text(path),
    ]


def _write_turns_to_look_at(console: Console, threads: Sequence[ThreadDrift]) -> None:
    turns = [(each, turn) for each in threads for turn in each.look_at]
    if not turns:
        console.print(Text("\nNo thread left its purpose."))
        return
    console.print(Text("\nTurns to look at:"))
    for each, turn in turns[:_LOOKED_AT]:
        console.print(
            Text(f"  {_short(each.thread_id, 40)}, turn {turn.turn} ({turn.score:.0f}): ")
            + Text(f"“{_short(turn.user)}” → “{_short(turn.assistant)}”", style="bold")
        )
        console.print(Text(f"    {clean(turn.why)}"))
    worst = clean(turns[0][0].thread_id)
    console.print(Text(f"\n--thread {worst} shows that thread turn by turn."))


def _short(text: str, longest: int = _LONGEST) -> str:
    text = clean(text)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _row(each: ThreadDrift) -> dict[str, Any]:
    return {
        "thread": each.thread_id,
        "at": each.at.isoformat() if each.at else None,
        "turns": each.turns,
        "off": each.off,
        "lowest": round(each.lowest, 2),
        "final": round(each.final, 2),
        "verdict": each.verdict.value,
        "departures": each.departures,
        "returns": each.returns,
        "recorded": each.is_recorded,
        "look_at": [asdict(turn) for turn in each.look_at],
    }


def _write_json(found: Audit, limit: int) -> None:
    threads = found.threads[:limit] if limit else found.threads
    report = {"threads": [_row(each) for each in threads], "left_out": dict(found.left_out)}
    sys.stdout.write(f"{json.dumps(report, indent=1)}\n")


def _write_jsonl(found: Audit, limit: int) -> None:
    for each in found.threads[:limit] if limit else found.threads:
        sys.stdout.write(f"{json.dumps(_row(each))}\n")


def _write_csv(found: Audit, limit: int) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(_FIELDS)
    for each in found.threads[:limit] if limit else found.threads:
        row = _row(each)
        row |= {name: " ".join(map(str, row[name])) for name in ("departures", "returns")}
        writer.writerow([cell(str(row["thread"])), *(row[name] for name in _FIELDS[1:])])


_WRITERS: dict[str, Callable[[Audit, int], None]] = {
    "table": _write_table,
    "json": _write_json,
    "jsonl": _write_jsonl,
    "csv": _write_csv,
}
