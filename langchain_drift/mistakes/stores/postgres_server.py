"""A Postgres server: how it is reached, how long it is waited for, and what its errors mean."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from time import monotonic
from typing import Any, Final

from langchain_drift.errors import InvalidInputError, MissingExtraError, StoreError

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout
except ImportError as error:
    raise MissingExtraError("psycopg", "postgres") from error  # noqa: EM101 - a name

Connection = psycopg.Connection[tuple[Any, ...]]
_DRIVER: Final = re.compile(r"^postgres(?:ql)?(?:\+\w+)?://")
# How far an approximate search looks around: 200 of a million give a recall of .98 at 10.
_NEIGHBOURS = 200
_SETTINGS = """
SELECT set_config('statement_timeout', %s, true), set_config('hnsw.ef_search', %s, true),
    set_config('hnsw.iterative_scan', 'relaxed_order', true)
"""


def read_dsn(dsn: str) -> str:
    """Return a connection string as libpq wants it, without the driver that SQLAlchemy names.

    Raises:
        InvalidInputError: If it is none; what it says is not repeated, for it may hold a password.
    """
    message = (
        "The connection string of Postgres cannot be read; it looks like "
        "postgresql://user:password@host:5432/database."
    )
    if not isinstance(dsn, str):
        raise InvalidInputError(message)
    plain = _DRIVER.sub("postgresql://", dsn.strip())
    try:
        conninfo_to_dict(plain)
    except psycopg.Error as error:
        raise InvalidInputError(message) from error
    return plain


def name_of(conninfo: str) -> str:
    """Return how a server is named in errors: without user and password."""
    given = conninfo_to_dict(conninfo)
    port = f":{given['port']}" if "port" in given else ""
    return f"{given.get('host') or 'localhost'}{port}/{given.get('dbname') or ''}"


@dataclass(slots=True)
class Server:
    """Connections of one process to one database.

    Args:
        conninfo: What `read_dsn` returns.
        timeout: How long to wait for a connection, and for each statement, in seconds.
        most: Most connections at the same time.
    """

    conninfo: str
    timeout: float
    most: int
    _pool: "ConnectionPool[Connection] | None" = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        """How it is named in errors."""
        return name_of(self.conninfo)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Give a connection; what is done takes effect all together or not at all.

        Raises:
            StoreError: If the server is away, too slow, or refuses.
        """
        with self.errors(), self._connected() as connection, connection.transaction():
            milliseconds = str(ceil(1000 * self.timeout))
            connection.execute(_SETTINGS, (milliseconds, str(_NEIGHBOURS)))
            yield connection

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """Give a connection that is alive.

        Where one has died, most have: all of them are looked at and made anew. The pool itself
        would find them one by one, and wait a second, then two, then four between.
        """
        pool, deadline = self._opened(), monotonic() + self.timeout
        with pool.connection() as connection:
            if _is_alive(connection):
                yield connection
                return
        pool.check()
        with pool.connection(max(0.0, deadline - monotonic())) as connection:
            yield connection

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Give a connection of its own, without limits, to make or change tables."""
        with (
            self.errors(),
            psycopg.connect(
                self.conninfo, connect_timeout=max(2, ceil(self.timeout))
            ) as connection,
        ):
            yield connection

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn what the driver says into a `StoreError` that names the server."""
        try:
            yield
        except (psycopg.Error, PoolTimeout, PoolClosed) as error:
            message = f"The memory in Postgres at {self.name} {_meaning(error, self.timeout)}"
            raise StoreError(message) from error

    def close(self) -> None:
        """Close all connections; a later transaction opens new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def _opened(self) -> "ConnectionPool[Connection]":
        with self._lock:
            if self._pool is None:
                self._pool = ConnectionPool(
                    make_conninfo(self.conninfo, connect_timeout=max(2, ceil(self.timeout))),
                    min_size=1,
                    max_size=self.most,
                    timeout=self.timeout,
                    # A server that comes back is met again at the next call.
                    reconnect_timeout=self.timeout,
                    name="langchain-drift",
                    open=False,
                )
                self._pool.open(wait=False)
            return self._pool


def _is_alive(connection: Connection) -> bool:
    try:
        ConnectionPool.check_connection(connection)
    except psycopg.OperationalError:
        return False
    return True


def _meaning(error: Exception, timeout: float) -> str:
    said = " ".join(str(error).split())
    if isinstance(error, psycopg.errors.QueryCanceled | psycopg.errors.LockNotAvailable):
        return f"did not answer within {timeout:g} seconds; try again, or raise the timeout."
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return (
            f"refuses: {said}. Let its user create and write tables there, or have "
            "`PostgresStore(dsn).setup()` run once by one that may."
        )
    if isinstance(error, PoolTimeout | PoolClosed) or not isinstance(error, psycopg.DatabaseError):
        return f"gave no connection within {timeout:g} seconds; is the server up? ({said})"
    if isinstance(error, psycopg.OperationalError):
        return f"cannot be reached: {said}. Nothing was written; see that the server is up."
    return f"cannot be used: {said}."
