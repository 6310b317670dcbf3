"""The SQLite file of events: its tables, how it is opened, and what its errors mean."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from langchain_drift.errors import StoreError
from langchain_drift.files import PRIVATE, file_errors, make_parent

T = TypeVar("T")

# "LCDm", kept in the header of the file: tells our files from those of other programs.
APPLICATION_ID = 0x4C43446D
VERSION = 1
BUSY_SECONDS = 30.0
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
# `place` orders the events; an index on (scope, hidden) holds it too, so that reading a scope on
# from a place, and counting what is visible, touch no other event.
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE scopes (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, generation INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE events (
    place INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scopes (id),
    hidden INTEGER NOT NULL DEFAULT 0,
    event_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    at REAL NOT NULL,
    hypothesis INTEGER NOT NULL,
    source TEXT NOT NULL,
    key TEXT NOT NULL,
    terms TEXT NOT NULL,
    culprits TEXT NOT NULL,
    vector BLOB,
    action TEXT NOT NULL,
    feedback TEXT NOT NULL,
    outcome TEXT NOT NULL,
    UNIQUE (scope, event_id)
);
CREATE INDEX events_visible ON events (scope, hidden);
"""


def connect(path: Path) -> sqlite3.Connection:
    """Open a file of events, or make one that only its owner may read.

    Raises:
        StoreError: If it cannot be opened, is damaged, or belongs to another program or to a
            later version of this one; it is left as it is then.
    """
    with file_errors(path):
        make_parent(path)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE))
    with sqlite_errors(path):
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            _patiently(lambda: _prepare(connection, path))
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite says about a file into a `StoreError` that names it."""
    try:
        yield
    except sqlite3.Error as error:
        message = f"The memory at {path} {_meaning(error)}"
        raise StoreError(message) from error


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    """Run statements that take effect all together or not at all.

    Args:
        connection: An open connection.
        kind: `IMMEDIATE` to write, `DEFERRED` to read one state of the file.
    """
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite itself ends the transaction at some errors, such as a full disk.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    version = _pragma(connection, "user_version")
    is_new = not version and not _pragma(connection, "schema_version")
    if not is_new:
        _check_owner(connection, path, version)
    connection.execute("PRAGMA journal_mode = WAL")
    # An acknowledged event is on the disk: it outlives a power cut, not only the process.
    connection.execute("PRAGMA synchronous = FULL")
    # What is purged is overwritten, not only forgotten.
    connection.execute("PRAGMA secure_delete = ON")
    if is_new:
        _create(connection)


def _create(connection: sqlite3.Connection) -> None:
    with transaction(connection, "IMMEDIATE"):
        if _pragma(connection, "user_version"):
            return  # another process was quicker
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        connection.execute("INSERT INTO meta VALUES ('file_id', ?)", (uuid4().hex,))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _check_owner(connection: sqlite3.Connection, path: Path, version: int) -> None:
    if _pragma(connection, "application_id") != APPLICATION_ID:
        message = (
            f"{path} is an SQLite database of another program, so it was left as it is. Give the "
            "memory a path of its own; a file of driftguard-ai can be imported with "
            "`langchain-drift memory import`."
        )
        raise StoreError(message)
    if version > VERSION:
        message = (
            f"The memory at {path} has format {version}, but this version of langchain-drift reads "
            f"formats up to {VERSION}; update langchain-drift."
        )
        raise StoreError(message)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)


def _patiently(step: Callable[[], T]) -> T:
    """Repeat a step while other processes are busy with the file.

    SQLite itself waits before it reads or writes, but not when it turns on the write-ahead log.
    """
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return step()
        except sqlite3.OperationalError as error:
            if _code(error) not in _BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _code(error: sqlite3.Error) -> int:
    """Return the primary code of an error, 0 for none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _meaning(error: sqlite3.Error) -> str:
    if _code(error) in _BUSY:
        return f"was kept busy by other processes for {BUSY_SECONDS:.0f} seconds; try again."
    if _code(error) in _DAMAGED:
        return (
            f"is damaged or no SQLite database ({error}). It was left as it is: restore a copy, "
            "or move it away to begin anew."
        )
    return (
        f"cannot be used: {error}. Give it a path to a file that can be written and has room, or "
        'set the storage backend to "memory".'
    )
