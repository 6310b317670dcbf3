"""A guard says the same on every store, asked in a thread or on an event loop."""

import asyncio
import json
import random

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from langchain_drift import DriftGuard, DriftGuardSettings, MemoryStore, Scope

PROSE = [
    f"{verb} the {thing}{end}"
    for verb in ("clear", "refill", "do not clear")
    for thing in ("cache of the shop", "temp folder", "queue 7", "queue 9")
    for end in ("", " now")
]
CODE = [
    f"SELECT {column} FROM {table} WHERE id = {number}"  # noqa: S608 - only an example
    for column in ("total", "name, total", "Name")
    for table in ("orders", "users")
    for number in (1, 2)
]
CALLS = [
    f"{tool} {json.dumps({'path': path, 'deep': deep})}"
    for tool in ("remove", "list")
    for path in ("/srv/a", "/srv/b", "notes 'x'")
    for deep in (True, False)
]
ACTIONS = [*PROSE, *CODE, *CALLS, "", "ls -l | wc -l"]
FEEDBACK = [
    "no such column: total",
    "remove: cannot remove '/srv/a': No such file or directory",
    "the queue 7 is locked",
    "permission denied",
    "",
]
OUTCOMES = ["the step failed", "clear the temp folder", "refill the queue 7", ""]


class BagEmbeddings(Embeddings):
    """Texts that share words point the same way."""

    fingerprint = "bag"

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text):
        vector = np.zeros(32)
        for word in text.lower().split():
            vector += np.random.default_rng(sum(map(ord, word))).standard_normal(32)
        return vector.tolist()


def guards(clock, *stores, **settings):
    return [
        DriftGuard(
            settings=DriftGuardSettings(storage_backend="memory", **settings),
            store=store,
            embeddings=BagEmbeddings(),
            clock=clock,
        )
        for store in stores
    ]


def tell(told, clock, chance, number):
    """Tell guards the same story."""
    for place in range(number):
        clock.now += 60
        action, feedback = chance.choice(ACTIONS), chance.choice(FEEDBACK)
        outcome = chance.choice(OUTCOMES)
        name = f"{place - 3}" if place % 7 == 3 else f"{place}"
        if place % 5 == 4:
            name = f"{place - 1}/instead"
        for guard in told:
            record = guard.record_success if place % 3 == 2 else guard.record
            record(action, feedback, outcome, event_id=name)


@pytest.mark.parametrize("depth", [3, 9])
def test_a_review_says_the_same_on_every_store(storage, clock, depth):
    """After the same events every store leads to the same warnings, reinforcements and chains."""
    chance = random.Random(depth)  # noqa: S311 - a story, no secret
    store = storage.open()
    model, guard = guards(clock, MemoryStore(), store, traversal_max_depth=depth)
    tell((model, guard), clock, chance, 60)
    for action in ACTIONS:
        assert guard.review(action) == model.review(action)
    for one in (model, guard):
        one.hide([f"{place}" for place in range(0, 60, 4)])
    for action in chance.sample(ACTIONS, 8):
        assert guard.review(action) == model.review(action)
    guard.close()


async def test_both_manners_say_the_same(storage, clock):
    """Told and asked on an event loop, many at once, a guard says what it says in a thread."""
    store = storage.open()
    model, guard = guards(clock, MemoryStore(), store)
    told = [(action, "permission denied", f"outcome {place}") for place, action in enumerate(CALLS)]
    for action, feedback, outcome in told:
        model.record(action, feedback, outcome, event_id=outcome)
    await asyncio.gather(
        *(guard.arecord(action, text, end, event_id=end) for action, text, end in told)
    )
    reviews = await asyncio.gather(*(guard.abefore_step(action) for action in CALLS))
    for action, review in zip(CALLS, reviews, strict=True):
        assert review.warnings == guard.before_step(action).warnings
        assert review.confidence == model.before_step(action).confidence
    again = await guard.arecord(*told[0], event_id="outcome 0")
    assert again["status"] == "duplicate"
    guard.close()


def test_what_a_record_adds_is_counted_alike(storage, clock):
    """The metrics of nodes and edges are those of a store in memory."""
    model, guard = guards(clock, MemoryStore(), storage.open())
    tell((model, guard), clock, random.Random(5), 20)  # noqa: S311 - a story, no secret
    assert guard.runtime.metrics.snapshot() == model.runtime.metrics.snapshot()
    assert guard.stats() == model.stats()
    guard.close()


def test_a_frequency_is_right_beyond_what_is_read(make_storage, clock, make_record):
    """A mistake seen 600 times is told to have been seen 600 times; its confidence is as high."""
    store = make_storage("postgres").open()
    model, guard = guards(clock, MemoryStore(), store)
    for one in (model, guard):
        one.record("restart the worker", "it did not come up", event_id="0")
    (first,) = store.read()
    more = [
        type(first)(**{**{n: getattr(first, n) for n in first.__slots__}, "event_id": str(n)})
        for n in range(1, 600)
    ]
    store.append(more, "bag")
    model.runtime.store.append(more, "bag")
    ours, theirs = (g.review("restart the worker").warnings[0] for g in (guard, model))
    assert (
        (ours.frequency, ours.confidence)
        == (theirs.frequency, theirs.confidence)
        == (
            600,
            pytest.approx(0.9989, abs=1e-4),
        )
    )
    assert ours.event_ids == theirs.event_ids
    guard.close()


@pytest.mark.parametrize("exact", [0, 20_000])
def test_the_index_finds_what_an_exact_search_finds(make_storage, clock, monkeypatch, exact):
    """Where a scope is large the index is asked, and here it finds the same."""
    storage = make_storage("postgres")
    from langchain_drift.mistakes.stores import postgres_search  # noqa: PLC0415 - an extra

    monkeypatch.setattr(postgres_search, "_FEW", 0)
    monkeypatch.setattr(postgres_search, "EXACT", exact)
    model, guard = guards(clock, MemoryStore(), storage.open())
    for place, action in enumerate(PROSE):
        for one in (model, guard):
            one.record(action, "permission denied", event_id=str(place))
            one.record(action, scope=Scope(tenant="other"), event_id=str(place))
    for action in PROSE:
        assert guard.review(action) == model.review(action)
    guard.close()
