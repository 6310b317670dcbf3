"""What `scripts/measure_guard.py` measures, on a few of its tasks."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "measure_guard.py"


@pytest.fixture
def script(agents, monkeypatch):
    """Return the script as a module."""
    spec = importlib.util.spec_from_file_location("measure_guard", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "measure_guard", module)
    spec.loader.exec_module(module)
    return module


def test_a_guard_spares_repeats_however_little_is_read(script):
    """A record at the call spares repeats, also for a model that only reads the last of it all."""
    tasks = script.make_tasks(12, rounds=2, seed=1)

    def repeats(name, window=None):
        given = script.ARRANGEMENTS[name]
        tally = script.measure(tasks, 2, window=window, **given)
        assert tally.good == 72
        return tally.repeats

    without = repeats("no guard")
    assert repeats("at the call, warn") < 0.6 * without
    assert repeats("at the call, block") < 0.3 * without
    assert repeats("at the call, block", 3000) < 0.3 * without
