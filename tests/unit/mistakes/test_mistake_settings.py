from pathlib import Path

import pytest
from pydantic import ValidationError

from langchain_drift import DriftGuard, DriftGuardSettings, InvalidInputError, MemoryStore
from langchain_drift.embeddings import default_embeddings
from langchain_drift.mistakes.runtime import open_embeddings
from langchain_drift.mistakes.stores.opening import default_path, open_store

PUBLISHED = {
    "storage_backend": "json",
    "graph_filepath": "/tmp/a.json",  # noqa: S108 - only a value
    "success_graph_filepath": "/tmp/b.json",  # noqa: S108 - only a value
    "sqlite_filepath": "/tmp/a.sqlite3",  # noqa: S108 - only a value
    "success_sqlite_filepath": "/tmp/b.sqlite3",  # noqa: S108 - only a value
    "postgres_dsn": "postgresql+psycopg://u:p@h/d",
    "embedding_model_name": "some/model",
    "embedding_device": "cpu",
    "retrieval_top_k": "3",
    "retrieval_min_similarity": "0.7",
    "retrieval_recency_weight": "0.3",
    "traversal_max_depth": "2",
    "traversal_max_branching": "4",
    "traversal_max_paths": "9",
    "similarity_threshold_action": "0.8",
    "similarity_threshold_feedback": "0.8",
    "similarity_threshold_outcome": "0.8",
    "guard_policy": "block",
    "guard_min_confidence": "0.4",
    "prune_node_stale_days": "30",
    "prune_edge_min_frequency": "3",
    "log_level": "DEBUG",
}


def test_every_published_field_is_read_from_the_environment(monkeypatch):
    """Each of the 22 published settings is there, under its published variable."""
    assert len(PUBLISHED) == 22
    for name, value in PUBLISHED.items():
        monkeypatch.setenv(f"DRIFTGUARD_{name.upper()}", value)
    found = DriftGuardSettings.from_env()
    assert found == DriftGuardSettings()
    for name, value in PUBLISHED.items():
        assert str(getattr(found, name)) == value


def test_a_guard_honours_the_environment(monkeypatch):
    """A guard without settings takes them from the environment; arguments win."""
    monkeypatch.setenv("DRIFTGUARD_STORAGE_BACKEND", "memory")
    monkeypatch.setenv("DRIFTGUARD_GUARD_POLICY", "record_only")
    assert DriftGuard().before_step("a").skipped
    assert DriftGuardSettings(guard_policy="warn").guard_policy == "warn"


@pytest.mark.parametrize(
    "field",
    [
        {"guard_policy": "blok"},
        {"storage_backend": "mongo"},
        {"log_level": "LOUD"},
        {"guard_min_confidence": 1.1},
        {"retrieval_min_similarity": float("nan")},
        {"retrieval_recency_weight": 0.6},
        {"retrieval_top_k": 0},
        {"traversal_max_depth": "deep"},
        {"prune_node_stale_days": -1},
        {"guard_polcy": "block"},
    ],
)
def test_invalid_values_are_refused_at_once(field):
    """A wrong value, or a misspelt name, is told when the settings are made."""
    with pytest.raises(ValidationError):
        DriftGuardSettings(**field)


def test_invalid_variables_are_refused_at_once(monkeypatch):
    """A wrong value in the environment is told as well."""
    monkeypatch.setenv("DRIFTGUARD_GUARD_POLICY", "blok")
    with pytest.raises(ValueError, match="guard_policy"):
        DriftGuardSettings()


def test_settings_are_frozen():
    """Settings do not change under a guard."""
    with pytest.raises(ValidationError):
        DriftGuardSettings().guard_policy = "block"


def test_the_number_of_warnings_is_bounded(make_guard):
    """`retrieval_top_k` bounds warnings and reinforcements."""
    for top, expected in ((1, 1), (2, 2)):
        guard = make_guard(retrieval_top_k=top)
        guard.record("SELECT agee FROM people", "Unknown column 'agee'")
        guard.record("SELECT c FROM usrs", "Table 'usrs' doesn't exist")
        for name in ("x", "y", "z"):
            guard.record_success(f"delete the temp directory {name}", "ok")
        assert len(guard.review("SELECT c, agee FROM usrs").warnings) == expected
        assert len(guard.review("delete the temp directory").reinforcements) == expected


