"""The store that the settings ask for, and where its file lies."""

import os
from pathlib import Path
from typing import Final, Literal

from platformdirs import user_data_path

from langchain_drift.errors import InvalidInputError
from langchain_drift.files import absolute
from langchain_drift.mistakes.settings import DriftGuardSettings
from langchain_drift.mistakes.stores.json_file import JSONStore
from langchain_drift.mistakes.stores.memory import MemoryStore
from langchain_drift.mistakes.stores.protocol import EventLog
from langchain_drift.mistakes.stores.split import SplitStore
from langchain_drift.mistakes.stores.sqlite import SQLiteStore

FileBackend = Literal["sqlite", "json"]

_NAMES: Final = {"sqlite": "memory.sqlite3", "json": "memory.jsonl"}


def default_path(backend: FileBackend) -> Path:
    """Return where this user's memory lies unless the settings say so; always absolute.

    It is the folder `langchain-drift` among the user's data: `$XDG_DATA_HOME` or `~/.local/share`
    on Linux, `~/Library/Application Support` on macOS, `%LOCALAPPDATA%` on Windows.
    """
    return user_data_path("langchain-drift", appauthor=False).absolute() / _NAMES[backend]


def open_store(settings: DriftGuardSettings) -> EventLog:
    """Open the store of some settings; with a second file for successes, two as one.

    Raises:
        InvalidInputError: If the backend needs a setting that is missing.
        MissingExtraError: If the backend is `postgres` and that extra is not installed.
        StoreError: If a file cannot be used, is damaged or belongs to another program.
    """
    backend = settings.storage_backend
    if backend == "memory":
        return MemoryStore()
    if backend == "postgres":
        return _open_postgres(settings)
    if backend == "sqlite":
        path, second = settings.sqlite_filepath, settings.success_sqlite_filepath
    else:
        path, second = settings.graph_filepath, settings.success_graph_filepath
    path = absolute(path or default_path(backend))
    first = open_file(backend, path)
    if second is None or absolute(second) == path:
        return first
    return SplitStore(first, open_file(backend, second))


def open_file(backend: FileBackend, path: str | os.PathLike[str]) -> EventLog:
    """Open a file of events, or make one.

    Args:
        backend: `sqlite`, one database, or `json`, one readable file that is also held in memory.
        path: Of the file; a relative one is taken from the working directory of now.

    Raises:
        StoreError: If it cannot be used, is damaged or belongs to another program.
    """
    return SQLiteStore(path) if backend == "sqlite" else JSONStore(path)


def _open_postgres(settings: DriftGuardSettings) -> EventLog:
    if not settings.postgres_dsn:
        message = (
            "storage_backend is 'postgres', but postgres_dsn is not set; set it or "
            "DRIFTGUARD_POSTGRES_DSN."
        )
        raise InvalidInputError(message)
    # An extra: imported when it is wanted.
    from langchain_drift.mistakes.stores.postgres import PostgresStore  # noqa: PLC0415

    return PostgresStore(settings.postgres_dsn, timeout=settings.postgres_timeout)
