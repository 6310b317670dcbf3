"""Events of Postgres, read page by page; and the vectors that the database cannot search."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from langchain_drift.mistakes.reach import MOST_NEAREST
from langchain_drift.mistakes.stores.postgres_rows import COLUMNS, from_row
from langchain_drift.mistakes.stores.postgres_search import Scoped
from langchain_drift.mistakes.stores.postgres_server import Connection
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.stores.search import Wanted
from langchain_drift.mistakes.vectors import VectorTable

_PAGE: Final = 1_000
_MOST_TABLES: Final = 16
_JOINED: Final = f"""
SELECT {COLUMNS} FROM langchain_drift_events events
JOIN langchain_drift_memories memories ON memories.id = events.memory
"""  # noqa: S608 - our own columns
_NEXT: Final = f"""{_JOINED}
WHERE events.scope = %(scope)s AND events.hidden = %(hidden)s AND events.place > %(place)s
ORDER BY events.place LIMIT %(most)s
"""
_AT: Final = f"{_JOINED} WHERE events.place = %s"
_VECTORS: Final = """
SELECT memories.id, first.vector FROM langchain_drift_memories memories CROSS JOIN LATERAL (
    SELECT vector FROM langchain_drift_events events
    WHERE events.scope = memories.scope AND events.memory = memories.id ORDER BY place LIMIT 1
) first
WHERE memories.scope = %s AND memories.id > %s ORDER BY memories.id
"""


@dataclass(frozen=True, slots=True)
class Page:
    """Some events of a scope, and the place of the last of them."""

    records: list[Record]
    last: int


def read_pages(connection: Connection, scope: Scoped, last: int, *, hidden: bool) -> Iterator[Page]:
    """Yield the events behind a place, page by page."""
    while scope.number is not None:
        values = {"scope": scope.number, "hidden": hidden, "place": last, "most": _PAGE}
        with connection.cursor(binary=True) as cursor:
            rows = cursor.execute(_NEXT, values).fetchall()
        if not rows:
            return
        last = rows[-1][0]
        yield Page([from_row(scope.key, row) for row in rows], last)


def read_at(connection: Connection, scope: Scoped, place: int) -> list[Record]:
    """Return the event at a place."""
    with connection.cursor(binary=True) as cursor:
        rows = cursor.execute(_AT, (place,)).fetchall()
    return [from_row(scope.key, row) for row in rows]


@dataclass(slots=True)
class _Table:
    generation: int
    last: int = 0
    vectors: VectorTable = field(default_factory=VectorTable)


@dataclass(slots=True)
class VectorTables:
    """Vectors of the 16 scopes asked last, where the database cannot search them."""

    _tables: OrderedDict[str, _Table] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def nearest(self, connection: Connection, scope: Scoped, wanted: Wanted) -> list[int]:
        """Return the numbers of the memories nearest in meaning, after reading what is new."""
        if wanted.vector is None or scope.number is None:
            return []
        with self._lock:
            table = self._tables.get(scope.key)
            if table is None or table.generation != scope.generation:
                table = _Table(scope.generation)
            for memory, vector in connection.execute(_VECTORS, (scope.number, table.last)):
                if vector is not None:
                    table.vectors.add(memory, vector)
                table.last = memory
            self._tables[scope.key] = table
            self._tables.move_to_end(scope.key)
            if len(self._tables) > _MOST_TABLES:
                self._tables.popitem(last=False)
            found = table.vectors.nearest(wanted.vector, wanted.least_similarity, MOST_NEAREST)
        return [memory for memory, _ in found]
