"""Paused work survives in a checkpoint file that only takes plain data."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "strict_checkpoints.py"


@pytest.mark.parametrize(
    ("kind", "left"),
    [
        ("graph", "[] blocked []"),
        (
            "agent",
            "[] None ['q', '', '[mistake guard] A person rejected this call, and it was not run. "
            "Do not try it again unasked. They say: not today', 'done']",
        ),
    ],
)
def test_a_reopened_checkpoint_is_resumed_under_strict_msgpack(
    optional_package, tmp_path, kind, left
):
    """Another process, whose memory is empty, reads plain data without a warning.

    What is rejected there stays rejected.
    """
    optional_package("langchain.agents")
    optional_package("langgraph.checkpoint.sqlite")
    environment = {**os.environ, "LANGGRAPH_STRICT_MSGPACK": "true"}
    shown = []
    for step in ("pause", "resume"):
        command = [sys.executable, "-W", "error", PROGRAM, kind, step, tmp_path / "c.sqlite3"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)  # noqa: PLW1510 - asserted below
        assert (done.returncode, done.stderr) == (0, "")
        shown.append(done.stdout.strip())
    asked, resumed = shown
    assert asked.startswith("['no such column: total']")
    assert resumed == left
