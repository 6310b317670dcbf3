"""Checkpoint databases of LangGraph, SQLite and Postgres, opened to be read."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from langchain_drift.checkpoints.thread import Thread, ThreadPlace, read_thread
from langchain_drift.errors import InvalidInputError, MissingExtraError, StoreError

_SQLITE = b"SQLite format 3\0"
_POSTGRES = ("postgres://", "postgresql://")
_THREADS = (
    "SELECT thread_id, MAX(checkpoint_id) FROM checkpoints WHERE checkpoint_ns = '' "
    "GROUP BY thread_id ORDER BY MAX(checkpoint_id) DESC"
)
_COUNT = "SELECT COUNT(DISTINCT thread_id) FROM checkpoints WHERE checkpoint_ns = ''"


@dataclass(frozen=True)
class CheckpointDatabase:
    """An open checkpoint database.

    Attributes:
        saver: LangGraph's checkpointer on it.
        query: Runs a query and yields its rows.
    """

    saver: BaseCheckpointSaver[Any]
    query: Callable[..., Iterator[tuple[Any, ...]]]

    def count(self) -> int:
        """Return how many threads there are."""
        return int(next(self.query(_COUNT))[0])

    def threads(self) -> Iterator[ThreadPlace]:
        """Yield the threads, those that were written last first."""
        yield from (ThreadPlace(str(name), str(newest)) for name, newest in self.query(_THREADS))

    def read(self, place: ThreadPlace, channel: str = "messages") -> Thread | None:
        """Read a thread; see `read_thread`."""
        return read_thread(self.saver, place, channel)

    def find(self, thread_id: str, channel: str = "messages") -> Thread:
        """Read the thread of a name.

        Raises:
            InvalidInputError: If there is no such thread.
            StoreError: If it cannot be read.
        """
        found = self.read(ThreadPlace(thread_id, ""), channel)
        if found is None:
            message = f"There is no thread {thread_id!r}; `langchain-drift audit` lists them."
            raise InvalidInputError(message)
        return found


def is_postgres(place: str) -> bool:
    """Return whether a place is the address of a Postgres database."""
    return place.startswith(_POSTGRES)


def is_checkpoints(place: str) -> bool:
    """Return whether a place is a Postgres address or an SQLite file.

    Raises:
        StoreError: If it is a file that cannot be read.
    """
    if is_postgres(place):
        return True
    path = Path(place)
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        message = f"{place} cannot be read: {error.strerror}; give a file that you may read."
        raise StoreError(message) from error


def open_checkpoints(place: str) -> AbstractContextManager[CheckpointDatabase]:
    """Open a checkpoint database to be read; nothing in it is changed.

    Only plain data and messages are made of what it holds, never objects of other classes.

    Args:
        place: The path of an SQLite file, or the address of a Postgres database.

    Raises:
        InvalidInputError: If there is none.
        MissingExtraError: If LangGraph's checkpointer for it is not installed.
        StoreError: If it cannot be read.
    """
    return _postgres(place) if is_postgres(place) else _sqlite(place)


@contextmanager
def _sqlite(place: str) -> Iterator[CheckpointDatabase]:
    try:
        from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: PLC0415 - an extra
    except ImportError as error:
        package = "langgraph.checkpoint.sqlite"
        raise MissingExtraError(package, "sqlite") from error
    path = Path(place).absolute()
    if not is_checkpoints(place):
        fault = "is no SQLite database" if path.exists() else "does not exist"
        message = (
            f"{place} {fault}; give the file of a LangGraph SqliteSaver, or the "
            "address of a Postgres database (postgresql://…)."
        )
        raise InvalidInputError(message)
    with _faults(place, sqlite3.Error), closing(_connect(path)) as connection:

        def query(statement: str) -> Iterator[tuple[Any, ...]]:
            yield from connection.execute(statement)

        _check(place, query, "SELECT 1 FROM sqlite_master WHERE name = 'checkpoints'")
        yield CheckpointDatabase(SqliteSaver(connection, serde=_plain()), query)


def _connect(path: Path) -> sqlite3.Connection:
    """Open a file that may be in use."""
    try:
        return _opened(path, "mode=ro")
    except sqlite3.OperationalError:
        # In a folder that cannot be written to SQLite reads only what nobody is writing.
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise
        return _opened(path, "immutable=1")


def _opened(path: Path, manner: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.as_uri()}?{manner}", uri=True, check_same_thread=False)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchall()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def _postgres(place: str) -> Iterator[CheckpointDatabase]:
    try:
        import psycopg  # noqa: PLC0415 - an extra
        from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415 - an extra
        from psycopg.rows import dict_row, tuple_row  # noqa: PLC0415 - an extra
    except ImportError as error:
        package = "langgraph.checkpoint.postgres"
        raise MissingExtraError(package, "postgres") from error
    with _faults(_without_password(place), psycopg.Error):
        connection: Any = psycopg.connect(
            place,
            autocommit=True,
            prepare_threshold=0,
            row_factory=dict_row,
            options="-c default_transaction_read_only=on",
        )
        with connection:

            def query(statement: str) -> Iterator[tuple[Any, ...]]:
                with connection.cursor(row_factory=tuple_row) as cursor:
                    yield from cursor.execute(statement)

            exists = "SELECT 1 WHERE to_regclass('checkpoints') IS NOT NULL"
            _check(_without_password(place), query, exists)
            yield CheckpointDatabase(PostgresSaver(connection, serde=_plain()), query)


def _check(place: str, query: Callable[..., Iterator[tuple[Any, ...]]], exists: str) -> None:
    if not list(query(exists)):
        message = (
            f"{place} has no checkpoints of LangGraph; give the database of a checkpointer "
            "(SqliteSaver, PostgresSaver) that has been used."
        )
        raise InvalidInputError(message)


@contextmanager
def _faults(place: str, kind: type[Exception]) -> Iterator[None]:
    try:
        yield
    except kind as error:
        message = f"The checkpoints of {place} cannot be read: {str(error).strip()}."
        raise StoreError(message) from error


def _plain() -> JsonPlusSerializer:
    return JsonPlusSerializer(allowed_msgpack_modules=None)


def _without_password(place: str) -> str:
    """Return an address without the user and the password in it."""
    scheme, _, rest = place.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"
