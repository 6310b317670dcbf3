"""What is altered in Postgres: events hidden, shown, purged, and embedded again."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_drift.mistakes.stores.postgres_rows import dimensions_of, term_numbers
from langchain_drift.mistakes.stores.postgres_server import Connection
from langchain_drift.mistakes.stores.postgres_tables import drop_vectors, has_pgvector, set_meta
from langchain_drift.mistakes.stores.postgres_writing import NO_LIMIT, begin_vectors

_COUNT_AGAIN: Final = """
UPDATE langchain_drift_memories SET mistakes = now.mistakes, successes = now.successes
FROM (
    SELECT memories.id,
        count(*) FILTER (WHERE kind = 'mistake' AND NOT hidden) AS mistakes,
        count(*) FILTER (WHERE kind = 'success' AND NOT hidden) AS successes
    FROM langchain_drift_memories memories
    LEFT JOIN langchain_drift_events events
        ON events.scope = memories.scope AND events.memory = memories.id
    WHERE memories.scope = %(scope)s AND memories.id = ANY(%(memories)s) GROUP BY memories.id
) now WHERE langchain_drift_memories.id = now.id
"""
_EMPTY: Final = """
DELETE FROM langchain_drift_memories WHERE scope = %(scope)s AND id = ANY(%(memories)s)
    AND NOT EXISTS (
        SELECT FROM langchain_drift_events events
        WHERE events.scope = %(scope)s AND events.memory = langchain_drift_memories.id
    )
RETURNING id, terms
"""


def hide(connection: Connection, scope: int, event_ids: Sequence[str], *, hidden: bool) -> int:
    """Hide events or show them again; return how many were turned."""
    turned = connection.execute(
        "UPDATE langchain_drift_events SET hidden = %s "
        "WHERE scope = %s AND event_id = ANY(%s) AND hidden <> %s RETURNING memory",
        (hidden, scope, list(event_ids), hidden),
    ).fetchall()
    _altered(connection, scope, turned)
    return len(turned)


def purge(connection: Connection, scope: int, event_ids: Sequence[str]) -> int:
    """Delete events, and all that they were found by; return how many there were."""
    purged = connection.execute(
        "DELETE FROM langchain_drift_events WHERE scope = %s AND event_id = ANY(%s) "
        "RETURNING memory",
        (scope, list(event_ids)),
    ).fetchall()
    _altered(connection, scope, purged)
    memories = sorted({memory for (memory,) in purged})
    empty = connection.execute(_EMPTY, {"scope": scope, "memories": memories}).fetchall()
    for memory, terms in empty:
        numbers = [n for code in (True, False) for n in term_numbers(tuple(terms), is_code=code)]
        connection.execute(
            "DELETE FROM langchain_drift_terms WHERE scope = %s AND term = ANY(%s) AND memory = %s",
            (scope, numbers, memory),
        )
    connection.execute(
        "DELETE FROM langchain_drift_blames WHERE scope = %s AND memory = ANY(%s)",
        (scope, [memory for memory, _ in empty]),
    )
    connection.execute(
        "DELETE FROM langchain_drift_culprits culprits WHERE scope = %s AND NOT EXISTS ("
        "SELECT FROM langchain_drift_blames blames "
        "WHERE blames.scope = culprits.scope AND blames.digest = culprits.digest)",
        (scope,),
    )
    connection.execute(
        "UPDATE langchain_drift_scopes SET memories = memories - %s WHERE id = %s",
        (len(empty), scope),
    )
    return len(purged)


def replace_vectors(
    connection: Connection,
    vectors: Mapping[tuple[str, str], bytes | None],
    fingerprint: str,
    *,
    use_pgvector: bool,
) -> list[tuple[str, int]]:
    """Replace all vectors; return the scopes and places that have none, if so nothing is done."""
    # Every writer locks its scope first, so from now on there is none.
    connection.execute("LOCK TABLE langchain_drift_scopes IN EXCLUSIVE MODE")
    connection.execute(NO_LIMIT)
    known = connection.execute(
        "SELECT scopes.key, place, event_id FROM langchain_drift_events events "
        "JOIN langchain_drift_scopes scopes ON scopes.id = events.scope"
    ).fetchall()
    missing = [(key, place) for key, place, name in known if (key, name) not in vectors]
    if missing:
        return missing
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE langchain_drift_events SET vector = %s WHERE place = %s",
            [(vectors[key, name], place) for key, place, name in known],
        )
    connection.execute("UPDATE langchain_drift_scopes SET generation = generation + 1")
    set_meta(connection, "fingerprint", fingerprint)
    drop_vectors(connection)
    found = (dimensions_of(vector) for vector in vectors.values())
    dimensions = next((size for size in found if size is not None), None)
    if dimensions is not None and use_pgvector and has_pgvector(connection):
        begin_vectors(connection, dimensions)
    return []


def _altered(connection: Connection, scope: int, turned: list[tuple[Any, ...]]) -> None:
    """Count the memories of some events again and begin a new generation of their scope."""
    if not turned:
        return
    memories = sorted({memory for (memory,) in turned})
    connection.execute(_COUNT_AGAIN, {"scope": scope, "memories": memories})
    connection.execute(
        "UPDATE langchain_drift_scopes SET generation = generation + 1 WHERE id = %s", (scope,)
    )
