import asyncio
import threading
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings

from langchain_drift import (
    DriftGuard,
    DriftGuardSettings,
    EmbedderChangedError,
    EmbeddingError,
    InvalidInputError,
    MemoryStore,
    Scope,
)
from langchain_drift.mistakes.hypothesis import is_guess
from langchain_drift.mistakes.transient import is_transient

ACTION = "delete the temp directory"


def test_each_record_is_an_observation_but_for_its_id(guard):
    """Told twice counts twice; the same event told twice counts once."""
    assert guard.record(ACTION, "gone")["status"] == "stored"
    assert guard.record(ACTION, "gone")["status"] == "stored"
    assert guard.record(ACTION, "gone", event_id="run-1")["status"] == "stored"
    assert guard.record(ACTION, "gone", event_id="run-1")["status"] == "duplicate"
    assert guard.review(ACTION).warnings[0].frequency == 3
    assert guard.stats()["metrics"]["counters"]["duplicates_total"] == 1
    assert guard.stats()["metrics"]["counters"]["records_total"] == 3


def test_what_is_told_is_kept(guard):
    """Events come back as they were told, in order."""
    at = datetime(2026, 5, 1, tzinfo=UTC)
    guard.record(ACTION, "gone", "slow", event_id="a", at=at, source="thread-7", hypothesis=True)
    guard.record_success({"name": "run", "args": {"b": 1}}, "ok", event_id="b")
    first, second = guard.events()
    assert (first.action, first.feedback, first.outcome) == (ACTION, "gone", "slow")
    assert (first.event_id, first.at, first.source) == ("a", at, "thread-7")
    assert first.hypothesis
    assert second.kind == "success"
    assert second.action == 'run {"b": 1}'


SCOPES = [
    None,
    "a",
    "a/b",
    '["a","",""]',
    Scope(tenant="a"),
    Scope(user="a"),
    Scope(tenant="a", user="b"),
]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(SCOPES), st.sampled_from(["x[1]", "y[2]"])), max_size=8))
def test_scopes_never_mix(told):
    """What is told in one scope is known in that scope only."""
    guard = DriftGuard(settings=DriftGuardSettings(storage_backend="memory"))
    for scope, action in told:
        guard.record(action, "it failed", scope=scope, event_id=action)
    for scope in SCOPES:
        for action in ("x[1]", "y[2]"):
            known = guard.review(action, scope=scope).warnings
            assert bool(known and known[0].evidence == "same") == ((scope, action) in told)
    assert sum(guard.scopes().values()) == len(set(told))


def test_the_scope_of_the_settings_is_the_default(make_guard):
    """Calls without a scope go to the one of the settings."""
    guard = make_guard(scope="prod")
    guard.record("x[1]", "failed")
    assert guard.review("x[1]", scope="prod").warnings
    assert guard.review("x[1]").warnings
    assert not guard.review("x[1]", scope=Scope()).warnings
    assert guard.scopes() == {Scope(environment="prod"): 1}


@pytest.mark.parametrize(
    "feedback",
    [
        "503 upstream",
        "HTTP 429",
        "Error 502: Bad Gateway",
        "429 Too Many Requests",
        "status code: 503",
        "the server returned 500",
        "Rate limit reached for gpt-4o",
        "Request timed out.",
        "ReadTimeout: HTTPSConnectionPool",
        "connection reset by peer",
        "Service temporarily unavailable, please try again later",
        "openai.APITimeoutError: Request timed out",
        "model is overloaded",
        "database is locked",
    ],
)
def test_passing_failures_are_recognised(feedback):
    """Timeouts, limits and server faults pass."""
    assert is_transient(feedback)


@pytest.mark.parametrize(
    "feedback",
    [
        "server returned 422 again",
        "404 not found",
        "503 rows were deleted",
        "500 items expected, 499 found",
        "timeout must be a positive number",
        "order 503 was refunded already",
        "unknown column 'timeout'",
        "permission denied",
        "",
    ],
)
def test_lasting_failures_are_learnt(feedback):
    """A number that looks like a status, or a word about time, is no passing failure."""
    assert not is_transient(feedback)


def test_passing_failures_can_be_learnt(guard, make_guard):
    """The caller and the settings have the last word."""
    assert guard.record(ACTION, "503 upstream", transient=False)["status"] == "stored"
    assert guard.record(ACTION, "disk full", transient=True)["status"] == "transient"
    learning = make_guard(learn_transient=True)
    assert learning.record(ACTION, "503 upstream")["status"] == "stored"
    assert guard.record_success(ACTION, "503 rows")["status"] == "stored"


@pytest.mark.parametrize(
    ("feedback", "guess"),
    [
        ("maybe the API changed", True),
        ("I think the token expired", True),
        ("not sure why it failed", True),
        ("You may not specify more than one option", False),
        ("Did you mean 'users'?", False),
        ("", False),
    ],
)
def test_guesses_are_recognised(feedback, guess):
    """Hedged words are a guess; an error message is not."""
    assert is_guess(feedback) == guess


