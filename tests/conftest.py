"""Shared fixtures: a missing optional package skips a test for users and fails it in CI."""

import importlib
import os

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