def test_the_confidence_shown_is_bounded(make_guard):
    """`retrieval_min_confidence` hides what is less sure."""
    for least, shown in ((0.6, 1), (0.7, 0)):
        guard = make_guard(retrieval_min_confidence=least)
        guard.record("run[x]", "failed")
        assert len(guard.review("run[x]").warnings) == shown


def test_the_published_formula_can_be_chosen(make_guard):
    """With the published formula one sighting of the same action gives what it gave there."""
    guard = make_guard(confidence_formula="published")
    guard.record("run[x]", "failed")
    expected = 0.85 * (0.65 * 0.6 + 0.35 * 1.0) + 0.15
    assert guard.review("run[x]").confidence == pytest.approx(expected)


def test_the_walk_is_bounded(make_guard):
    """Depth, branching and number of chains are bounded, the most frequent first."""

    def chains(**bounds):
        guard = make_guard(**bounds)
        for number in range(4):
            for _ in range(number + 1):
                guard.record("run[x]", f"failed {number}", "stop[x]")
        guard.record("stop[x]", "it hung", "killed")
        return guard.review("run[x]").chains

    assert chains(traversal_max_depth=1) == (("run[x]",),)
    assert chains(traversal_max_branching=1) == (("run[x]", "failed 3", "stop[x]"),)
    assert len(chains(traversal_max_paths=2)) == 2
    deep = chains(traversal_max_depth=9, traversal_max_branching=1)
    assert deep == (("run[x]", "failed 3", "stop[x]", "it hung", "killed"),)


def test_a_walk_in_a_circle_ends(make_guard):
    """An outcome that is the action itself does not go round for ever."""
    guard = make_guard(traversal_max_depth=50)
    guard.record("run[x]", "failed", "run[y]")
    guard.record("run[y]", "failed", "run[x]")
    (chain,) = guard.review("run[x]").chains[:1]
    assert len(chain) <= 7


def test_stores_are_opened_by_the_settings(tmp_path):
    """Backend and places decide; what is missing is told."""
    assert isinstance(open_store(DriftGuardSettings(storage_backend="memory")), MemoryStore)
    with pytest.raises(InvalidInputError, match="DRIFTGUARD_POSTGRES_DSN"):
        open_store(DriftGuardSettings(storage_backend="postgres"))


def test_an_address_of_postgres_that_cannot_be_read_is_told(optional_package):
    """The sentence shows what an address looks like."""
    optional_package("psycopg")
    with pytest.raises(InvalidInputError, match=r"looks like postgresql://user"):
        open_store(DriftGuardSettings(storage_backend="postgres", postgres_dsn="postgresql://["))


@pytest.mark.parametrize(
    ("backend", "name"), [("sqlite", "memory.sqlite3"), ("json", "memory.jsonl")]
)
def test_the_default_place(monkeypatch, backend, name):
    """Files go to the user's data folder, wherever the program was started."""
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_path(backend) == Path("/data/langchain-drift") / name
    monkeypatch.delenv("XDG_DATA_HOME")
    assert default_path(backend) == Path.home() / ".local/share/langchain-drift" / name


def test_the_bundled_embedder_is_the_default():
    """The default model is the bundled one, shared by all guards."""
    assert open_embeddings(DriftGuardSettings()) is default_embeddings()
    assert open_embeddings(DriftGuardSettings(embedding_device="cpu")) is default_embeddings()


def test_another_model_is_loaded_by_name(optional_package, monkeypatch):
    """Another model or device is asked of sentence-transformers."""
    module = optional_package("sentence_transformers")
    asked = []

    class Model:
        def __init__(self, name, device):
            asked.append((name, device))

        def encode(self, texts):
            return [[1.0, 2.0] for _ in texts]

    monkeypatch.setattr(module, "SentenceTransformer", Model)
    settings = DriftGuardSettings(embedding_model_name="some/model", embedding_device="cuda")
    assert open_embeddings(settings).embed_query("a") == [1.0, 2.0]
    assert asked == [("some/model", "cuda")]


def test_a_fault_of_the_environment_is_told_by_its_variable(monkeypatch):
    """A guard that is made of the environment names the variable and the value at once."""
    monkeypatch.setenv("DRIFTGUARD_GUARD_POLICY", "nonsense")
    with pytest.raises(InvalidInputError, match="DRIFTGUARD_GUARD_POLICY is 'nonsense'"):
        DriftGuard()
