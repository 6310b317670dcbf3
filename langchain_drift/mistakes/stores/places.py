"""Stores by where they are: the path of a file, or the URL of a database."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from langchain_drift.errors import InvalidInputError
from langchain_drift.files import absolute
from langchain_drift.mistakes.settings import load_settings
from langchain_drift.mistakes.stores.opening import FileBackend, open_file, open_store
from langchain_drift.mistakes.stores.protocol import EventLog

_SQLITE = b"SQLite format 3\x00"
_URL = re.compile(r"([a-z][a-z0-9+]*)://", re.IGNORECASE)
_POSTGRES = ("postgresql", "postgres")


def backend_of(path: Path) -> FileBackend:
    """Tell the kind of a file by its content, that of a new one by its name."""
    if path.is_file() and path.stat().st_size:
        with path.open("rb") as file:
            return "sqlite" if file.read(len(_SQLITE)) == _SQLITE else "json"
    return "json" if path.suffix in (".json", ".jsonl") else "sqlite"


def open_place(place: str, *, may_begin: bool = False) -> EventLog:
    """Open the store at a place.

    Args:
        place: The path of a SQLite or JSON lines file, or `postgresql://…`.
        may_begin: Whether a file that is not there is made.

    Raises:
        InvalidInputError: If there is no such file, or no store for such a URL.
        StoreError: If the store cannot be used.
    """
    url = _URL.match(place)
    if url is None:
        path = Path(place).expanduser()
        if not may_begin and not path.exists():
            message = f"There is no memory at {path}; `memory add` and `memory import` begin one."
            raise InvalidInputError(message)
        return open_file(backend_of(path), path)
    if url[1].lower().partition("+")[0] not in _POSTGRES:
        message = f"{url[1]}:// is no URL of a memory; give a path or postgresql://…"
        raise InvalidInputError(message)
    return open_store(load_settings(storage_backend="postgres", postgres_dsn=place))


def is_same_place(first: str, second: str) -> bool:
    """Tell whether two places are one, as far as their names show it."""
    if _URL.match(first) or _URL.match(second):
        return _plain(first) == _plain(second)
    return absolute(first) == absolute(second)


def harmless(place: str) -> str:
    """Return a place to be shown: a URL without user, password and parameters."""
    if not _URL.match(place):
        return place
    parts = urlsplit(place)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"


def _plain(place: str) -> str:
    """Return a URL without the name of its driver, as in `postgresql+psycopg://`."""
    scheme, sign, rest = place.partition("://")
    return f"{scheme.partition('+')[0]}{sign}{rest}"
