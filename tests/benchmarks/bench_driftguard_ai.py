"""This package and driftguard-ai in one run; skipped where that package is not installed.

`pip install driftguard-ai` in an environment of its own, then
`pytest tests/benchmarks/bench_driftguard_ai.py -s`. Embedding and normalising are left aside:
vectors are random, and driftguard-ai gets its texts in lower case instead of through spaCy.
"""

import random
import statistics
from datetime import UTC, datetime

import networkx as nx
import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from langchain_drift import DriftGuard, DriftGuardSettings, Event
from langchain_drift.mistakes.exchange import import_into
from langchain_drift.mistakes.stores.sqlite import SQLiteStore

driftguard = pytest.importorskip("driftguard")

MEMORIES = 5_000
ASKED, RECORDED = 50, 3
WORDS = [
    "deploy",
    "restart",
    "migrate",
    "copy",
    "rename",
    "archive",
    "verify",
    "sync",
    "drain",
    "scale",
    "tune",
    "audit",
]


def texts(number):
    """Return the action, feedback and outcome of a memory; no two memories share one."""
    choose = random.Random(number)  # noqa: S311 - example data
    action = " ".join(choose.sample(WORDS, 5))
    return f"{action} worker {number}", f"worker {number} hung", f"run {number} was repeated"


def vector(text):
    """Return a direction of its own for every text."""
    found = np.random.default_rng(abs(hash(text))).standard_normal(384).astype(np.float32)
    return found / np.linalg.norm(found)


class Ours(Embeddings):
    """Vectors for this package."""

    fingerprint = "random-384"

    def embed_documents(self, texts):
        """Return a random vector for each text."""
        return [vector(text).tolist() for text in texts]

    def embed_query(self, text):
        """Return a random vector."""
        return vector(text).tolist()


class Theirs:
    """Vectors for driftguard-ai."""

    def embed(self, text):
        """Return a random vector."""
        return vector(text)

    def model_name(self):
        """Return a name."""
        return "random-384"


def open_ours(path):
    """Return a guard of this package on 5,000 memories."""
    settings = DriftGuardSettings(storage_backend="memory")
    events = (
        Event(action=action, feedback=feedback, outcome=outcome)
        for action, feedback, outcome in map(texts, range(MEMORIES))
    )
    store = SQLiteStore(path)
    import_into(store, events, Ours())
    return DriftGuard(settings=settings, store=store, embeddings=Ours())


def open_theirs(path):
    """Return a guard of driftguard-ai on the same memories; saved once, for `record` takes long."""
    from driftguard.graph.merge_engine import MergeEngine  # noqa: PLC0415 - only where installed

    class PlainMergeEngine(MergeEngine):
        def normalize(self, text):
            return text.lower()

    settings = driftguard.DriftGuardSettings(
        storage_backend="sqlite",
        sqlite_filepath=str(path),
        success_sqlite_filepath=f"{path}.success",
        log_level="ERROR",
    )
    driftguard.SQLitePersistence(str(path)).save_graph(their_graph(), merge=False)
    engine = PlainMergeEngine(settings=settings, embedding_engine=Theirs())
    driftguard.configure_logging("ERROR")
    runtime = driftguard.build_runtime(settings=settings, merge_engine=engine)
    assert runtime.graph_stats()["mistakes"]["nodes"] == 3 * MEMORIES
    return driftguard.DriftGuard(runtime)


def their_graph():
    """Return the memories as driftguard-ai keeps them."""
    now, graph = datetime.now(UTC), nx.DiGraph()
    for chain in map(texts, range(MEMORIES)):
        for text, role in zip(chain, ("action", "feedback", "outcome"), strict=True):
            graph.add_node(
                text,
                type=(role,),
                embedding=vector(text),
                frequency=1,
                first_seen=now,
                last_seen=now,
            )
        nx.add_path(graph, chain, frequency=1, weight=1.0, created_at=now)
    return graph


def test_both_at_five_thousand_memories(tmp_path, times):
    """Asking and recording take a small part of the time that driftguard-ai takes."""
    ours, theirs = open_ours(tmp_path / "ours"), open_theirs(tmp_path / "theirs")
    found = {}
    for name, guard in (("ours", ours), ("theirs", theirs)):
        guard.before_step(texts(0)[0])
        found[name] = (
            statistics.median(times(lambda n: guard.before_step(texts(n)[0]), ASKED)),  # noqa: B023 - called at once
            statistics.median(times(lambda n: guard.record(*texts(10**6 + n)), RECORDED)),  # noqa: B023 - likewise
        )
    (ask, record), (their_ask, their_record) = found["ours"], found["theirs"]
    print(  # noqa: T201 - what a benchmark is for
        f"{MEMORIES} memories, embedding aside: before_step {ask:.2f} ms against {their_ask:.0f} "
        f"({their_ask / ask:.0f} times), record {record:.1f} ms against {their_record:.0f} "
        f"({their_record / record:.0f} times)"
    )
    assert ask < their_ask / 5
    assert record < their_record / 20
