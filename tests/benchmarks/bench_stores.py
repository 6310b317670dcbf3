"""Size and speed of stores, embedding aside: `pytest tests/benchmarks/bench_stores.py -s`."""

import os
import statistics
import time
from itertools import count

import numpy as np
import pytest

from langchain_drift.mistakes.stores.json_file import JSONStore
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.stores.sqlite import SQLiteStore

KINDS = {"json": JSONStore, "sqlite": SQLiteStore}
VECTOR_BYTES = 768
_numbers = count()
_random = np.random.default_rng(0)


def make(number):
    """Return records of about the size of an agent's steps: 350 characters of words, 12 terms."""
    vectors = _random.normal(size=(number, VECTOR_BYTES // 2)).astype("<f2")
    return [
        Record(
            scope="",
            event_id=f"{next(_numbers):032x}",
            kind="mistake",
            action="list the ten newest orders of a customer with their totals, by date " * 3,
            feedback="no such column: customer_id; did you mean customer? " * 2,
            outcome="the step failed and was repeated",
            at=1_700_000_000.0,
            hypothesis=False,
            source="thread-1/run-2",
            key=f"{next(_numbers):032x}",
            terms=tuple(f"some_term_{n}" for n in range(12)),
            culprits=("some_term_3",),
            vector=vector.tobytes(),
        )
        for vector in vectors
    ]


def fill(store, number):
    """Append many records in steps of 1,000."""
    for _ in range(0, number, 1_000):
        store.append(make(min(number, 1_000)), "minilm")


def took(act):
    """Return how long a call takes, in milliseconds, and what it returns."""
    begin = time.perf_counter()
    result = act()
    return (time.perf_counter() - begin) * 1_000, result


def record_times(folder, *stores):
    """Return the median time of a bare durable write, then of an append to each store.

    By turns, so that a busy disk hurts all: the bare write is what the disk itself takes.
    """
    times = [[] for _ in range(len(stores) + 1)]
    with (folder / "bare").open("wb", buffering=0) as bare:
        for _ in range(200):
            times[0].append(took(lambda: (bare.write(bytes(2_000)), os.fsync(bare.fileno())))[0])
            for store, taken in zip(stores, times[1:], strict=True):
                records = make(1)
                taken.append(took(lambda: store.append(records, "minilm"))[0])  # noqa: B023 - called at once
    return [statistics.median(taken) for taken in times]


@pytest.mark.parametrize("kind", KINDS)
def test_recording_does_not_slow_down(kind, tmp_path):
    """Recording among 20,000 memories takes at most 1.5 times what it takes among 100."""
    stores = [KINDS[kind](tmp_path / str(size)) for size in (100, 20_000)]
    for store, size in zip(stores, (100, 20_000), strict=True):
        fill(store, size)
    bare, few, many = record_times(tmp_path, *stores)
    print(  # noqa: T201 - the numbers are the result
        f"{kind}: record {few:.2f} ms at 100, {many:.2f} ms at 20,000, ratio {many / few:.2f}; "
        f"a bare durable write {bare:.2f} ms"
    )
    assert many / few <= 1.5
    assert many <= 5


@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_thousand_open_in_time(kind, tmp_path):
    """100,000 memories open in 5 s, take 3 KB each beside the vector, and cost no review."""
    store = KINDS[kind](tmp_path / "memory")
    fill(store, 100_000)
    bare, recorded = record_times(tmp_path, store)
    store.close()
    size = (tmp_path / "memory").stat().st_size / 100_200
    opening, store = took(lambda: KINDS[kind](tmp_path / "memory"))
    reading, changes = took(lambda: store.changes(""))
    unchanged = statistics.median(
        took(lambda: store.changes("", changes.cursor))[0] for _ in range(1_000)
    )
    print(  # noqa: T201 - the numbers are the result
        f"{kind}: 100,000 open in {opening + reading:.0f} ms, {size:.0f} bytes an event with its "
        f"vector; nothing new costs {unchanged * 1_000:.0f} us; record {recorded:.2f} ms, "
        f"a bare durable write {bare:.2f} ms"
    )
    assert len(changes.added) == 100_200
    assert opening + reading <= 5_000
    assert size - VECTOR_BYTES <= 3_000
    assert unchanged <= 0.5
    assert recorded <= 5
    store.close()
