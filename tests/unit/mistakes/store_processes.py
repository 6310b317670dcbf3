"""Processes at work on one store, run as a program: a test's own process has threads.

python store_processes.py together json|sqlite|postgres FILE PROCESSES RECORDS
python store_processes.py killed json|sqlite FILE ROUNDS
"""

import json
import multiprocessing
import os
import random
import signal
import sys
import time
from pathlib import Path

from langchain_drift import DriftGuard, DriftGuardSettings
from langchain_drift.mistakes.action import read_action
from langchain_drift.mistakes.stores.opening import open_file
from langchain_drift.mistakes.stores.record import Record

PLACES = {"json": "graph_filepath", "sqlite": "sqlite_filepath", "postgres": "postgres_dsn"}
VECTOR = b"\x00\x3c" * 384
SHARED = "deploy --all"
# What each process does in turn: what all do, what it does alone, and something in prose.
ACTIONS = (SHARED, "restart --worker={name}", SHARED, "restart --worker={name}", "wipe the cache")


def record(name):
    """Return a record of about the usual size."""
    return Record(
        scope="",
        event_id=name,
        kind="mistake",
        action=f"restart the worker {name} " * 10,
        feedback="it did not come up",
        outcome="the queue grew",
        at=1_700_000_000.0,
        hypothesis=False,
        source="test",
        key=name,
        terms=("worker",),
        culprits=(),
        vector=VECTOR,
    )


def work(kind, path, name, records, start, results):
    """Record through a guard while others do; tell how often everybody's actions were seen."""
    field = PLACES[kind]
    guard = DriftGuard(settings=DriftGuardSettings(storage_backend=kind, **{field: path}))
    start.wait()
    half_way = 0
    for index in range(records):
        told = guard.record(ACTIONS[index % len(ACTIONS)].format(name=name), f"failed {index}")
        assert told["status"] == "stored"
        if index == records // 2:
            half_way = frequency(guard, SHARED)
    start.wait()
    own = [frequency(guard, action.format(name=name)) for action in ACTIONS]
    guard.close()
    results.put([half_way, *own])


def frequency(guard, action):
    """Return how many mistakes of the very same action a guard knows."""
    graph = guard.graph()
    node = ("action", read_action(action).key)
    assert guard.review(action).warnings
    return graph.nodes[node]["frequency"]


def together(kind, path, processes, records):
    """Let guards of many processes record at the same time; print what each knows."""
    context = multiprocessing.get_context("fork")
    start, results = context.Barrier(processes), context.SimpleQueue()
    workers = [
        context.Process(target=work, args=(kind, path, number, records, start, results))
        for number in range(processes)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * processes
    print(json.dumps([results.get() for _ in workers]))  # noqa: T201 - the result


def write_until_killed(kind, path, name, pipe):
    """Append and purge, and acknowledge each once the store has."""
    store = open_file(kind, path)
    os.write(pipe, b"opened\n")
    for index in range(1_000_000):
        store.append([record(f"{name}-{index}")], "minilm")
        os.write(pipe, f"append {name}-{index}\n".encode())
        if index % 5 == 4:
            store.purge("", [f"{name}-{index}"])
            os.write(pipe, f"purge {name}-{index}\n".encode())


def kill_a_writer(kind, path, name, delay):
    """Return what a process acknowledged before it was killed."""
    receive, send = os.pipe()
    process = os.fork()
    if not process:
        write_until_killed(kind, path, name, send)
    os.close(send)
    with os.fdopen(receive) as acknowledged:
        acknowledged.readline()
        time.sleep(delay)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        return [line.split() for line in acknowledged if line.endswith("\n")]


def killed(kind, path, rounds):
    """Kill writers; print what is missing, what came back, and how long the next calls took."""
    chance = random.Random(0)  # noqa: S311 - delays, no secrets
    expected, purged, slowest, unasked = set(), set(), 0.0, 0
    for number in range(rounds):
        done = kill_a_writer(kind, path, str(number), chance.uniform(0, 0.05))
        begin = time.perf_counter()
        store = open_file(kind, path)
        assert store.append([record(f"after-{number}")], "minilm") == [True]
        slowest = max(slowest, time.perf_counter() - begin)
        expected |= {f"after-{number}", *(name for verb, name in done if verb == "append")}
        purged |= {name for verb, name in done if verb == "purge"}
        found = {found.event_id for found in store.read()}
        store.close()
        # The one that was being purged when the process died may be gone.
        missing = expected - purged - found
        unasked += len(missing)
        assert missing <= {name for _, name in done[-1:]}, missing
        assert not purged & found
        assert len(found - expected) <= number + 1
        expected = found | purged
    print(json.dumps({"events": len(found), "slowest": slowest, "unasked": unasked}))  # noqa: T201 - the result
    assert sorted(file.name for file in Path(path).parent.iterdir()) in (
        [Path(path).name],
        [Path(path).name, f"{Path(path).name}.lock"],
    )


if __name__ == "__main__":
    run = {"together": together, "killed": killed}[sys.argv[1]]
    run(*sys.argv[2:4], *map(int, sys.argv[4:]))
