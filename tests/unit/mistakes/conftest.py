"""Records, stores, guards and a fake embedder for the tests of mistake memory."""

import hashlib
from itertools import count

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from langchain_drift import DriftGuard, DriftGuardSettings, MemoryStore
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


def make_store(kind, folder):
    """Return an empty store of a kind."""
    if kind == "memory":
        return MemoryStore()
    if kind == "split":
        return SplitStore(JSONStore(folder / "mistakes"), SQLiteStore(folder / "successes"))
    return FILE_STORES[kind](folder / "memory")


@pytest.fixture(params=["memory", "split", *FILE_STORES])
def store(request, tmp_path):
    """Return an empty store of each kind."""
    store = make_store(request.param, tmp_path)
    yield store
    store.close()


@pytest.fixture(params=FILE_STORES)
def file_store(request):
    """Return each class of stores that keep a file."""
    return FILE_STORES[request.param]
