"""Graph files of driftguard-ai, as JSON (formats 1, 2 and unnumbered) and as SQLite."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langchain_drift.errors import InvalidInputError
from langchain_drift.json_lines import parse_json

_FORMAT = "driftguard_graph"
_VERSIONS = (1, 2)
_SCHEMA = {"schema_name": "driftguard_sqlite", "schema_version": "1"}


@dataclass(frozen=True, slots=True)
class Node:
    """A text and its places in chains.

    Attributes:
        roles: Some of `action`, `feedback` and `outcome`.
        first_seen: When it was recorded first; None if the file does not say.
        last_seen: When it was recorded last, likewise.
    """

    roles: frozenset[str]
    first_seen: datetime | None
    last_seen: datetime | None


@dataclass(frozen=True, slots=True)
class PublishedGraph:
    """What a file tells: texts, and how often one followed another."""

    nodes: dict[str, Node]
    edges: dict[tuple[str, str], int]


def is_published(value: object) -> bool:
    """Return whether a JSON value has the form of a graph file, of whatever version."""
    return isinstance(value, dict) and (
        value.get("format") == _FORMAT or ("nodes" in value and bool({"edges", "links"} & {*value}))
    )


def read_json_graph(path: Path) -> PublishedGraph:
    """Read a graph from a JSON file.

    Raises:
        InvalidInputError: If it cannot be read or is no such file.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error
    value = parse_json(text, str(path))
    if not is_published(value):
        raise _unreadable(path, "it is no graph of driftguard-ai")
    if "format" in value and value.get("format_version") not in _VERSIONS:
        raise _unreadable(
            path, f"its format_version is {value.get('format_version')!r}, not 1 or 2"
        )
    graph = value.get("graph") if "format" in value else value
    try:
        links = graph["edges"] if "edges" in graph else graph["links"]
        return make_graph(
            ((n["id"], n["type"], n.get("first_seen"), n.get("last_seen")) for n in graph["nodes"]),
            ((e["source"], e["target"], e.get("frequency", 1)) for e in links),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _unreadable(path, error) from error


def read_sqlite_graph(path: Path) -> PublishedGraph:
    """Read a graph from an SQLite file, without writing to it.

    Raises:
        InvalidInputError: If it cannot be read or is no such file.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            if dict(database.execute("SELECT key, value FROM meta")) != _SCHEMA:
                raise _unreadable(path, "it is no database of driftguard-ai, or of a later version")
            return make_graph(
                database.execute("SELECT text, type, first_seen, last_seen FROM nodes"),
                database.execute("SELECT src, dst, frequency FROM edges"),
            )
    except (sqlite3.Error, TypeError, ValueError) as error:
        raise _unreadable(path, error) from error


def make_graph(nodes: Iterable[Any], edges: Iterable[Any]) -> PublishedGraph:
    """Return the graph of rows: text, roles, first and last sighting; source, target, frequency."""
    return PublishedGraph(
        {
            str(text): Node(_roles(roles), _time(first), _time(last))
            for text, roles, first, last in nodes
        },
        {(str(source), str(target)): int(frequency) for source, target, frequency in edges},
    )


def _roles(value: str | Iterable[str]) -> frozenset[str]:
    roles = value.split(",") if isinstance(value, str) else value
    return frozenset(role.strip() for role in roles)


def _time(value: str | None) -> datetime | None:
    if value is None:
        return None
    time = datetime.fromisoformat(value)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _unreadable(path: Path, reason: object) -> InvalidInputError:
    said = f"{reason.__class__.__name__}: {reason}" if isinstance(reason, Exception) else reason
    return InvalidInputError(f"{path} cannot be imported: {said}. It was left as it is.")
