"""Events in one SQLite file, shared by any number of threads and processes of one machine."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_drift.errors import EmbedderChangedError
from langchain_drift.files import absolute
from langchain_drift.mistakes.stores.per_process import PerProcess
from langchain_drift.mistakes.stores.protocol import Changes
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.stores.sqlite_file import connect, sqlite_errors, transaction
from langchain_drift.mistakes.stores.sqlite_rows import INSERT, SELECT, from_row, to_row

_HIDE = (
    "UPDATE events SET hidden = :hidden "
    "WHERE scope = :scope AND event_id = :event_id AND hidden <> :hidden"
)
_PURGE = "DELETE FROM events WHERE scope = :scope AND event_id = :event_id"
_PAGE = 1_000


@dataclass(slots=True)
class _File:
    """An open file; `inode` tells whether the path still leads to it."""

    connection: sqlite3.Connection
    inode: int
    file_id: str


@dataclass(slots=True)
class _Session:
    """What one process has open; one thread uses it at a time."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    file: _File | None = None

    def close(self) -> None:
        """Close the file; the last one to do so folds the write-ahead log into it."""
        with self.lock:
            if self.file is not None:
                self.file.connection.close()
                self.file = None


class SQLiteStore:
    """Keeps events in one SQLite file, with a write-ahead log.

    An event is on the disk when `append` returns, and other processes see it at their next call.
    The file must be on a disk of this machine: network drives have no locks to rely on. A file
    that is deleted is begun anew. Put another one in its place, or copy it, only while no program
    has it open: until then its newest events may stand in the `-wal` file beside it.

    Args:
        path: Of the file; it is made if there is none, for its owner only.

    Raises:
        StoreError: If the file cannot be used, is damaged or belongs to another program.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = absolute(path)
        self._session = PerProcess(_Session)
        self._close = weakref.finalize(self, lambda session: session.get().close(), self._session)
        # What is wrong with the file is told now, not at the first review.
        self.fingerprint()

    def append(self, records: Sequence[Record], fingerprint: str) -> list[bool]:
        """Append records in one step, durably; return which of them were new."""
        has_vectors = any(record.vector is not None for record in records)
        scopes: dict[str, int] = {}
        with self._writing() as database:
            if has_vectors:
                _keep_fingerprint(database, fingerprint)
            return [_insert(database, record, scopes) for record in records]

    def changes(self, scope: str, since: str | None = None) -> Changes:
        """Return what changed in a scope since a cursor."""
        with self._open() as file, transaction(file.connection, "DEFERRED"):
            number, generation = _scope(file.connection, scope)
            epoch = f"{file.file_id}:{generation}"
            before, _, place = (since or "").rpartition(":")
            goes_on = before == epoch
            rows = file.connection.execute(
                f"{SELECT} WHERE scope = ? AND hidden = 0 AND place > ? ORDER BY place",
                (number, int(place) if goes_on else 0),
            ).fetchall()
        if rows:
            place = rows[-1][0]
        elif not goes_on:
            place = "0"
        added = [from_row(row, self.path) for row in rows]
        return Changes(f"{epoch}:{place}", added, reset=since is not None and not goes_on)

    def hide(self, scope: str, event_ids: Sequence[str], *, hidden: bool = True) -> int:
        """Hide events, or show them again at their old place; return how many were turned."""
        return self._alter(_HIDE, scope, event_ids, hidden=hidden)

    def purge(self, scope: str, event_ids: Sequence[str]) -> int:
        """Delete events for good, and overwrite them in the file; return how many there were."""
        purged = self._alter(_PURGE, scope, event_ids)
        if purged:
            # The write-ahead log still holds what was overwritten in the file.
            with self._open() as file:
                file.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return purged

    def read(self, scope: str | None = None, *, hidden: bool = False) -> Iterator[Record]:
        """Yield the visible records of one scope or of all, oldest first; or the hidden ones.

        They are read by and by: what changes meanwhile may or may not be seen.
        """
        place = 0
        while rows := self._page(scope, place, hidden=hidden):
            for row in rows:
                yield from_row(row, self.path)
            place = rows[-1][0]

    def scopes(self) -> dict[str, int]:
        """Return the keys of all scopes with their number of visible events."""
        with self._open() as file:
            rows = file.connection.execute(
                "SELECT scopes.key, sum(1 - hidden) FROM scopes JOIN events ON scope = scopes.id "
                "GROUP BY scopes.id ORDER BY scopes.id"
            ).fetchall()
        return dict(rows)

    def fingerprint(self) -> str | None:
        """Return the identity of the embedder of the vectors, None if none was recorded."""
        with self._open() as file:
            return _meta(file.connection, "fingerprint")

    def replace_vectors(
        self, vectors: Mapping[tuple[str, str], bytes | None], fingerprint: str
    ) -> list[Record]:
        """Replace all vectors; return the records that have none, if so nothing was replaced."""
        with self._writing() as database:
            known = database.execute(
                "SELECT place, scopes.key, event_id FROM events JOIN scopes ON scope = scopes.id"
            ).fetchall()
            missing = [place for place, key, name in known if (key, name) not in vectors]
            if missing:
                rows = [
                    database.execute(f"{SELECT} WHERE place = ?", (place,)).fetchone()
                    for place in missing
                ]
                return [from_row(row, self.path) for row in rows]
            database.executemany(
                "UPDATE events SET vector = ? WHERE place = ?",
                ((vectors[key, name], place) for place, key, name in known),
            )
            database.execute("UPDATE scopes SET generation = generation + 1")
            _set_meta(database, "fingerprint", fingerprint)
            return []

    def close(self) -> None:
        """Let go of the file; a later call opens it again."""
        self._session.get().close()

    @contextmanager
    def _open(self) -> Iterator[_File]:
        """Give the open file to one thread, after opening it if need be."""
        session = self._session.get()
        with session.lock, sqlite_errors(self.path):
            if session.file is not None and session.file.inode != _inode(self.path):
                session.file.connection.close()
                session.file = None
            if session.file is None:
                connection = connect(self.path)
                file_id = _meta(connection, "file_id") or ""
                session.file = _File(connection, _inode(self.path), file_id)
            yield session.file

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._open() as file, transaction(file.connection, "IMMEDIATE"):
            yield file.connection

    def _alter(self, statement: str, scope: str, event_ids: Sequence[str], **more: object) -> int:
        """Run a statement for every event and begin a new generation; return how many it met."""
        if not event_ids:
            return 0
        with self._writing() as database:
            number, _ = _scope(database, scope)
            rows = ({"scope": number, "event_id": name, **more} for name in event_ids)
            found = database.executemany(statement, rows).rowcount
            if found:
                database.execute(
                    "UPDATE scopes SET generation = generation + 1 WHERE id = ?", (number,)
                )
            return found

    def _page(self, scope: str | None, place: int, *, hidden: bool) -> list[tuple[Any, ...]]:
        of_scope = "AND scope = :scope" if scope is not None else ""
        with self._open() as file:
            number, _ = _scope(file.connection, scope or "")
            return file.connection.execute(
                f"{SELECT} WHERE place > :place AND hidden = :hidden {of_scope} "
                f"ORDER BY place LIMIT {_PAGE}",
                {"scope": number, "place": place, "hidden": hidden},
            ).fetchall()


def _inode(path: Path) -> int:
    """Return what changes when a path leads to another file; 0 if to none."""
    try:
        return os.stat(path).st_ino  # noqa: PTH116 - called at every review; half the time
    except FileNotFoundError:
        return 0


def _scope(database: sqlite3.Connection, key: str) -> tuple[int, int]:
    """Return the number and the generation of a scope; zeros if it holds nothing yet."""
    found = database.execute("SELECT id, generation FROM scopes WHERE key = ?", (key,))
    return found.fetchone() or (0, 0)


def _insert(database: sqlite3.Connection, record: Record, scopes: dict[str, int]) -> bool:
    if record.scope not in scopes:
        database.execute(
            "INSERT INTO scopes (key) VALUES (?) ON CONFLICT DO NOTHING", (record.scope,)
        )
        scopes[record.scope], _ = _scope(database, record.scope)
    return database.execute(INSERT, to_row(record, scopes[record.scope])).rowcount == 1


def _keep_fingerprint(database: sqlite3.Connection, fingerprint: str) -> None:
    """Keep the first embedder's fingerprint; refuse every other."""
    stored = _meta(database, "fingerprint")
    if stored is None:
        _set_meta(database, "fingerprint", fingerprint)
    elif stored != fingerprint:
        raise EmbedderChangedError(stored, fingerprint)


def _meta(database: sqlite3.Connection, name: str) -> str | None:
    row = database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def _set_meta(database: sqlite3.Connection, name: str, value: str) -> None:
    database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))
