"""Times of the mistake memory: `pytest tests/benchmarks/bench_mistakes.py -s` prints them.

Embedding is left aside: vectors are random. Set `MEMORIES` for another size, such as 100000.
"""

import os
import random
import statistics
import time

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from langchain_drift import DriftGuard, DriftGuardSettings, MemoryStore

SIZE = int(os.environ.get("MEMORIES", "10000"))
VERBS = ("deploy", "restart", "migrate", "delete", "copy", "rename", "archive", "verify", "sync")
NOUNS = ("service", "index", "database", "worker", "cluster", "queue", "bucket", "report", "ledger")
# Machines differ: a budget is missed only by this factor.
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


def fill(guard, make, count):
    """Record actions, every fourth one a success, and return the milliseconds of each."""
    choose, taken = random.Random(0), []  # noqa: S311 - example data
    for number in range(count):
        action = make(number, choose)
        start = time.perf_counter()
        if number % 4:
            guard.record(action, f"Unknown column '{action.split()[3].strip(',')}'", "aborted")
        else:
            guard.record_success(action, "ok", "done")
        taken.append(1000 * (time.perf_counter() - start))
    return taken


@pytest.mark.parametrize("make", [prose, code])
def test_a_big_memory_answers_in_time(make):
    """Asking 10,000 memories takes at most 2 ms, recording 5 ms at any size, opening 0.5 s."""
    store = MemoryStore()
    settings = DriftGuardSettings(storage_backend="memory")
    guard = DriftGuard(settings=settings, store=store, embeddings=RandomEmbeddings())
    records = fill(guard, make, SIZE)
    choose, asked = random.Random(1), []  # noqa: S311 - example data
    for _ in range(200):
        action = make(choose.randrange(2 * SIZE), choose)
        start = time.perf_counter()
        guard.before_step(action)
        asked.append(1000 * (time.perf_counter() - start))
    first, last = statistics.median(records[:1000]), statistics.median(records[-1000:])
    other = DriftGuard(settings=settings, store=store, embeddings=RandomEmbeddings())
    start = time.perf_counter()
    other.before_step(make(0, choose))
    opened = time.perf_counter() - start
    print(  # noqa: T201 - what a benchmark is for
        f"{make.__name__}, {SIZE} memories: before_step {statistics.median(asked):.2f} ms, "
        f"record {first:.2f} ms at first and {last:.2f} ms at last, opened in {opened:.2f} s",
    )
    assert statistics.median(asked) < 2 * max(1, SIZE / 10_000) * TOLERANCE
    assert last < 5 * TOLERANCE
    assert opened < 5 * max(0.1, SIZE / 100_000) * TOLERANCE
