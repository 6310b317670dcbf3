"""Above a size an index finds the nearest memories, and never says what the events do not."""

import hashlib
import json

import numpy as np
import pytest

pytest.importorskip("faiss", reason="needs the extra `ann`")

from langchain_drift import DriftGuard, DriftGuardSettings
from langchain_drift.mistakes import near
from langchain_drift.mistakes.approximate import ApproximateIndex, label_of
from langchain_drift.mistakes.vectors import VectorTable, pack

NUMBER = 3_000
SIZE = 48


@pytest.fixture
def vectors():
    """Return vectors that lie in clusters, as those of texts do."""
    random = np.random.default_rng(0)
    centres = random.normal(size=(200, SIZE))
    found = centres[random.integers(200, size=NUMBER)] + 0.6 * random.normal(size=(NUMBER, SIZE))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def small(monkeypatch):
    """Let the index take over at 100 memories."""
    monkeypatch.setattr(near, "EXACT", 100)


def of_vectors(vectors):
    return near.NearMemories(lambda number: pack(vectors[number]), ApproximateIndex(None, "x"))


def test_it_finds_what_an_exact_search_finds(vectors, small):
    """Recall at 10 is at least .98, and the cosines are exact."""
    exact, index = VectorTable(), of_vectors(vectors)
    for number, vector in enumerate(vectors[:-100]):
        exact.add(number, pack(vector))
        index.add(number, str(number), pack(vector))
    assert len(index) == len(exact) == NUMBER - 100
    shares = []
    for vector in vectors[-100:]:
        expected = dict(exact.nearest(vector, -1.0, 10))
        found = dict(index.nearest(vector, -1.0, 100)[:10])
        shares.append(len(expected.keys() & found.keys()) / 10)
        for number in expected.keys() & found.keys():
            assert found[number] == pytest.approx(expected[number], abs=1e-6)
    assert np.mean(shares) >= 0.98


def test_nothing_below_the_least_cosine_is_found(vectors, small):
    """What is too far away is left out, as by an exact search."""
    index = of_vectors(vectors)
    for number, vector in enumerate(vectors):
        index.add(number, str(number), pack(vector))
    found = index.nearest(vectors[0], 0.5, 100)
    assert found[0] == (0, pytest.approx(1.0, abs=1e-3))
    assert all(cosine >= 0.5 for _, cosine in found)


@pytest.fixture
def make_guard(tmp_path, clock, hash_embeddings, small):
    """Return a function that makes a guard on a file."""

    def make():
        settings = DriftGuardSettings(sqlite_filepath=tmp_path / "memory")
        return DriftGuard(settings=settings, embeddings=hash_embeddings(), clock=clock)

    return make


def fill(guard, number=150):
    for place in range(number):
        guard.record(f"clear the queue of shop number {place}", "it was full", event_id=f"{place}")


def asked(guard, place):
    return guard.review(f"clear the queue of shop number {place}!").warnings


def held(guard, scope=""):
    return guard.runtime._view._scopes[scope].approximate


def test_it_is_kept_up_to_date_and_taken_out_of(make_guard):
    """New memories are found; hidden ones are not, until they are shown again."""
    guard = make_guard()
    fill(guard)
    assert asked(guard, 7)
    index = held(guard)
    assert len(index) == 150
    guard.hide(["7"])
    assert not any("7" in w.event_ids for w in asked(guard, 7))
    assert held(guard) is index
    assert len(index) == 149
    guard.record("clear the queue of shop number 999", "it was full")
    guard.unhide(["7"])
    assert asked(guard, 7)
    assert len(index) == 151
    guard.close()


def test_its_file_is_read_and_says_nothing_that_was_purged(make_guard, tmp_path):
    """A closed guard leaves a private file, the next one reads it; what is purged is gone."""
    guard = make_guard()
    fill(guard)
    asked(guard, 7)
    guard.close()
    (file,) = (tmp_path / "memory.near").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    before = file.stat().st_mtime_ns
    guard = make_guard()
    assert asked(guard, 7)
    guard.close()
    assert file.stat().st_mtime_ns == before
    guard.hide(["7"])
    guard.purge(dry_run=False)
    asked(guard, 8)
    assert not file.exists()
    guard.close()
    assert file.exists()
    assert len(held(guard)) == 149


@pytest.mark.parametrize("damage", [b"", b"{}\nx", b"\xff" * 5000, b"[" * 100_000, None])
def test_a_damaged_file_is_built_anew(make_guard, tmp_path, damage, caplog):
    """Whatever happened to the file, the answers are the same; that is logged."""
    guard = make_guard()
    fill(guard)
    expected = asked(guard, 7)
    guard.close()
    (file,) = (tmp_path / "memory.near").iterdir()
    content = bytearray(file.read_bytes())
    content[-1000] ^= 1
    file.write_bytes(bytes(content) if damage is None else damage)
    guard = make_guard()
    assert asked(guard, 7) == expected
    assert "built anew" in caplog.text
    guard.close()


def test_an_index_of_another_version_is_built_anew(vectors, tmp_path, caplog):
    """A whole file that the library cannot read any more costs no answer."""
    file, data = tmp_path / "index", b"of a later version"
    head = {"format_version": 1, "fingerprint": "x", "digest": hashlib.blake2b(data).hexdigest()}
    file.write_bytes(json.dumps(head).encode() + b"\n" + data)
    index = ApproximateIndex(file, "x")
    index.hold({number: number for number in range(99)}, lambda n: pack(vectors[n]), None)
    assert len(index) == 99
    assert "built anew" in caplog.text


def test_an_index_that_cannot_be_written_is_no_error(make_guard, tmp_path, caplog):
    """It can be built from the events, so a guard closes all the same and leaves no draft."""
    guard = make_guard()
    fill(guard)
    expected = asked(guard, 7)
    guard.close()
    (file,) = (tmp_path / "memory.near").iterdir()
    file.unlink()
    file.mkdir()
    guard = make_guard()
    assert asked(guard, 7) == expected
    guard.close()
    assert "cannot be written" in caplog.text
    assert list((tmp_path / "memory.near").iterdir()) == [file]


def test_another_embedder_gets_another_index(make_guard, hash_embeddings, tmp_path):
    """After embedding again nothing of the old vectors is used."""
    guard = make_guard()
    fill(guard)
    asked(guard, 7)
    guard.close()
    other = DriftGuard(settings=guard.settings, embeddings=hash_embeddings("other", dimensions=32))
    other.reembed()
    assert asked(other, 7)
    assert held(other).fingerprint != label_of("")
    assert len(held(other)) == 150
    other.close()
