"""Times of the mistake memory: `pytest tests/benchmarks/bench_mistakes.py -s` prints them.

Embedding is left aside: vectors are random. The store is the default, one SQLite file.
"""

import os
import random
import statistics
import time

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from langchain_drift import DriftGuard, DriftGuardSettings, Event
from langchain_drift.mistakes.exchange import import_into
from langchain_drift.mistakes.stores.sqlite import SQLiteStore

VERBS = ("deploy", "restart", "migrate", "delete", "copy", "rename", "archive", "verify", "sync")
NOUNS = ("service", "index", "database", "worker", "cluster", "queue", "bucket", "report", "ledger")
SETTINGS = DriftGuardSettings(storage_backend="memory")
FEW = 100
# Milliseconds that a review may take at a size; machines differ: missed only by the factor.
BUDGETS = {10_000: 2, 100_000: 70}
TOLERANCE = 3


class RandomEmbeddings(Embeddings):
    """Gives random vectors at once."""

    fingerprint = "random-384"

    def __init__(self):
        self._random = np.random.default_rng(0)

    def embed_array(self, texts):
        """Return random vectors."""
        return self._random.standard_normal((len(texts), 384)).astype(np.float32)

    def embed_documents(self, texts):
        """Return random vectors."""
        return self.embed_array(texts).tolist()

    def embed_query(self, text):
        """Return a random vector."""
        return self.embed_documents([text])[0]


def prose(number, choose):
    """Return an action in words."""
    what = f"{choose.choice(VERBS)} the {choose.choice(NOUNS)} of {choose.choice(NOUNS)}"
    return f"{what} customer {number} before the {choose.choice(NOUNS)} run"


def code(number, choose):
    """Return an action in code."""
    table = f"{choose.choice(NOUNS)}s_{number % 501}"
    return f"SELECT {choose.choice(NOUNS)}_{number % 977}, name FROM {table} WHERE id = {number}"  # noqa: S608 - only an example


def events(make, count):
    """Yield events, every fourth one a success."""
    choose = random.Random(0)  # noqa: S311 - example data
    for number in range(count):
        action = make(number, choose)
        blamed = action.split()[3].strip(",")
        told = {"action": action, "feedback": f"Unknown column '{blamed}'", "outcome": "aborted"}
        yield Event(**told, kind="mistake" if number % 4 else "success")


def open_guard(path, make, count):
    """Return a guard on a new file of so many memories, and the seconds to its first review."""
    store = SQLiteStore(path)
    import_into(store, events(make, count), RandomEmbeddings())
    guard = DriftGuard(settings=SETTINGS, store=store, embeddings=RandomEmbeddings())
    start = time.perf_counter()
    guard.review(make(0, random))
    return guard, time.perf_counter() - start


def record_times(times, folder, make, *guards):
    """Return the median time of a bare durable write, then of `record` on each guard.

    By turns, so that a busy disk hurts all: the bare write is what the disk itself takes.
    """
    taken = [[] for _ in range(len(guards) + 1)]
    with (folder / "bare").open("wb", buffering=0) as bare:
        for number in range(200):
            taken[0] += times(lambda _: (bare.write(bytes(2_000)), os.fsync(bare.fileno())), 1)
            action = make(10**6 + number, random)
            for guard, mine in zip(guards, taken[1:], strict=True):
                mine.extend(times(lambda _: guard.record(action, "it failed", "aborted"), 1))  # noqa: B023 - called at once
    return [statistics.median(each) for each in taken]


@pytest.mark.parametrize("size", BUDGETS)
@pytest.mark.parametrize("make", [prose, code])
def test_a_big_memory_answers_in_time(make, size, tmp_path, times):
    """Asking 10,000 memories takes 2 ms, 100,000 take 70; recording 5 ms at any size."""
    small, _ = open_guard(tmp_path / "small", make, FEW)
    big, opened = open_guard(tmp_path / "big", make, size)
    choose = random.Random(1)  # noqa: S311 - example data
    asked = statistics.median(
        times(lambda _: big.before_step(make(choose.randrange(2 * size), choose)), 200)
    )
    bare, few, many = record_times(times, tmp_path, make, small, big)
    print(  # noqa: T201 - what a benchmark is for
        f"{make.__name__}, {size} memories: before_step {asked:.2f} ms, first review after "
        f"{opened:.2f} s, record {many:.2f} ms and {few:.2f} ms at {FEW} (ratio "
        f"{many / few:.2f}), a bare durable write {bare:.2f} ms"
    )
    assert asked <= BUDGETS[size] * TOLERANCE
    assert many <= 5 + bare
    assert many / few <= 1.5
    assert opened <= 5 * size / 100_000 * TOLERANCE
    small.close()
    big.close()
