"""The command line on memories that are real files."""

import io
import json
import sys
from typing import NamedTuple

import pytest

from langchain_drift.cli import program


class Done(NamedTuple):
    """What a run of the command line left behind."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def json(self):
        """The output as JSON."""
        return json.loads(self.stdout)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Return a function that runs the command line in this process, with an empty home."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))

    def command(*arguments, stdin=""):
        monkeypatch.setattr(sys, "argv", ["langchain-drift", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = program.run()
        return Done(code, *capsys.readouterr())

    return command


@pytest.fixture(params=["memory.sqlite3", "memory.jsonl"])
def memory(run, tmp_path, request):
    """Return a function that runs a memory command on one file, of each kind."""
    path = tmp_path / request.param

    def command(verb, *arguments, **more):
        return run("memory", verb, *arguments, "--path", path, **more)

    command.path = path
    return command