@pytest.mark.parametrize(
    "fields",
    [
        {"event_id": ""},
        {"at": "yesterday-ish"},
        {"at": datetime(2026, 1, 1)},  # noqa: DTZ001 - a moment without a zone is refused
        {"source": 7},
        {"feedback": {"error": 1}},
        {"scope": 3},
    ],
)
def test_what_cannot_be_kept_is_refused(guard, fields):
    """The error names the field and the value; nothing is kept."""
    with pytest.raises(InvalidInputError):
        guard.record(ACTION, **fields)
    assert guard.events() == []


@pytest.mark.parametrize("text", ["", " \n", "a\nb\x00c", "\ud800", "x" * 100_000, "\u202eناص"])
def test_odd_texts_are_kept_and_found(guard, text):
    """Empty, broken, long and right-to-left texts do no harm anywhere."""
    assert guard.record(text, text, text)["status"] == "stored"
    review = guard.review(text)
    assert review.warnings[0].evidence == "same"
    assert review.to_dict()["warnings"]
    assert review.to_prompt()
    guard.record_success(text, text)


class Broken(Embeddings):
    """Gives NaN."""

    fingerprint = "broken"

    def embed_documents(self, texts):
        return [[float("nan")] * 4 for _ in texts]

    def embed_query(self, text):
        return [float("nan")] * 4


def test_a_broken_embedder_is_told(make_guard):
    """NaN is an error at once, never a warning; code needs no embedder."""
    guard = make_guard(embeddings=Broken())
    for call in (guard.record, guard.review):
        with pytest.raises(EmbeddingError, match="NaN"):
            call(ACTION)
    guard.record("run[x]", "failed")
    assert guard.review("run[x]").warnings
    assert len(guard.events()) == 1


def test_another_embedder_is_told_and_can_take_over(make_guard, hash_embeddings):
    """A changed embedder never mixes vectors: it asks to embed again, and then all goes on."""
    store = MemoryStore()
    old = make_guard(store, hash_embeddings("old"))
    old.record(ACTION, "gone")
    old.record("run[x]", "failed")
    old.record("restart the worker", "jobs lost", scope="b", event_id="hidden")
    old.hide(["hidden"], scope="b")
    new = make_guard(store, hash_embeddings("new", dimensions=32))
    for call in (new.review, new.record):
        with pytest.raises(EmbedderChangedError, match="reembed"):
            call(ACTION)
    assert new.reembed() == 2
    assert new.review(ACTION).warnings[0].frequency == 1
    assert new.review("run[x]").warnings
    assert new.unhide(["hidden"], scope="b") == 1
    assert new.review("restart the worker", scope="b").warnings
    with pytest.raises(EmbedderChangedError):
        old.review(ACTION)


def test_guards_on_one_store_see_one_another(make_guard):
    """What one guard is told, another on the same store knows at its next review."""
    store = MemoryStore()
    one, other = make_guard(store), make_guard(store)
    assert not other.review(ACTION).warnings
    one.record(ACTION, "gone")
    assert other.review(ACTION).warnings
    one.hide([event.event_id for event in one.events()])
    assert not other.review(ACTION).warnings


def test_threads_share_a_guard(make_guard, store):
    """Eight threads record and review at once, and nothing is lost, whatever the store."""
    guard, faults = make_guard(store), []

    def work(number):
        try:
            for step in range(25):
                guard.record(f"run[{number}]", f"failed {step}")
                assert guard.review(f"run[{number}]").warnings
        except Exception as error:  # noqa: BLE001 - told below
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert guard.stats()["mistakes"]["events"] == 200
    for number in range(8):
        assert guard.review(f"run[{number}]").warnings[0].frequency == 25


async def test_async_says_what_sync_says(guard):
    """The async calls keep and find the same."""
    await asyncio.gather(*(guard.arecord(ACTION, "gone") for _ in range(5)))
    await guard.arecord_success("another step", "ok")
    assert (await guard.arecord(ACTION, "503 upstream"))["status"] == "transient"
    assert (await guard.abefore_step(ACTION)).warnings == guard.before_step(ACTION).warnings
    assert (await guard.abefore_step(ACTION, policy="record_only")).skipped
    assert guard.review(ACTION).warnings[0].frequency == 5


def test_vectors_are_kept_for_prose_only(guard):
    """Prose is embedded once when it is recorded, code never."""
    guard.record(ACTION, "gone")
    guard.record("run[x]", "failed")
    prose, code = guard.runtime.store.read()
    vector = np.frombuffer(prose.vector, dtype="<f2").astype(np.float32)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=0.01)
    assert code.vector is None
    assert guard.runtime.store.fingerprint() == guard.runtime.fingerprint()
