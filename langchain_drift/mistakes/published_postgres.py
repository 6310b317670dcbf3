"""The tables that driftguard-ai keeps a graph in, in Postgres."""

from collections.abc import Iterator

import psycopg

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.event import Event, Kind
from langchain_drift.mistakes.published_events import events_of
from langchain_drift.mistakes.published_graph import PublishedGraph, make_graph
from langchain_drift.mistakes.scope import Scope
from langchain_drift.mistakes.stores.postgres_server import Connection, Server, read_dsn

_META = "SELECT key, value FROM {}driftguard_meta"
_NODES = "SELECT text, type, first_seen, last_seen FROM {}driftguard_nodes"
_EDGES = "SELECT src, dst, frequency FROM {}driftguard_edges"
_SCHEMA = {"schema_name": "driftguard_postgres", "schema_version": "1"}
_PREFIXES: dict[Kind, str] = {"mistake": "", "success": "success_"}
_SECONDS = 30.0


def read_published_tables(dsn: str, kind: Kind | None = None) -> Iterator[Event]:
    """Yield the events of driftguard-ai's tables, which are only read.

    Args:
        dsn: Connection string, also in the form `postgresql+psycopg://`.
        kind: `mistake` for the tables `driftguard_…`, `success` for `success_driftguard_…`; None
            for what there is of both.

    Raises:
        InvalidInputError: If the database has no such tables, or of a later version.
        StoreError: If the server is away or refuses.
    """
    server = Server(read_dsn(dsn), _SECONDS, 1)
    with server.alone() as connection:
        connection.read_only = True
        kinds: tuple[Kind, ...] = ("mistake", "success") if kind is None else (kind,)
        graphs = {one: _read(connection, _PREFIXES[one], server.name) for one in kinds}
    if not any(graphs.values()):
        message = f"The database {server.name} has no tables of driftguard-ai."
        raise InvalidInputError(message)
    for one, graph in graphs.items():
        if graph is not None:
            yield from events_of(graph, one, Scope())


def _read(connection: Connection, prefix: str, name: str) -> PublishedGraph | None:
    """Return a graph, None if there are no such tables."""
    found = connection.execute("SELECT to_regclass(%s)", (f"{prefix}driftguard_nodes",)).fetchone()
    if found is None or found[0] is None:
        return None
    try:
        meta = connection.execute(_META.format(prefix)).fetchall()
        if dict(meta) != _SCHEMA:
            message = f"The tables {prefix}driftguard_… at {name} are of another version."
            raise InvalidInputError(message)
        nodes = connection.execute(_NODES.format(prefix)).fetchall()
        return make_graph(nodes, connection.execute(_EDGES.format(prefix)).fetchall())
    except (psycopg.ProgrammingError, TypeError, ValueError) as error:
        message = f"The tables {prefix}driftguard_… at {name} cannot be imported: {error}."
        raise InvalidInputError(message) from error
