"""Opening a store by the name of its kind."""

import os
from pathlib import Path
from typing import Literal, get_args

from platformdirs import user_data_path

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.stores.json_file import JSONStore
from langchain_drift.mistakes.stores.memory import MemoryStore
from langchain_drift.mistakes.stores.protocol import EventLog
from langchain_drift.mistakes.stores.sqlite import SQLiteStore

Backend = Literal["memory", "json", "sqlite"]
_NAMES = {"json": "memory.jsonl", "sqlite": "memory.sqlite3"}


def default_path(backend: Literal["json", "sqlite"] = "sqlite") -> Path:
    """Return where the memory of this user is kept unless a path is given; always absolute.

    It is the folder `langchain-drift` among the user's data: `~/.local/share` on Linux (or
    `$XDG_DATA_HOME`), `~/Library/Application Support` on macOS, `%LOCALAPPDATA%` on Windows.

    Args:
        backend: The kind of store.
    """
    return user_data_path("langchain-drift", appauthor=False).absolute() / _NAMES[backend]


def open_store(backend: Backend = "sqlite", path: str | os.PathLike[str] | None = None) -> EventLog:
    """Open a store of events, or make one.

    Args:
        backend: `sqlite`, one database file, for any number of processes of a machine; `json`,
            one readable file, all of it also held in memory; `memory`, no file.
        path: Of the file; a relative one is taken from the working directory of now. None for
            `default_path`. Of no use for `memory`.

    Raises:
        InvalidInputError: If there is no such kind, or a path is given for `memory`.
        StoreError: If the file cannot be used, is damaged or belongs to another program.
    """
    if backend == "memory":
        if path is not None:
            message = f'storage backend "memory" keeps no file, but path is {os.fspath(path)!r}.'
            raise InvalidInputError(message)
        return MemoryStore()
    if backend == "sqlite":
        return SQLiteStore(path or default_path(backend))
    if backend == "json":
        return JSONStore(path or default_path(backend))
    message = f"storage backend is {backend!r}; choose one of {', '.join(get_args(Backend))}."
    raise InvalidInputError(message)
