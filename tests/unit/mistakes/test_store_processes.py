"""Nothing is lost between processes, and nothing when one of them is killed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from langchain_drift.mistakes.stores.opening import open_file

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
    """8 guards record 200 times each into one file: every frequency is right for every one."""
    known, errors = run("together", kind, tmp_path / "memory", 8, 200)
    assert not errors
    assert [frequencies[1:] for frequencies in known] == [[640, 80, 640, 80, 320]] * 8
    assert max(half_way for half_way, *_ in known) > 41
    store = open_file(kind, tmp_path / "memory")
    assert sum(1 for _ in store.read()) == 1600
    store.close()


def test_eight_processes_share_a_server(make_storage):
    """8 guards record 200 times each into one database: every one sees what all did at once."""
    storage = make_storage("postgres")
    known, errors = run("together", "postgres", storage.dsn, 8, 200)
    assert not errors
    assert [frequencies[1:] for frequencies in known] == [[640, 80, 640, 80, 320]] * 8
    assert max(half_way for half_way, *_ in known) > 41
    store = storage.open()
    assert store.scopes() == {"": 1600}
    store.close()


@pytest.mark.parametrize("kind", ["json", "sqlite"])
def test_a_killed_writer_loses_nothing_it_acknowledged(kind, tmp_path):
    """After each of 50 kills in the middle of writes, all is there and the next call works."""
    found, _ = run("killed", kind, tmp_path / "memory", 50)
    assert found["events"] >= 100
    assert found["slowest"] < 5
