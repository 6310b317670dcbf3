"""Writing a report of a file as one HTML page."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict
from uuid import uuid4

from langchain_drift.cli.harmless import clean
from langchain_drift.cli.memory.opening import kind_of, open_guard
from langchain_drift.cli.score import opened, read_purpose, scored_transcripts
from langchain_drift.errors import InvalidInputError
from langchain_drift.reports.conversation import Conversation
from langchain_drift.reports.page import conversations_page, report_html

_STDIO = Path("-")
_MEGABYTE = 1_000_000


class _How(TypedDict):
    title: str | None
    max_bytes: int
    made_at: datetime


def write_report(  # noqa: PLR0913 - the options of the command
    file: Path,
    output: Path,
    purpose: str | None,
    purpose_file: Path | None,
    *,
    title: str | None,
    max_mb: float,
) -> None:
    """Write a report of a transcript or of a mistake memory.

    Raises:
        InvalidInputError: If the file or an option cannot be used, or there is nothing to show.
        StoreError: If the file is a memory that cannot be read.
    """
    read = {path.resolve() for path in (file, purpose_file) if path is not None}
    if output != _STDIO and output.resolve() in read:
        message = f"{output} is what is read; name another file with --output."
        raise InvalidInputError(message)
    how: _How = {
        "title": title or (None if file == _STDIO else file.name),
        "max_bytes": int(max_mb * _MEGABYTE),
        "made_at": datetime.now(UTC),
    }
    _write(_page(file, read_purpose(purpose, purpose_file), how), output)


def _page(file: Path, purpose: str | None, how: _How) -> str:
    """Return the page of a file, whatever it is; other kinds of files come in here."""
    kind = "text" if file == _STDIO else kind_of(file)
    if kind == "memory":
        return _memory_page(file, purpose, how)
    if kind == "database":
        message = f"{file} is an SQLite database, but no mistake memory; give a transcript or one."
        raise InvalidInputError(message)
    found = list(_conversations(file, purpose))
    if not found:
        message = f"{opened(file)[1]} holds no turn; give at least one message of a user."
        raise InvalidInputError(message)
    return conversations_page(found, **how)


def _memory_page(file: Path, purpose: str | None, how: _How) -> str:
    if purpose is not None:
        message = f"{file} is a mistake memory, which has no purpose; leave --purpose out."
        raise InvalidInputError(message)
    with open_guard(file) as guard:
        return report_html(guard, **how)


def _conversations(file: Path, purpose: str | None) -> Iterator[Conversation]:
    """Yield the scored conversations of a transcript."""
    for transcript, results in scored_transcripts(file, purpose):
        if results:
            about = transcript.purpose if purpose is None else purpose
            yield Conversation(transcript.id, tuple(results), about)


def _write(page: str, output: Path) -> None:
    """Write a page whole or not at all, and say where."""
    if output == _STDIO:
        # The page says that it is UTF-8, whatever the terminal is.
        sys.stdout.buffer.write(page.encode())
        return
    draft = output.with_name(f".{output.name}.{uuid4().hex[:8]}")
    try:
        draft.write_text(page, encoding="utf-8")
        draft.replace(output)
    except OSError as error:
        draft.unlink(missing_ok=True)
        message = f"{output} cannot be written: {error.strerror or error}; name another --output."
        raise InvalidInputError(message) from error
    sys.stdout.write(f"Wrote {clean(str(output))} ({len(page.encode()) / _MEGABYTE:.2f} MB).\n")
