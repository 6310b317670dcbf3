"""Collects `bench_*.py`, which pytest does not by its own naming; and clocks for them."""

import sys
import time
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


@pytest.fixture
def reference():
    """Return the clock of a fixed piece of plain Python, about 1 ms on an ordinary machine."""

    def seconds():
        begun = time.perf_counter()
        total = 0
        for number in range(20_000):
            total += number * number % 7
        assert total
        return time.perf_counter() - begun

    return seconds


@pytest.fixture
def times():
    """Return the clock of calls, which gives the milliseconds of each."""

    def milliseconds(act, count):
        taken = []
        for number in range(count):
            begun = time.perf_counter()
            act(number)
            taken.append(1000 * (time.perf_counter() - begun))
        return taken

    return milliseconds
