"""What a session memory file holds, and changes of it."""

import csv
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from langchain_drift.cli.harmless import cell, clean
from langchain_drift.cli.table import make_console
from langchain_drift.errors import FrozenContextError, InvalidInputError
from langchain_drift.sessions.memory_data import SessionMemoryData, SessionRecord
from langchain_drift.sessions.memory_edits import running, set_frozen
from langchain_drift.sessions.memory_store import SessionMemoryStore, is_ignored

_HEAD = ("session", "turn", "score", "verdict", "user", "why")
_LONGEST = 48


def show_status(path: Path, output: str) -> None:
    """Say where a conversation stands.

    Raises:
        InvalidInputError: If there is no file.
        StoreError: If it cannot be read.
    """
    data = _opened(path).load()
    write_status(_status(data), output)
    if output != "json" and _shows_in_git(path):
        console = make_console()
        console.print(
            Text(f"\n{path} holds what people said; add /{path.name}* to .gitignore.", "yellow")
        )


def show_history(path: Path, output: str, last: int) -> None:
    """Write the last exchanges, oldest first; 0 for all.

    Raises:
        InvalidInputError: If there is no file.
        StoreError: If it cannot be read.
    """
    data = _opened(path).load()
    rows = [row for session in data["sessions"] for row in _rows(session)]
    write_exchanges(rows[-last:] if last else rows, output)


def remove(path: Path) -> None:
    """Delete a session memory and what stands beside it.

    Raises:
        InvalidInputError: If there is no file.
        FrozenContextError: If the context is frozen.
        StoreError: If it cannot be read.
    """
    store = _opened(path)
    with store.locked():
        if store.load()["context_frozen"]:
            message = f"{path} is frozen; run `langchain-drift unfreeze` first."
            raise FrozenContextError(message)
        store.delete()
    sys.stdout.write(f"{path} was removed.\n")


def freeze(path: Path, *, frozen: bool) -> None:
    """Refuse or allow changes of the summaries; a program that runs takes note of it.

    Raises:
        InvalidInputError: If there is no file.
        StoreError: If it cannot be read or written.
    """
    store = _opened(path)
    with store.locked():
        data = store.load()
        if data["context_frozen"] != frozen:
            set_frozen(data, frozen=frozen)
            store.save(data)
    sys.stdout.write(f"{path} is {'frozen' if frozen else 'not frozen'}.\n")


def write_status(status: Mapping[str, Any], output: str) -> None:
    """Write where a conversation stands, as lines or as JSON."""
    if output == "json":
        sys.stdout.write(f"{json.dumps(status, indent=1)}\n")
        return
    console = make_console()
    for name, value in status.items():
        shown = "–" if value is None else clean(str(value))  # noqa: RUF001 - a dash
        console.print(Text(f"{name.replace('_', ' '):<14} {shown}"))


def write_exchanges(rows: list[dict[str, Any]], output: str) -> None:
    """Write exchanges as a table, JSON, JSONL or CSV."""
    _WRITERS[output](rows)


def _opened(path: Path) -> SessionMemoryStore:
    store = SessionMemoryStore(path)
    if not store.exists():
        message = (
            f"There is no session memory at {path}; give --file, or make one with "
            "DriftTracker(persist=True)."
        )
        raise InvalidInputError(message)
    return store


def _status(data: SessionMemoryData) -> dict[str, Any]:
    session = running(data)
    scores = [row["score"] for row in session["exchanges"] if row["score"] is not None]
    verdicts = [row["verdict"] for row in session["exchanges"] if row["verdict"]]
    return {
        "session": data["session_count"],
        "turns": session["exchanges"][-1]["exchange"] if session["exchanges"] else 0,
        "score": round(scores[-1], 2) if scores else None,
        "verdict": verdicts[-1] if verdicts else None,
        "frozen": data["context_frozen"],
        "summaries": sum(bool(each["summary"]) for each in data["sessions"]),
        "all_turns": sum(len(each["exchanges"]) for each in data["sessions"]),
        "context": data["original_context"],
    }


def _rows(session: SessionRecord) -> list[dict[str, Any]]:
    return [
        {
            "session": session["session_number"],
            "turn": each["exchange"],
            "score": each["score"],
            "verdict": each["verdict"],
            "user": each["user"],
            "assistant": each["assistant"],
            "why": each["explanation"],
        }
        for each in session["exchanges"]
    ]


def _write_table(rows: list[dict[str, Any]]) -> None:
    table = Table(*_HEAD)
    for row in rows:
        user = clean(row["user"])
        table.add_row(
            str(row["session"]),
            str(row["turn"]),
            "–" if row["score"] is None else f"{row['score']:.0f}",  # noqa: RUF001 - a dash
            Text(clean(row["verdict"] or "")),
            Text(user if len(user) <= _LONGEST else f"{user[: _LONGEST - 1]}…"),
            Text(clean(row["why"] or "")),
        )
    make_console().print(table)


def _write_json(rows: list[dict[str, Any]]) -> None:
    sys.stdout.write(f"{json.dumps(rows, indent=1)}\n")


def _write_jsonl(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        sys.stdout.write(f"{json.dumps(row)}\n")


def _write_csv(rows: list[dict[str, Any]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("session", "turn", "score", "verdict", "user", "assistant", "why"))
    for row in rows:
        texts = (cell(row[name] or "") for name in ("verdict", "user", "assistant", "why"))
        writer.writerow((row["session"], row["turn"], row["score"], *texts))


_WRITERS: dict[str, Callable[[list[dict[str, Any]]], None]] = {
    "table": _write_table,
    "json": _write_json,
    "jsonl": _write_jsonl,
    "csv": _write_csv,
}


def _shows_in_git(path: Path) -> bool:
    """Return whether a file stands in a git folder whose `.gitignore` does not name it."""
    folder = path.resolve().parent
    if not (folder / ".git").exists():
        return False
    ignored = folder / ".gitignore"
    text = ignored.read_text(encoding="utf-8", errors="replace") if ignored.is_file() else ""
    return not is_ignored(text, path.name)
