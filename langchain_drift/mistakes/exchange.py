"""Events as JSON lines, out and in again; and in from every other file that holds a memory."""

import json
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

from langchain_core.embeddings import Embeddings
from pydantic import ValidationError

from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.errors import InvalidInputError
from langchain_drift.json_lines import file_lines, read_values
from langchain_drift.mistakes.event import Event, Kind
from langchain_drift.mistakes.parquet import MAGIC, read_parquet
from langchain_drift.mistakes.published_events import events_of
from langchain_drift.mistakes.published_graph import (
    is_published,
    read_json_graph,
    read_sqlite_graph,
)
from langchain_drift.mistakes.recording import make_records
from langchain_drift.mistakes.scope import Scope
from langchain_drift.mistakes.stores.json_file import JSONStore
from langchain_drift.mistakes.stores.json_steps import FORMAT
from langchain_drift.mistakes.stores.protocol import EventLog
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.stores.sqlite import SQLiteStore
from langchain_drift.mistakes.stores.sqlite_file import APPLICATION_ID

_STEP = 500
_DSN = re.compile(r"postgres(?:ql)?(?:\+\w+)?://")
_SQLITE = b"SQLite format 3\x00"


def export_lines(records: Iterable[Record]) -> Iterator[str]:
    """Yield each event as one line of JSON, without the line feed.

    Vectors and terms are left out: they are computed again when the events are recorded, so a
    memory can move to another embedder this way. All is ASCII: stored text has no power over the
    terminal or the editor it is shown in.
    """
    for record in records:
        yield json.dumps(record.to_event().model_dump(mode="json"))


def import_events(
    path: str | os.PathLike[str], *, kind: Kind | None = None, scope: Scope | None = None
) -> Iterator[Event]:
    """Yield the events of a file; record them to import it.

    What it is is told from its content: JSON lines of `export_lines`, Parquet, a file of the
    `json` or `sqlite` store, or a `driftguard_graph` of driftguard-ai, as JSON or SQLite. Events
    keep their ids, so importing a file twice counts once. In JSON lines and Parquet only `action`
    is needed; an event without `event_id` is a new one at every import.

    Args:
        path: Of the file; it is not written to, unless it is a memory in use elsewhere. Or the
            connection string of a Postgres database with tables of driftguard-ai, which needs the
            extra `postgres`.
        kind: What a file of driftguard-ai is about; None for `success` if its name says so.
        scope: Whose memory the events shall belong to; None for the scopes the file gives.

    Raises:
        InvalidInputError: If the file or a line of it cannot be used; the message names it.
        StoreError: If it is a damaged file of a store.
    """
    for event in _tables(path, kind) if _is_dsn(path) else _events(Path(path), kind):
        yield event if scope is None else event.model_copy(update={"scope": scope})


def import_into(store: EventLog, events: Iterable[Event], embeddings: Embeddings) -> list[bool]:
    """Record events that were recorded once before, without a second judgement of them.

    Args:
        store: Where they go; 500 at a time.
        events: For example of `import_events`.
        embeddings: Embedder for prose, the one of the store's other vectors.

    Returns:
        Which of them were new to the store.

    Raises:
        EmbedderChangedError: If the store's vectors come from another embedder.
        InvalidInputError: If an event cannot be used; those of earlier steps are kept.
    """
    identity = fingerprint(embeddings)
    are_new: list[bool] = []
    events = iter(events)
    while step := list(islice(events, _STEP)):
        are_new += store.append(make_records(step, embeddings), identity)
    return are_new


def _events(path: Path, kind: Kind | None) -> Iterator[Event]:
    published: Kind = kind or ("success" if "success" in path.name else "mistake")
    begins = next(file_lines(path), b"")
    if begins.startswith(_SQLITE):
        if _application(path) == APPLICATION_ID:
            yield from _stored(SQLiteStore(path))
        else:
            yield from events_of(read_sqlite_graph(path), published, Scope())
        return
    if begins.startswith(MAGIC):
        for where, value in read_parquet(path):
            yield _event(where, value)
        return
    values = read_values(file_lines(path), str(path))
    for number, (where, value) in enumerate(values):
        if not number and is_published(value):
            yield from events_of(read_json_graph(path), published, Scope())
            return
        if not number and isinstance(value, dict) and value.get("format") == FORMAT:
            yield from _stored(JSONStore(path))
            return
        yield _event(where, value)


def _is_dsn(path: str | os.PathLike[str]) -> bool:
    return isinstance(path, str) and bool(_DSN.match(path))


def _tables(dsn: str | os.PathLike[str], kind: Kind | None) -> Iterator[Event]:
    # An extra: imported when it is wanted.
    from langchain_drift.mistakes.published_postgres import read_published_tables  # noqa: PLC0415

    yield from read_published_tables(str(dsn), kind)


def _stored(store: EventLog) -> Iterator[Event]:
    try:
        for record in store.read():
            yield record.to_event()
    finally:
        store.close()


def _event(where: str, value: object) -> Event:
    try:
        return Event.model_validate(value)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"]))
        message = f"{where} is no event: {place + ': ' if place else ''}{fault['msg']}."
        raise InvalidInputError(message) from error


def _application(path: Path) -> int:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            return int(database.execute("PRAGMA application_id").fetchone()[0])
    except sqlite3.Error as error:
        message = f"{path} cannot be imported: {error}. It was left as it is."
        raise InvalidInputError(message) from error
