"""Settings of the mistake memory, from arguments or from `DRIFTGUARD_*` in the environment."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from langchain_drift.errors import InvalidInputError

Policy = Literal["warn", "block", "acknowledge", "record_only"]
Backend = Literal["sqlite", "json", "memory", "postgres"]
OnError = Literal["fail_closed", "fail_open"]
LogLevel = Literal["CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG"]

BUNDLED_MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"
"""The name of the bundled embedder."""

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


class DriftGuardSettings(BaseSettings):
    """Settings of a guard; frozen, and checked when they are made.

    Every field can be set by an environment variable: `DRIFTGUARD_` and its name in capitals, such
    as `DRIFTGUARD_GUARD_POLICY=block`. Arguments win over the environment.

    Attributes:
        storage_backend: Where events are kept.
        sqlite_filepath: File of the `sqlite` store; None for `memory.sqlite3` in the default
            folder: `langchain-drift` in `~/.local/share` (or `$XDG_DATA_HOME`) on Linux, in
            `~/Library/Application Support` on macOS, in `%LOCALAPPDATA%` on Windows.
        success_sqlite_filepath: A second file for the successes; None to keep all in one.
        graph_filepath: File of the `json` store; None for `memory.jsonl` in the default folder.
        success_graph_filepath: A second file for the successes; None to keep all in one.
        postgres_dsn: Connection string of the `postgres` store.
        postgres_timeout: How long to wait for a connection, and for each statement, in seconds.
        scope: Scope of calls that name none: the name of an environment.
        embedding_model_name: Model that embeds prose. The default is bundled; any other is loaded
            by sentence-transformers (needs that extra).
        embedding_device: Device for sentence-transformers, such as `cuda`; None or `cpu` for the
            bundled model.
        retrieval_top_k: Most warnings, and most reinforcements, of a review.
        retrieval_min_similarity: Lowest cosine at which prose counts as a paraphrase.
        retrieval_min_confidence: Lowest confidence of a warning that is shown.
        retrieval_recency_weight: What age can take from a mistake at most, 0 to 0.5.
        confidence_formula: `evidence`, or `published` for the one of driftguard-ai.
        traversal_max_depth: Most nodes of a chain; beyond 3 an outcome that is itself an action
            goes on.
        traversal_max_branching: Most chains that go on from one action, the most frequent first.
        traversal_max_paths: Most chains of a review.
        similarity_threshold_action: Lowest cosine at which two actions in prose are one memory.
        similarity_threshold_feedback: The same for what came back.
        similarity_threshold_outcome: The same for what it led to.
        guard_policy: What a guard does with warnings: `warn` returns them, `block` raises,
            `acknowledge` raises until acknowledged, `record_only` does not look.
        guard_min_confidence: Lowest confidence at which a warning can block. One sighting of a
            mistake gives at most 0.67.
        guard_on_error: What happens to a step if the memory cannot be asked, or not in time:
            `fail_closed` raises a `StoreError`, so that it does not run; `fail_open` lets it pass
            with a review that is `skipped`, logged and counted.
        guard_timeout: How long a step waits for its review, in seconds; None for as long as the
            store takes.
        learn_transient: Whether to keep failures that only say try again: timeouts, 429, 503.
        prune_node_stale_days: Days after which an action not seen again is stale.
        prune_edge_min_frequency: Chains seen less often than this are weak.
        log_level: Level of the logger `langchain_drift.mistakes`.

    Raises:
        pydantic.ValidationError: If a value is not among those allowed; it is a ValueError.
    """

    model_config = SettingsConfigDict(env_prefix="DRIFTGUARD_", frozen=True, extra="forbid")

    storage_backend: Backend = "sqlite"
    sqlite_filepath: Path | None = None
    success_sqlite_filepath: Path | None = None
    graph_filepath: Path | None = None
    success_graph_filepath: Path | None = None
    postgres_dsn: str | None = None
    postgres_timeout: Seconds = 5.0
    scope: Annotated[str, Field(max_length=512)] = ""
    embedding_model_name: Annotated[str, Field(min_length=1)] = BUNDLED_MODEL
    embedding_device: str | None = None
    retrieval_top_k: Count = 5
    retrieval_min_similarity: Share = 0.5
    retrieval_min_confidence: Share = 0.55
    retrieval_recency_weight: Annotated[float, Field(ge=0, le=0.5, allow_inf_nan=False)] = 0.15
    confidence_formula: Literal["evidence", "published"] = "evidence"
    traversal_max_depth: Count = 3
    traversal_max_branching: Count = 10
    traversal_max_paths: Count = 100
    similarity_threshold_action: Share = 0.9
    similarity_threshold_feedback: Share = 0.85
    similarity_threshold_outcome: Share = 0.9
    guard_policy: Policy = "warn"
    guard_min_confidence: Share = 0.75
    guard_on_error: OnError = "fail_closed"
    guard_timeout: Seconds | None = None
    learn_transient: bool = False
    prune_node_stale_days: Count = 60
    prune_edge_min_frequency: Count = 2
    log_level: LogLevel = "INFO"

    @classmethod
    def from_env(cls) -> Self:
        """Return the settings of the environment, as `DriftGuardSettings()` does too."""
        return cls()


def load_settings(**given: Any) -> DriftGuardSettings:  # noqa: ANN401 - fields of the settings
    """Return settings, with the fault in the environment told as an error of this package.

    Raises:
        InvalidInputError: If a value is not among those allowed; it names the variable.
    """
    try:
        return DriftGuardSettings(**given)
    except ValidationError as error:
        fault = error.errors()[0]
        name = f"DRIFTGUARD_{'_'.join(map(str, fault['loc']))}".upper()
        message = f"{name} is {fault['input']!r:.80}: {fault['msg']}."
        raise InvalidInputError(message) from error
