import json
import subprocess
import sys
from pathlib import Path

import pytest

from langchain_drift.sessions.memory_store import SessionMemoryStore

PROGRAM = Path(__file__).with_name("memory_processes.py")


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), *map(str, arguments)], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_four_processes_lose_no_turn(tmp_path):
    """Of four processes with fifty turns each on one file all 200 turns are kept, in order."""
    path = tmp_path / "memory"
    process = start("record", path, 50)
    process.communicate(timeout=100)
    assert process.returncode == 0
    kept = json.loads(path.read_bytes())["sessions"][-1]["exchanges"]
    assert [each["exchange"] for each in kept] == list(range(1, 201))
    said = [each["user"].split() for each in kept]
    for name in "abcd":
        assert [int(number) for who, number in said if who == name] == list(range(50))
    assert SessionMemoryStore(path).load()["state"]["turns"] == 200


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_killed_process_leaves_the_file_whole(tmp_path):
    """Killed fifty times at any moment, the file is one whole document with all that was told."""
    process = start("kill", tmp_path / "memory", 50)
    lines = process.communicate(timeout=100)[0].splitlines()
    assert process.returncode == 0
    results = [line.split() for line in lines]
    assert len(results) == 50
    for promised, kept, in_order in results:
        assert int(kept) in (int(promised), int(promised) + 1)
        assert in_order == "True"
    assert int(results[-1][1]) > 20
