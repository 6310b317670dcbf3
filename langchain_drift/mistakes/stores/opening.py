"""The store that the settings ask for."""

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final, cast

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.settings import DriftGuardSettings
from langchain_drift.mistakes.stores.memory import MemoryStore
from langchain_drift.mistakes.stores.protocol import EventLog
from langchain_drift.mistakes.stores.split import SplitStore

_FILE_STORES: Final = {"sqlite": ("sqlite", "SQLiteStore"), "json": ("json_file", "JSONStore")}


def default_folder() -> Path:
    """Return the folder of the default files: `$XDG_DATA_HOME` or `~/.local/share`, then ours."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "langchain-drift"


def open_store(settings: DriftGuardSettings) -> EventLog:
    """Open the store of some settings; with a second file for successes, two as one.

    Raises:
        InvalidInputError: If the backend needs a setting that is missing.
        StoreError: If a file cannot be read or written.
    """
    backend = settings.storage_backend
    if backend == "memory":
        return MemoryStore()
    if backend == "postgres":
        return _open_postgres(settings.postgres_dsn)
    if backend == "sqlite":
        path, second = settings.sqlite_filepath, settings.success_sqlite_filepath
    else:
        path, second = settings.graph_filepath, settings.success_graph_filepath
    suffix = "sqlite3" if backend == "sqlite" else "json"
    path = path or default_folder() / f"memory.{suffix}"
    first = _open_file(backend, path)
    return SplitStore(first, _open_file(backend, second)) if second and second != path else first


def _open_file(backend: str, path: Path) -> EventLog:
    name, kind = _FILE_STORES[backend]
    module = import_module(f"langchain_drift.mistakes.stores.{name}")
    return cast("EventLog", getattr(module, kind)(path.expanduser().absolute()))


def _open_postgres(dsn: str | None) -> EventLog:
    if not dsn:
        message = (
            "storage_backend is 'postgres', but postgres_dsn is not set; set it or "
            "DRIFTGUARD_POSTGRES_DSN."
        )
        raise InvalidInputError(message)
    name = "langchain_drift.mistakes.stores.postgres"
    if find_spec(name) is None:
        message = "This version has no postgres store; set storage_backend to 'sqlite'."
        raise InvalidInputError(message)
    return cast("EventLog", import_module(name).PostgresStore(dsn))
