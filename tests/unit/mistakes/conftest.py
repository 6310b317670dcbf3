"""Records and stores for the tests of the mistake memory."""

from itertools import count

import pytest

from langchain_drift.mistakes.stores.json_file import JSONStore
from langchain_drift.mistakes.stores.memory import MemoryStore
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.stores.split import SplitStore
from langchain_drift.mistakes.stores.sqlite import SQLiteStore

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
