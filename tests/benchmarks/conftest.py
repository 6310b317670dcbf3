"""Collects `bench_*.py`, which pytest does not by its own naming."""

import sys
from pathlib import Path

import pytest

# What several benchmarks share stands beside them.
sys.path.append(str(Path(__file__).parent))


def pytest_collect_file(file_path, parent):
    """Collect a benchmark; one that is named on the command line is collected anyway."""
    is_bench = file_path.name.startswith("bench_") and file_path.suffix == ".py"
    if is_bench and not parent.session.isinitpath(file_path):
        return pytest.Module.from_parent(parent, path=file_path)
    return None
