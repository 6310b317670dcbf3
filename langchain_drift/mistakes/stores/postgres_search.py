"""How memories are found in Postgres: by their key, their terms, what is blamed, their meaning."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from langchain_drift.mistakes.index import INSTEAD
from langchain_drift.mistakes.reach import (
    EXACT,
    LEAST_ALIKE,
    MOST_BLAMING,
    MOST_FOR_A_WORD,
    MOST_HOLDING,
    MOST_NEAREST,
)
from langchain_drift.mistakes.stores import postgres_statements as sql
from langchain_drift.mistakes.stores.postgres_rows import (
    digest_of,
    from_row,
    term_number,
    vector_literal,
)
from langchain_drift.mistakes.stores.postgres_server import Connection
from langchain_drift.mistakes.stores.postgres_writing import read_meta
from langchain_drift.mistakes.stores.search import Found, Wanted
from langchain_drift.mistakes.terms import MENTION, words_of

# Bounds of what is read in one review, whatever the memory holds.
_MOST_EVENTS, _MOST_OF_THE_SAME, _LEAST_OF_ONE = 4096, 256, 16
_MOST_CULPRITS, _MOST_NEWEST, _MOST_COUNTED = 128, 1024, 512
_MOST_FAILURES, _MOST_FOLLOWED = 256, 256
# Above this no tool finding reaches a confidence that is shown.
_MOST_SUCCESSES = 200
_ROUNDING = 0.001
# Comparing a thousand vectors one by one takes the server about a millisecond.
_FEW, _SMALLEST_PART = 2_000, 50


class Scoped(NamedTuple):
    """A scope, and what is known of the whole memory.

    Attributes:
        key: `Scope.key`.
        number: Its number; None if nothing was ever recorded in it.
        generation: Another one after every hiding, purging and embedding again.
        memories: How many memories it has.
        meta: What is known of the whole memory.
    """

    key: str
    number: int | None
    generation: int
    memories: int
    meta: dict[str, str]


def read_scope(connection: Connection, key: str) -> Scoped:
    """Return what is known of a scope."""
    row = connection.execute(
        "SELECT id, generation, memories FROM langchain_drift_scopes WHERE digest = %s",
        (digest_of(key),),
    ).fetchone()
    number, generation, memories = row or (None, 0, 0)
    return Scoped(key, number, generation, memories, read_meta(connection))


def find(connection: Connection, scope: Scoped, wanted: Wanted, near: Iterable[int]) -> Found:
    """Return the memories that can matter for a review; see `EventSearch.find`.

    Args:
        connection: An open transaction.
        scope: Whose memory.
        wanted: What is asked.
        near: Memories that are near in meaning, found outside of the database.
    """
    fingerprint = scope.meta.get("fingerprint")
    if scope.number is None:
        return Found(fingerprint=fingerprint)
    action = wanted.action
    same = _ids(connection, sql.BY_KEY, (scope.number, action.key))
    others = {*near, *_near(connection, scope, wanted), *_blamed(connection, scope.number, wanted)}
    working = 0
    if action.is_code:
        others |= _alike(connection, scope.number, wanted)
        others_of_tool, working = _tool(connection, scope.number, action.tool)
        others |= others_of_tool
    found = read_memories(connection, scope, same, _MOST_OF_THE_SAME)
    more = read_memories(connection, scope, others - same)
    records = sorted([*found, *more], key=lambda row: row[0])
    return _found(scope, records, working)


def worked_instead(connection: Connection, scope: Scoped, event_ids: Sequence[str]) -> Found:
    """Return the memories of what worked instead; see `EventSearch.worked_instead`."""
    if scope.number is None or not event_ids:
        return Found()
    names = [f"{name}{INSTEAD}" for name in event_ids]
    ids = _ids(connection, sql.OF_EVENTS, (scope.number, names))
    return _found(scope, read_memories(connection, scope, ids), 0)


def follow(connection: Connection, scope: Scoped, key: str, steps: int) -> Found:
    """Return a memory and those that its outcomes lead on to; see `EventSearch.follow`."""
    if scope.number is None:
        return Found()
    bounds = {"newest": _MOST_OF_THE_SAME, "most": _MOST_FOLLOWED, "steps": steps}
    ids = _ids(connection, sql.FOLLOW, {"scope": scope.number, "key": key, **bounds})
    return _found(scope, read_memories(connection, scope, ids), 0)


def read_memories(
    connection: Connection, scope: Scoped, memories: set[int], most: int | None = None
) -> list[tuple[Any, ...]]:
    """Return the newest events of some memories, in the order of appending."""
    if not memories:
        return []
    each = min(_MOST_OF_THE_SAME, max(_LEAST_OF_ONE, _MOST_EVENTS // len(memories)))
    values = {"scope": scope.number, "memories": sorted(memories), "most": most or each}
    with connection.cursor(binary=True) as cursor:
        return cursor.execute(sql.EVENTS, values).fetchall()


def _found(scope: Scoped, rows: list[tuple[Any, ...]], working: int) -> Found:
    records = []
    left: dict[str, tuple[int, int]] = {}
    for *row, mistakes, successes in rows:
        record = from_row(scope.key, tuple(row))
        more, worked = left.get(record.key, (mistakes, successes))
        is_mistake = record.kind == "mistake"
        left[record.key] = more - is_mistake, worked - (not is_mistake)
        records.append(record)
    earlier = {key: counts for key, counts in left.items() if any(counts)}
    return Found(records, earlier, working, scope.meta.get("fingerprint"))


def _near(connection: Connection, scope: Scoped, wanted: Wanted) -> set[int]:
    if wanted.vector is None or scope.meta.get("dimensions") != str(wanted.vector.size):
        return set()
    order = sql.APPROXIMATELY if _by_index(connection, scope) else sql.EXACTLY
    values = {
        "scope": scope.number,
        "vector": vector_literal(wanted.vector),
        "most": MOST_NEAREST,
        "farthest": 1 - wanted.least_similarity + _ROUNDING,
    }
    return _ids(connection, sql.NEAR.format(order=order), values)


def _by_index(connection: Connection, scope: Scoped) -> bool:
    """Tell whether to ask the index, which finds little where a scope is a small part of all."""
    if scope.memories <= _FEW or scope.memories > EXACT:
        return scope.memories > _FEW
    row = connection.execute(sql.TOTAL).fetchone()
    return row is not None and scope.memories * _SMALLEST_PART >= row[0]


def _alike(connection: Connection, scope: int, wanted: Wanted) -> set[int]:
    """Return the code memories that share enough words."""
    words = wanted.words
    if not words:
        return set()
    values = {
        "scope": scope,
        "words": [term_number(word, is_code=True) for word in words],
        "counted": _MOST_COUNTED,
        "rare": wanted.rare_words,
        "most": MOST_FOR_A_WORD,
    }
    found = set()
    for memory, terms in connection.execute(sql.ALIKE, values).fetchall():
        others = words_of(frozenset(terms))
        shared = len(words & others)
        if shared and shared / (len(words) + len(others) - shared) >= LEAST_ALIKE:
            found.add(memory)
    return found


def _blamed(connection: Connection, scope: int, wanted: Wanted) -> set[int]:
    """Return the memories that blame what an action holds, and those that hold it and worked."""
    is_code = wanted.action.is_code
    held = sorted(wanted.held)
    numbers = [term_number(term, is_code=is_code) for term in held]
    rows = connection.execute(sql.CULPRITS, (scope, numbers, held, _MOST_CULPRITS)).fetchall()
    if not rows:
        return set()
    digests = [digest for digest, _ in rows]
    found = _ids(connection, sql.BLAMING, (digests, scope, MOST_BLAMING))
    for _, culprits in rows:
        names = [culprit.removeprefix(MENTION) for culprit in culprits]
        values = {
            "scope": scope,
            "terms": [term_number(name, is_code=is_code) for name in names],
            "counted": _MOST_COUNTED,
            "read": _MOST_NEWEST,
            "used": [culprit for culprit in culprits if not culprit.startswith(MENTION)],
            "mentioned": [culprit for culprit in culprits if culprit.startswith(MENTION)],
            "most": MOST_HOLDING,
        }
        found |= _ids(connection, sql.HOLDING, values)
    return found


def _tool(connection: Connection, scope: int, tool: str) -> tuple[set[int], int]:
    """Return the memories of a tool's failures that blame nothing, and how often it worked."""
    if not tool:
        return set(), 0
    row = connection.execute(sql.WORKING, (scope, tool, _MOST_SUCCESSES)).fetchone()
    working = int(row[0]) if row else 0
    if working >= _MOST_SUCCESSES:
        return set(), working
    return _ids(connection, sql.FAILING, (scope, tool, _MOST_FAILURES)), working


def _ids(connection: Connection, statement: str, values: Any) -> set[int]:  # noqa: ANN401 - of any statement
    return {row[0] for row in connection.execute(statement, values).fetchall()}
