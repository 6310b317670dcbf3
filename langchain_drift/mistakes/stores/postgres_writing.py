"""What is written to Postgres: events, and the tables by which they are found."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from langchain_drift.errors import EmbedderChangedError
from langchain_drift.mistakes.stores.postgres_rows import (
    digest_of,
    dimensions_of,
    literal,
    to_row,
)
from langchain_drift.mistakes.stores.postgres_server import Connection
from langchain_drift.mistakes.stores.postgres_tables import (
    add_vectors,
    has_pgvector,
    set_meta,
)
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.stores.search import Kept

# One statement writes an event and all that it is found by. `{}` is the column of vectors.
_INSERT: Final = """
WITH memory AS (
    INSERT INTO langchain_drift_memories AS known (scope, key, terms, mistakes, successes{column})
    VALUES (%(scope)s, %(key)s, %(terms)s::text[], %(mistakes)s, %(successes)s{value})
    ON CONFLICT (scope, key) DO UPDATE SET
        mistakes = known.mistakes + excluded.mistakes,
        successes = known.successes + excluded.successes
    RETURNING id, xmax = 0 AS is_new
), counted AS (
    UPDATE langchain_drift_scopes SET memories = memories + 1
    WHERE id = %(scope)s AND (SELECT is_new FROM memory)
), terms AS (
    INSERT INTO langchain_drift_terms
    SELECT %(scope)s, term, memory.id FROM memory, unnest(%(term_numbers)s::bigint[]) term
    WHERE is_new ON CONFLICT DO NOTHING
), event AS (
    INSERT INTO langchain_drift_events (
        scope, memory, event_id, kind, at, hypothesis, source, tool, outcome_key, terms, culprits,
        vector, action, feedback, outcome
    ) SELECT %(scope)s, memory.id, %(event_id)s, %(kind)s, %(at)s, %(hypothesis)s, %(source)s,
        %(tool)s, %(outcome_key)s, %(terms)s::text[], %(culprits)s::text[], %(vector)s::bytea,
        %(action)s, %(feedback)s, %(outcome)s
    FROM memory RETURNING place, memory
), culprits AS (
    INSERT INTO langchain_drift_culprits
    SELECT %(scope)s, %(blamed_term)s::bigint, %(blamed_digest)s::bigint, %(blamed)s::text[]
    WHERE %(blamed)s::text[] <> '{{}}' ON CONFLICT DO NOTHING
), blames AS (
    INSERT INTO langchain_drift_blames
    SELECT %(scope)s, %(blamed_digest)s::bigint, memory, place FROM event
    WHERE %(blamed)s::text[] <> '{{}}' ON CONFLICT DO NOTHING
), nodes AS (
    INSERT INTO langchain_drift_nodes
    SELECT DISTINCT %(scope)s, node FROM unnest(%(nodes)s::bigint[] || %(edges)s::bigint[]) node
    ON CONFLICT DO NOTHING RETURNING node
)
SELECT node = ANY(%(nodes)s::bigint[]) FROM nodes
"""
_FIRST_VECTORS: Final = """
SELECT memories.id, first.vector FROM langchain_drift_memories memories CROSS JOIN LATERAL (
    SELECT vector FROM langchain_drift_events events
    WHERE events.scope = memories.scope AND events.memory = memories.id ORDER BY place LIMIT 1
) first WHERE first.vector IS NOT NULL AND memories.id > %s ORDER BY memories.id LIMIT 1000
"""

NO_LIMIT: Final = "SELECT set_config('statement_timeout', '0', true)"


def append(
    connection: Connection, records: Sequence[Record], fingerprint: str, *, use_pgvector: bool
) -> list[Kept]:
    """Append records; see `EventLog.append`."""
    # Always in the same order, so that no two writers wait for each other.
    scopes = {scope: lock(connection, scope) for scope in sorted({r.scope for r in records})}
    dimensions = _check_embedder(connection, records, fingerprint, use_pgvector=use_pgvector)
    known: set[tuple[str, str]] = set()
    for scope, number in scopes.items():
        names = [record.event_id for record in records if record.scope == scope]
        known.update((scope, name) for name in _known(connection, number, names))
    kept = []
    for record in records:
        name = record.scope, record.event_id
        if name in known:
            kept.append(Kept(is_new=False))
        else:
            known.add(name)
            kept.append(_insert(connection, record, scopes[record.scope], dimensions))
    return kept


def _check_embedder(
    connection: Connection, records: Sequence[Record], fingerprint: str, *, use_pgvector: bool
) -> int | None:
    """Keep the first embedder's fingerprint, refuse every other; return the column's dimensions."""
    sizes = [dimensions_of(record.vector) for record in records if record.vector is not None]
    meta = read_meta(connection)
    if not sizes:
        return _as_number(meta.get("dimensions"))
    wanted = next((size for size in sizes if size is not None), None)
    may_begin = bool(wanted) and use_pgvector and "dimensions" not in meta
    may_begin = may_begin and has_pgvector(connection)
    if "fingerprint" not in meta or may_begin:
        # The first of several that begin at once writes it; the others wait and read it.
        connection.execute("SELECT FROM langchain_drift_meta WHERE name = 'version' FOR UPDATE")
        meta = read_meta(connection)
    stored = meta.get("fingerprint")
    if stored is None:
        set_meta(connection, "fingerprint", fingerprint)
    elif stored != fingerprint:
        raise EmbedderChangedError(stored, fingerprint)
    dimensions = _as_number(meta.get("dimensions"))
    if dimensions is None and wanted and may_begin:
        begin_vectors(connection, wanted)
        return wanted
    return dimensions


def read_meta(connection: Connection) -> dict[str, str]:
    """Return what is known of the whole memory."""
    return dict(connection.execute("SELECT name, value FROM langchain_drift_meta").fetchall())


def _as_number(text: str | None) -> int | None:
    return None if text is None else int(text)


def begin_vectors(connection: Connection, dimensions: int) -> None:
    """Begin to search in the database, also for what is there already."""
    connection.execute(NO_LIMIT)
    add_vectors(connection, dimensions)
    for rows in _pages(connection):
        with connection.cursor() as cursor:
            cursor.executemany(
                "UPDATE langchain_drift_memories SET embedding = %s::halfvec WHERE id = %s",
                [(literal(vector, dimensions), memory) for memory, vector in rows],
            )


def _pages(connection: Connection) -> Iterator[list[tuple[Any, ...]]]:
    last = 0
    while rows := connection.execute(_FIRST_VECTORS, (last,)).fetchall():
        yield rows
        last = rows[-1][0]


def lock(connection: Connection, scope: str) -> int:
    """Return the number of a scope, made if need be; other writers of it wait from now on."""
    digest = digest_of(scope)
    find = "SELECT id FROM langchain_drift_scopes WHERE digest = %s FOR UPDATE"
    row = connection.execute(find, (digest,)).fetchone()
    if row is None:
        connection.execute(
            "INSERT INTO langchain_drift_scopes (digest, key) VALUES (%s, %s) "
            "ON CONFLICT DO NOTHING",
            (digest, scope),
        )
        row = connection.execute(find, (digest,)).fetchone()
    return int(row[0]) if row else 0


def _known(connection: Connection, scope: int, event_ids: list[str]) -> set[str]:
    rows = connection.execute(
        "SELECT event_id FROM langchain_drift_events WHERE scope = %s AND event_id = ANY(%s)",
        (scope, event_ids),
    ).fetchall()
    return {name for (name,) in rows}


def _insert(connection: Connection, record: Record, scope: int, dimensions: int | None) -> Kept:
    row = to_row(record, scope, dimensions)
    has_vector = row["embedding"] is not None
    statement = _INSERT.format(
        column=", embedding" if has_vector else "",
        value=", %(embedding)s::halfvec" if has_vector else "",
    )
    new = [is_node for (is_node,) in connection.execute(statement, row).fetchall()]
    return Kept(is_new=True, new_nodes=sum(new), new_edges=len(new) - sum(new))
