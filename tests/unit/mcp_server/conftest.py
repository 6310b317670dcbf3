"""MCP servers under test: in this process, and as the program that people start."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

PROGRAM = [sys.executable, "-c", "from langchain_drift.cli import main; main()", "mcp"]
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class RawClient:
    """Speaks with the program line by line, and so can say what no client says."""

    def __init__(self, process):
        self.process = process

    def say(self, line):
        """Write a line: bytes as they are, anything else as JSON."""
        raw = line if isinstance(line, bytes) else json.dumps(line).encode()
        self.process.stdin.write(raw + b"\n")
        self.process.stdin.flush()

    def ask(self, number, name, **arguments):
        """Call a tool."""
        params = {"name": name, "arguments": arguments}
        self.say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    def hear(self, number):
        """Return the answer of a number; all that is heard before it must be JSON, too."""
        while line := self.process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == number:
                return answer
        pytest.fail("the server went away")

    def greet(self):
        """Shake hands."""
        self.say(HELLO)
        answer = self.hear(0)
        self.say(READY)
        return answer


@pytest.fixture
def command():
    """Return the command that starts the program."""
    return PROGRAM


def environment_in(folder):
    """Return an environment with a home of its own and none of the tester's settings."""
    kept = {name: value for name, value in os.environ.items() if "DRIFTGUARD" not in name}
    return kept | {"XDG_DATA_HOME": str(folder), "OMP_NUM_THREADS": "1"}


@contextmanager
def running(command, environment):
    """Run a program and give a raw client of it."""
    with subprocess.Popen(
        [*map(str, command)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as process:
        try:
            yield RawClient(process)
        finally:
            process.kill()


@pytest.fixture
def environment(tmp_path, optional_package):
    """Return the environment of a server."""
    optional_package("mcp")
    return environment_in(tmp_path / "home")


@pytest.fixture
def program(environment):
    """Return a context manager that runs the program and gives a raw client of it."""

    def run(*arguments, command=PROGRAM, **more):
        return running([*command, *arguments], environment | more)

    return run


@pytest.fixture
def client_of(optional_package):
    """Return the SDK's class of clients."""
    return optional_package("mcp.client.client").Client


@pytest.fixture(scope="module")
def web(tmp_path_factory, optional_package):
    """Return the address of the program over HTTP; it ends cleanly after the last test."""
    optional_package("mcp")
    folder = tmp_path_factory.mktemp("web")
    command = [*PROGRAM, "--http", "--port", 0, "--path", folder / "memory.sqlite3"]
    with running(command, environment_in(folder)) as client:
        line = client.process.stderr.readline().decode()
        yield re.search(r"http://\S+/mcp", line)[0]
        client.process.send_signal(signal.SIGTERM)
        assert client.process.wait(timeout=10) in (0, -signal.SIGTERM)
        assert client.process.stdout.read() == b""
