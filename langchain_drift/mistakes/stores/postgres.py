"""Events in Postgres, shared by any number of processes and machines."""

import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf

from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.stores import postgres_altering as altering
from langchain_drift.mistakes.stores import postgres_search as search
from langchain_drift.mistakes.stores import postgres_writing as writing
from langchain_drift.mistakes.stores.per_process import PerProcess
from langchain_drift.mistakes.stores.postgres_reading import VectorTables, read_at, read_pages
from langchain_drift.mistakes.stores.postgres_search import Scoped
from langchain_drift.mistakes.stores.postgres_server import Connection, Server, read_dsn
from langchain_drift.mistakes.stores.postgres_tables import migrate
from langchain_drift.mistakes.stores.protocol import Changes
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.stores.search import Found, Kept, Wanted


@dataclass(slots=True)
class _Session:
    """What one process has of a database."""

    server: Server
    is_ready: bool = False
    tables: VectorTables = field(default_factory=VectorTables)
    lock: threading.Lock = field(default_factory=threading.Lock)


class PostgresStore:
    """Keeps events in Postgres; reviews find what they need there, however big the memory is.

    An event is durable when `append` returns, and seen everywhere at the next call. It connects at
    its first use, not before, and then makes its tables, whose names begin with
    `langchain_drift_`. With pgvector 0.8 or later the nearest neighbours are found in the database:
    exactly in scopes of up to 2,000 memories (20,000 where that is a small part of all), by an HNSW
    index in larger ones. Without it they are found exactly, in this process, which then holds the
    vectors of the scopes it is asked for.

    Args:
        dsn: Connection string, such as `postgresql://user:password@host:5432/database`; a driver
            as in `postgresql+psycopg://` may be named and is ignored.
        timeout: How long to wait for a connection, and for each statement, in seconds.
        connections: Most connections of one process at the same time.
        use_pgvector: Whether to use pgvector where the server has it.

    Raises:
        InvalidInputError: If the connection string cannot be read, or a number is out of range.
        MissingExtraError: When it is imported without the extra `postgres`.

    Example:
        ```python
        guard = DriftGuard(store=PostgresStore("postgresql://agent@db.example/memory"))
        ```
    """

    def __init__(
        self, dsn: str, *, timeout: float = 5.0, connections: int = 4, use_pgvector: bool = True
    ) -> None:
        conninfo = read_dsn(dsn)
        check_count("connections", connections, least=1)
        is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
        if not is_number or not 0 < timeout < inf:
            message = f"timeout is {timeout!r:.80}, but must be a number of seconds above 0."
            raise InvalidInputError(message)
        self.use_pgvector = use_pgvector
        self._session = PerProcess(lambda: _Session(Server(conninfo, timeout, connections)))
        self._close = weakref.finalize(
            self, lambda session: session.get().server.close(), self._session
        )

    def setup(self) -> None:
        """Make the tables, or bring them to the newest version; done at the first use anyway.

        Raises:
            StoreError: If the server is away or refuses.
        """
        session = self._session.get()
        with session.lock:
            if not session.is_ready:
                migrate(session.server, use_pgvector=self.use_pgvector)
                session.is_ready = True

    def append(self, records: Sequence[Record], fingerprint: str) -> list[bool]:
        """Append records in one step, durably; return which of them were new."""
        if not records:
            return []
        with self._transaction() as connection:
            kept = writing.append(connection, records, fingerprint, use_pgvector=self.use_pgvector)
        return [one.is_new for one in kept]

    def keep(self, record: Record, fingerprint: str) -> Kept:
        """Append a record, and tell what it added to the graph; see `EventSearch.keep`.

        A node counts as known if the scope ever had it, hidden and purged ones too.
        """
        with self._transaction() as connection:
            (kept,) = writing.append(
                connection, [record], fingerprint, use_pgvector=self.use_pgvector
            )
        return kept

    def changes(self, scope: str, since: str | None = None) -> Changes:
        """Return what changed in a scope since a cursor."""
        with self._transaction() as connection:
            found = search.read_scope(connection, scope)
            epoch = f"{found.meta.get('store')}:{found.generation}"
            before, _, place = (since or "").rpartition(":")
            goes_on = before == epoch
            first = last = int(place) if goes_on else 0
            added: list[Record] = []
            for page in read_pages(connection, found, first, hidden=False):
                added += page.records
                last = page.last
        return Changes(f"{epoch}:{last}", added, reset=since is not None and not goes_on)

    def find(self, scope: str, wanted: Wanted) -> Found:
        """Return the memories that can matter for a review; see `EventSearch.find`."""
        with self._transaction() as connection:
            known = search.read_scope(connection, scope)
            near = self._near(connection, known, wanted)
            return search.find(connection, known, wanted, near)

    def worked_instead(self, scope: str, event_ids: Sequence[str]) -> Found:
        """Return the memories of what worked instead; see `EventSearch.worked_instead`."""
        with self._transaction() as connection:
            known = search.read_scope(connection, scope)
            return search.worked_instead(connection, known, event_ids)

    def follow(self, scope: str, key: str, steps: int) -> Found:
        """Return a memory and what its outcomes lead on to; see `EventSearch.follow`."""
        with self._transaction() as connection:
            return search.follow(connection, search.read_scope(connection, scope), key, steps)

    def hide(self, scope: str, event_ids: Sequence[str], *, hidden: bool = True) -> int:
        """Hide events, or show them again at their old place; return how many were turned."""
        with self._transaction() as connection:
            number = writing.lock(connection, scope)
            return altering.hide(connection, number, event_ids, hidden=hidden) if number else 0

    def purge(self, scope: str, event_ids: Sequence[str]) -> int:
        """Delete events for good; return how many there were.

        The server overwrites what was deleted as it vacuums; its backups may still hold it.
        """
        with self._transaction() as connection:
            number = writing.lock(connection, scope)
            return altering.purge(connection, number, event_ids) if number else 0

    def read(self, scope: str | None = None, *, hidden: bool = False) -> Iterator[Record]:
        """Yield the visible records of one scope or of all, oldest first; or the hidden ones.

        They are read by and by, scope by scope: what changes meanwhile may or may not be seen.
        """
        for key in self._keys() if scope is None else [scope]:
            last = 0
            while True:
                with self._transaction() as connection:
                    known = search.read_scope(connection, key)
                    page = next(read_pages(connection, known, last, hidden=hidden), None)
                if page is None:
                    break
                yield from page.records
                last = page.last

    def scopes(self) -> dict[str, int]:
        """Return the keys of all scopes with their number of visible events."""
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT scopes.key, count(*) FILTER (WHERE NOT hidden) "
                "FROM langchain_drift_scopes scopes JOIN langchain_drift_events events "
                "ON events.scope = scopes.id GROUP BY scopes.id ORDER BY scopes.id"
            ).fetchall()
        return dict(rows)

    def fingerprint(self) -> str | None:
        """Return the identity of the embedder of the vectors, None if none was recorded."""
        with self._transaction() as connection:
            return writing.read_meta(connection).get("fingerprint")

    def replace_vectors(
        self, vectors: Mapping[tuple[str, str], bytes | None], fingerprint: str
    ) -> list[Record]:
        """Replace all vectors; return the records that have none, if so nothing was replaced."""
        with self._transaction() as connection:
            missing = altering.replace_vectors(
                connection, vectors, fingerprint, use_pgvector=self.use_pgvector
            )
            found: list[Record] = []
            for key, place in missing:
                known = search.read_scope(connection, key)
                found += read_at(connection, known, place)
        return found

    def close(self) -> None:
        """Close all connections; a later call opens new ones."""
        self._session.get().server.close()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        self.setup()
        with self._session.get().server.transaction() as connection:
            yield connection

    def _keys(self) -> list[str]:
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT key FROM langchain_drift_scopes ORDER BY id"
            ).fetchall()
        return [key for (key,) in rows]

    def _near(self, connection: Connection, scope: Scoped, wanted: Wanted) -> Iterable[int]:
        """Return the memories nearest in meaning, if the database does not search them."""
        if self.use_pgvector and "dimensions" in scope.meta:
            return ()
        return self._session.get().tables.nearest(connection, scope, wanted)
