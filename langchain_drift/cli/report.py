"""Writing a report of a file as one HTML page."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict
from uuid import uuid4

from langchain_drift.checkpoints.database import is_postgres
from langchain_drift.cli.harmless import clean
from langchain_drift.cli.memory.opening import kind_of, open_guard
from langchain_drift.cli.score import opened, read_purpose, scored_transcripts
from langchain_drift.cli.sessions.conversations import Wanted, read_conversations
from langchain_drift.cli.standard_input import STDIO
from langchain_drift.errors import InvalidInputError
from langchain_drift.reports.conversation import Conversation
from langchain_drift.reports.page import conversations_page, report_html

_MEGABYTE = 1_000_000


_ALL = Wanted()


class _How(TypedDict):
    title: str | None
    max_bytes: int
    made_at: datetime


def write_report(  # noqa: PLR0913 - the options of the command
    place: str,
    output: Path,
    purpose: str | None,
    purpose_file: Path | None,
    wanted: Wanted = _ALL,
    *,
    title: str | None,
    max_mb: float,
) -> None:
    """Write a report of a transcript, of a checkpoint database or of a mistake memory.

    Raises:
        InvalidInputError: If the file or an option cannot be used, or there is nothing to show.
        StoreError: If the file is a database or a memory that cannot be read.
    """
    file = Path(place)
    read = {path.resolve() for path in (file, purpose_file) if path is not None}
    if output != STDIO and output.resolve() in read:
        message = f"{output} is what is read; name another file with --output."
        raise InvalidInputError(message)
    how: _How = {
        "title": title or (None if file == STDIO else file.name.partition("?")[0]),
        "max_bytes": int(max_mb * _MEGABYTE),
        "made_at": datetime.now(UTC),
    }
    about = read_purpose(purpose, purpose_file)
    _write(_page(place, about, wanted, how), output)


def _page(place: str, purpose: str | None, wanted: Wanted, how: _How) -> str:
    """Return the page of a file or a database, whatever it is."""
    file = Path(place)
    kind = "database" if is_postgres(place) else "text" if file == STDIO else kind_of(file)
    if kind == "database":
        return conversations_page(read_conversations(place, purpose, wanted), **how)
    if wanted != _ALL:
        message = f"{place} is no checkpoint database; leave --thread, --since and --messages out."
        raise InvalidInputError(message)
    if kind == "memory":
        return _memory_page(file, purpose, how)
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
    if output == STDIO:
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
