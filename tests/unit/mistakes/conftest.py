"""Records, stores, guards and a fake embedder for the tests of mistake memory."""

import hashlib
from contextlib import ExitStack
from itertools import count

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore

from langchain_drift import DriftGuard, DriftGuardSettings, MemoryStore
from langchain_drift.langgraph_store import LangGraphStore
from langchain_drift.mistakes.stores.json_file import JSONStore
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.stores.split import SplitStore
from langchain_drift.mistakes.stores.sqlite import SQLiteStore

NOON = 1_800_000_000.0
DAY = 86_400.0


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self):
        self.now = NOON

    def __call__(self):
        return self.now

    def pass_days(self, days):
        self.now += days * DAY


class HashEmbeddings(Embeddings):
    """Gives every text a direction of its own: nothing is a paraphrase of anything."""

    def __init__(self, fingerprint="hash-8", dimensions=64):
        self.fingerprint = fingerprint
        self.dimensions_ = dimensions
        self.calls = []

    def embed_documents(self, texts):
        self.calls.append(list(texts))
        return [self._vector(text) for text in texts]

    def embed_query(self, text):
        return self._vector(text)

    def _vector(self, text):
        seed = int.from_bytes(hashlib.sha256(f"{self.fingerprint}{text}".encode()).digest()[:8])
        return np.random.default_rng(seed).standard_normal(self.dimensions_).tolist()


@pytest.fixture
def clock():
    """Return a clock that stands."""
    return Clock()


@pytest.fixture
def make_guard(clock):
    """Return a function that makes a guard on a new store in memory; settings by name."""

    def make(store=None, embeddings=None, **settings):
        return DriftGuard(
            settings=DriftGuardSettings(storage_backend="memory", **settings),
            store=store or MemoryStore(),
            embeddings=embeddings,
            clock=clock,
        )

    return make


@pytest.fixture
def guard(make_guard):
    """Return a guard at its defaults, on a store in memory."""
    return make_guard()


@pytest.fixture
def hash_embeddings():
    """Return the class of embedders to which no two texts are alike."""
    return HashEmbeddings


FILE_STORES = {"json": JSONStore, "sqlite": SQLiteStore}


@pytest.fixture
def make_record():
    """Return a function that makes records, each with a new id unless one is given."""
    numbers = count()

    def make(event_id=None, **changes):
        number = next(numbers)
        values = {
            "scope": "",
            "event_id": f"event-{number}" if event_id is None else event_id,
            "kind": "mistake",
            "action": f"read total of orders_{number}",
            "feedback": "no such column: total",
            "outcome": "",
            "at": 1_700_000_000.25 + number,
            "hypothesis": False,
            "source": "thread-1",
            "key": f"key-{number}",
            "terms": ("total", f"orders_{number}"),
            "culprits": ("total",),
            "vector": None,
        }
        return Record(**{**values, **changes})

    return make


STORES = [
    "memory",
    "split",
    *FILE_STORES,
    "postgres",
    "postgres_exact",
    "langgraph_memory",
    "langgraph_sqlite",
    "langgraph_postgres",
]


class Storage:
    """Opens stores of a kind, all on the same events."""

    def __init__(self, kind, folder, request):
        self.kind, self.folder = kind, folder
        # Asked for at once: who has no server is skipped here, and has nothing to throw away.
        self._uri = request.getfixturevalue("postgres_uri") if "postgres" in kind else None
        self._shared = None
        self._open = ExitStack()

    def open(self):
        """Open one more store on the events."""
        if self.kind == "memory":
            return MemoryStore()
        if self.kind == "split":
            first, second = (
                JSONStore(self.folder / "mistakes"),
                SQLiteStore(self.folder / "successes"),
            )
            return SplitStore(first, second)
        if self.kind.startswith("postgres"):
            return open_postgres(self.dsn, use_pgvector=self.kind == "postgres")
        if self.kind.startswith("langgraph"):
            return LangGraphStore(self._platform())
        return FILE_STORES[self.kind](self.folder / "memory")

    def clear(self):
        """Throw all events away."""
        if self.kind.startswith("postgres"):
            empty_postgres(self.dsn)
        if self.kind == "langgraph_postgres":
            platform = self._platform()
            for item in platform.search(("langchain-drift",), limit=100_000):
                platform.delete(item.namespace, item.key)
        self._open.close()
        self._shared = None

    @property
    def dsn(self):
        """Where the tables are."""
        return in_schema(self._uri, self.kind)

    def _platform(self):
        """Return the store of a deployment, the same one for all that are opened."""
        if self._shared is None:
            if self.kind == "langgraph_memory":
                self._shared = InMemoryStore()
            elif self.kind == "langgraph_sqlite":
                path = str(self.folder / "platform")
                self._shared = self._open.enter_context(SqliteStore.from_conn_string(path))
                self._shared.setup()
            else:
                from langgraph.store.postgres import PostgresStore  # noqa: PLC0415 - an extra

                self._shared = self._open.enter_context(PostgresStore.from_conn_string(self._uri))
                self._shared.setup()
        return self._shared


def in_schema(uri, schema):
    """Return where tables of a schema of their own are, which is made if need be."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    return f"{uri}&options=-csearch_path%3D{schema}%2Cpublic"


def open_postgres(dsn, **settings):
    """Return a store in Postgres."""
    from langchain_drift.mistakes.stores.postgres import PostgresStore  # noqa: PLC0415 - an extra

    return PostgresStore(dsn, **settings)


def empty_postgres(dsn):
    """Throw all events of a database away."""
    import psycopg  # noqa: PLC0415 - an extra

    open_postgres(dsn).setup()
    with psycopg.connect(dsn, autocommit=True) as connection:
        for table in ("events", "memories", "terms", "culprits", "blames", "nodes", "scopes"):
            connection.execute(f"TRUNCATE langchain_drift_{table}")
        connection.execute(
            "DELETE FROM langchain_drift_meta WHERE name IN ('fingerprint', 'dimensions');"
            "ALTER TABLE langchain_drift_memories DROP COLUMN IF EXISTS embedding"
        )


@pytest.fixture
def make_storage(request, tmp_path_factory):
    """Return a function that makes the storage of a kind; all are emptied at the end."""
    made = []

    def make(kind):
        made.append(Storage(kind, tmp_path_factory.mktemp(kind), request))
        return made[-1]

    yield make
    for storage in made:
        storage.clear()


@pytest.fixture(params=STORES)
def storage(request, make_storage):
    """Return the storage of each kind."""
    return make_storage(request.param)


@pytest.fixture
def store(storage):
    """Return an empty store of each kind."""
    store = storage.open()
    yield store
    store.close()


@pytest.fixture(params=FILE_STORES)
def file_store(request):
    """Return each class of stores that keep a file."""
    return FILE_STORES[request.param]
