"""A big memory in one SQLite file, with `[ann]`: `pytest tests/benchmarks/bench_approximate.py -s`.

`DRIFT_BENCH_EVENTS=1000000` for the size that the README speaks of; the default is 30,000.
"""

import os
import resource
import statistics
import time
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from fleet_memory import Mixtures, code, records

from langchain_drift import DriftGuard, DriftGuardSettings
from langchain_drift.mistakes.stores.sqlite import SQLiteStore

EVENTS = int(os.environ.get("DRIFT_BENCH_EVENTS", "30000"))


def took(act):
    """Return how long a call takes, in milliseconds."""
    begin = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - begin)


def tell(name, taken):
    """Print the median and the 99th percentile, and return the median."""
    p50, p99 = statistics.median(taken), sorted(taken)[int(0.99 * len(taken))]
    print(f"  {name}: p50 {p50:.1f} ms, p99 {p99:.1f} ms")  # noqa: T201 - the result
    return p50


def memory_used():
    """Return how much memory this process uses, in GB."""
    used = Path("/proc/self/statm").read_text().split()[1]
    return int(used) * resource.getpagesize() / 1e9


def test_a_big_file_is_asked_quickly(tmp_path):
    """before_step takes at most 10 ms of a million events, and finds .98 of the ten nearest."""
    pytest.importorskip("faiss")
    mixtures = Mixtures()
    store = SQLiteStore(tmp_path / "memory")
    made = records(mixtures, EVENTS)
    while step := list(islice(made, 10_000)):
        store.append(step, "mixtures")
    settings = DriftGuardSettings(sqlite_filepath=tmp_path / "memory")
    texts, vectors = mixtures.make(300, 7)
    ready = dict(zip(texts, vectors.tolist(), strict=True))
    mixtures.embed_query = ready.__getitem__
    texts = list(ready)
    begin = memory_used()
    guard = DriftGuard(settings=settings, store=store, embeddings=mixtures)
    print(f"\n{EVENTS:,} events in SQLite")  # noqa: T201 - the result
    first = took(lambda: guard.review(texts[0]))
    print(f"  first review, which reads all and builds the index: {first / 1000:.0f} s")  # noqa: T201 - the result
    print(f"  memory: {memory_used() - begin:.1f} GB")  # noqa: T201 - the result
    prose = [took(lambda: guard.before_step(text)) for text in texts]  # noqa: B023 - called at once
    tell("before_step, prose", prose)
    asked = [text for text, _ in code(300, 1)] + [text for text, _ in code(300, 9)]
    other = [took(lambda: guard.before_step(text)) for text in asked]  # noqa: B023 - called at once
    tell("before_step, code", other)
    p50 = tell("before_step, all", [*prose, *other])
    with guard.runtime._view.open("", None) as index:
        near = index.vectors
        every = np.array(
            [np.frombuffer(index.memories[n].first.vector, "<f2") for n in near._numbers.values()]
        ).astype(np.float32)
        numbers = np.array(list(near._numbers.values()))
        shares = []
        for vector in vectors[:50]:
            ten = set(numbers[np.argpartition(-(every @ vector), 10)[:10]].tolist())
            found = [number for number, _ in near.nearest(vector, -1.0, 100)]
            shares.append(len(ten & set(found[:10])) / 10)
    print(f"  recall at 10: {np.mean(shares):.3f}")  # noqa: T201 - the result
    told = iter(texts)
    recorded = [took(lambda: guard.record(next(told), "it failed again")) for _ in range(200)]
    tell("record", recorded)
    closing = took(guard.close)
    again = DriftGuard(settings=settings, embeddings=mixtures)
    first = took(lambda: again.review(texts[0]))
    print(  # noqa: T201 - the result
        f"  closing writes the index in {closing / 1000:.1f} s; the next first review takes "
        f"{first / 1000:.0f} s"
    )
    again.close()
    assert p50 <= 10
    assert np.mean(shares) >= 0.98
