"""The memory that a command works on."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from langchain_drift.errors import InvalidInputError
from langchain_drift.json_lines import file_lines
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.settings import DriftGuardSettings, load_settings
from langchain_drift.mistakes.stores.json_steps import FORMAT
from langchain_drift.mistakes.stores.places import backend_of
from langchain_drift.mistakes.stores.sqlite_file import APPLICATION_ID

_SQLITE = b"SQLite format 3\x00"
# Where SQLite keeps the number of the program that a file belongs to.
_ID, _HEADER = slice(68, 72), 100
_JSON = f'{{"format": "{FORMAT}"'.encode()


@contextmanager
def open_guard(path: Path | None, *, may_begin: bool = False) -> Iterator[DriftGuard]:
    """Open the memory of a file, or that of the settings, and close it afterwards.

    Args:
        path: The file; None for what `DRIFTGUARD_*` in the environment says.
        may_begin: Whether a file that is not there is made. A mistyped path shall not make every
            review pass.

    Raises:
        InvalidInputError: If the file is not there, or the settings cannot be used.
        StoreError: If it is no file of a memory, or damaged.
    """
    if path is not None and not may_begin and not path.exists():
        message = f"There is no memory at {path}; `memory add` and `memory import` begin one."
        raise InvalidInputError(message)
    guard = DriftGuard(settings=settings_for(path))
    try:
        yield guard
    finally:
        guard.close()


def kind_of(path: Path) -> Literal["memory", "database", "text"]:
    """Tell what a file is by its beginning: a memory, another SQLite database, or anything else.

    Raises:
        InvalidInputError: If it cannot be read.
    """
    start = b"".join(islice(file_lines(path), _HEADER))[:_HEADER]
    if start.startswith(_SQLITE):
        is_ours = start[_ID] == APPLICATION_ID.to_bytes(4)
        return "memory" if is_ours else "database"
    return "memory" if start.startswith(_JSON) else "text"


def settings_for(path: Path | None) -> DriftGuardSettings:
    """Return the settings for the memory of a file, or for that of the environment.

    Raises:
        InvalidInputError: If they cannot be used, or the memory would not outlive the program.
    """
    given: dict[str, Any] = {}
    if path is not None:
        backend = backend_of(path)
        file = "sqlite_filepath" if backend == "sqlite" else "graph_filepath"
        # One file is meant, whatever the environment says of a second one.
        given = {"storage_backend": backend, file: path, f"success_{file}": None}
    settings = load_settings(**given)
    if settings.storage_backend == "memory":
        message = (
            "DRIFTGUARD_STORAGE_BACKEND is 'memory', which would end with this command; name a "
            "file with --path."
        )
        raise InvalidInputError(message)
    return settings
