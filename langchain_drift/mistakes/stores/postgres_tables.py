"""The tables of the memory in Postgres, and how they come to the newest version."""

import logging
from typing import Any, Final
from uuid import uuid4

import psycopg

from langchain_drift.errors import StoreError
from langchain_drift.mistakes.stores.postgres_server import Connection, Server

VERSION: Final = 1
# "LCDm" and the table's name: two processes that begin at once wait for each other.
_LOCK = 0x4C43446D
_PGVECTOR = (0, 8)
_logger = logging.getLogger(__name__)

# A scope and an embedder may have long names, so they are found by a digest. Everything else has
# its scope first in its key. `place` orders the events: a scope's writers wait for one another.
# `langchain_drift_terms` are the memories that hold a term, `_blames` those whose feedback blames
# the same `_culprits`, and `_nodes` what the graphs have: hashes, checked again when read.
_MIGRATIONS: Final = {
    1: """
CREATE TABLE langchain_drift_meta (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE langchain_drift_scopes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest bytea NOT NULL UNIQUE,
    key text NOT NULL,
    generation bigint NOT NULL DEFAULT 0,
    memories bigint NOT NULL DEFAULT 0
);
CREATE TABLE langchain_drift_memories (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope bigint NOT NULL,
    key text NOT NULL,
    terms text[] NOT NULL,
    mistakes integer NOT NULL,
    successes integer NOT NULL,
    UNIQUE (scope, key)
);
CREATE INDEX langchain_drift_memories_of ON langchain_drift_memories (scope, id);
CREATE TABLE langchain_drift_events (
    place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope bigint NOT NULL,
    memory bigint NOT NULL,
    hidden boolean NOT NULL DEFAULT false,
    event_id text NOT NULL,
    kind text NOT NULL,
    at double precision NOT NULL,
    hypothesis boolean NOT NULL,
    source text NOT NULL,
    tool text NOT NULL,
    outcome_key text NOT NULL,
    terms text[] NOT NULL,
    culprits text[] NOT NULL,
    vector bytea,
    action text NOT NULL,
    feedback text NOT NULL,
    outcome text NOT NULL,
    UNIQUE (scope, event_id)
);
CREATE INDEX langchain_drift_events_visible ON langchain_drift_events (scope, hidden, place);
CREATE INDEX langchain_drift_events_memory ON langchain_drift_events (scope, memory, place);
CREATE INDEX langchain_drift_events_tool ON langchain_drift_events (scope, tool, kind, place)
    WHERE tool <> '';
CREATE TABLE langchain_drift_terms (
    scope bigint NOT NULL, term bigint NOT NULL, memory bigint NOT NULL,
    PRIMARY KEY (scope, term, memory)
);
CREATE TABLE langchain_drift_culprits (
    scope bigint NOT NULL, term bigint NOT NULL, digest bigint NOT NULL, terms text[] NOT NULL,
    PRIMARY KEY (scope, term, digest)
);
CREATE TABLE langchain_drift_blames (
    scope bigint NOT NULL, digest bigint NOT NULL, memory bigint NOT NULL, place bigint NOT NULL,
    PRIMARY KEY (scope, digest, memory)
);
CREATE INDEX langchain_drift_blames_newest ON langchain_drift_blames (scope, digest, place);
CREATE TABLE langchain_drift_nodes (
    scope bigint NOT NULL, node bigint NOT NULL, PRIMARY KEY (scope, node)
);
""",
}
_HNSW_DIMENSIONS = 4000


def migrate(server: Server, *, use_pgvector: bool) -> None:
    """Make the tables, or bring them to this version; what is there already is left as it is.

    Args:
        server: Where.
        use_pgvector: Whether to make the extension if the server has it.

    Raises:
        StoreError: If that cannot be done, or a later version has made them.
    """
    with server.alone() as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        version = _version(connection)
        if version > VERSION:
            message = (
                f"The memory in Postgres at {server.name} has version {version}, but this version "
                f"of langchain-drift reads up to {VERSION}; update langchain-drift."
            )
            raise StoreError(message)
        for number in range(version + 1, VERSION + 1):
            connection.execute(_MIGRATIONS[number])
            _note(connection, "version", str(number))
        if not version:
            _note(connection, "store", uuid4().hex)
        if use_pgvector:
            _make_extension(connection)


def has_pgvector(connection: Connection) -> bool:
    """Tell whether the database has pgvector 0.8 or later, which searches within a scope."""
    found = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    row = found.fetchone()
    return row is not None and tuple(map(int, row[0].split(".")[:2])) >= _PGVECTOR


def add_vectors(connection: Connection, dimensions: int) -> None:
    """Add the column of vectors that are searched in the database, and its index."""
    drop_vectors(connection)
    connection.execute(
        f"ALTER TABLE langchain_drift_memories ADD COLUMN embedding halfvec({dimensions:d})"
    )
    if dimensions <= _HNSW_DIMENSIONS:
        connection.execute(
            "CREATE INDEX langchain_drift_near ON langchain_drift_memories "
            "USING hnsw (embedding halfvec_cosine_ops)"
        )
    _note(connection, "dimensions", str(dimensions))


def drop_vectors(connection: Connection) -> None:
    """Drop the column of vectors and its index."""
    connection.execute("ALTER TABLE langchain_drift_memories DROP COLUMN IF EXISTS embedding")
    connection.execute("DELETE FROM langchain_drift_meta WHERE name = 'dimensions'")


def set_meta(connection: Connection, name: str, value: str) -> None:
    """Keep a fact about the whole memory."""
    _note(connection, name, value)


def _note(connection: Connection, name: str, value: str) -> None:
    connection.execute(
        "INSERT INTO langchain_drift_meta VALUES (%s, %s) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def _version(connection: Connection) -> int:
    found = connection.execute("SELECT to_regclass('langchain_drift_meta')").fetchone()
    if found is None or found[0] is None:
        return 0
    rows: list[tuple[Any, ...]] = connection.execute(
        "SELECT value FROM langchain_drift_meta WHERE name = 'version'"
    ).fetchall()
    if rows and not rows[0][0].isdecimal():
        message = (
            f"The memory in Postgres has the version {rows[0][0]!r:.40} in `langchain_drift_meta`, "
            "which no langchain-drift writes. It was left as it is; restore the table."
        )
        raise StoreError(message)
    return int(rows[0][0]) if rows else 0


def _make_extension(connection: Connection) -> None:
    available = connection.execute(
        "SELECT 1 FROM pg_available_extensions WHERE name = 'vector' AND installed_version IS NULL"
    ).fetchone()
    if not available:
        return
    try:
        with connection.transaction():
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.errors.InsufficientPrivilege:
        _logger.warning(
            "This user may not create the extension pgvector, so vectors are searched outside of "
            "the database, which takes longer in a big memory. Have `CREATE EXTENSION vector` run."
        )
