"""Uses the stores of shared memory as a typed program would; checked by mypy, never run."""

from typing import assert_type

from langgraph.store.base import BaseStore

from langchain_drift import DriftGuard, DriftGuardSettings, LangGraphStore, PostgresStore


def shared(store: BaseStore) -> None:
    """Make guards on servers and platforms."""
    server = PostgresStore("postgresql://h/d", timeout=1.0, connections=2, use_pgvector=False)
    server.setup()
    assert_type(server.scopes(), dict[str, int])
    settings = DriftGuardSettings(guard_on_error="fail_open", guard_timeout=0.5)
    guard = DriftGuard(settings=settings, store=server)
    assert_type(guard.settings.postgres_timeout, float)
    platform = LangGraphStore(store, namespace=("agents", "memory"), index=["action"])
    assert_type(DriftGuard(store=platform).reembed(), int)
