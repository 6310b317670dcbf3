"""Nothing is lost between processes, and nothing when one of them is killed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("store_processes.py")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="these tests fork")


def run(*arguments):
    """Run the program and return what it found."""
    command = [sys.executable, "-W", "error", str(PROGRAM), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("kind", ["json", "sqlite"])
def test_eight_processes_lose_nothing(kind, tmp_path):
    """8 x 200 records are 1,600 events, and every process has seen all others' as they came."""
    seen, errors = run("together", kind, tmp_path / "memory", 8, 200)
    assert [total for total, _ in seen] == [1600] * 8
    assert sum(of_others for _, of_others in seen) > 0
    assert not errors


@pytest.mark.parametrize("kind", ["json", "sqlite"])
def test_a_killed_writer_loses_nothing_it_acknowledged(kind, tmp_path):
    """After each of 50 kills in the middle of writes, all is there and the next call works."""
    found, _ = run("killed", kind, tmp_path / "memory", 50)
    assert found["events"] >= 100
    assert found["slowest"] < 5
