"""How soon the MCP server answers: `pytest tests/benchmarks/bench_mcp.py -s` prints the numbers."""

import json
import os
import subprocess
import sys
import time

import pytest

PROGRAM = [sys.executable, "-c", "from langchain_drift.cli import main; main()", "mcp", "--path"]
CLIENT = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
RUNS = 5


def spoken(number, method, **params):
    """Return a request as a line."""
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def times(path):
    """Start a server; return when it answered the handshake, and when it answered of its memory."""
    begun = time.perf_counter()
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [*PROGRAM, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        process.stdin.write(spoken(0, "initialize", **CLIENT))
        process.stdin.flush()
        json.loads(process.stdout.readline())
        first = time.perf_counter() - begun
        asked = {"context": "clear out the temp directory"}
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        process.stdin.write(spoken(1, "tools/call", name="query_memory", arguments=asked))
        process.stdin.flush()
        assert not json.loads(process.stdout.readline())["result"]["isError"]
        memory = time.perf_counter() - begun
        process.stdin.close()
    return first, memory


def test_the_first_answer_comes_within_two_seconds(tmp_path):
    """A client hears of the server, and then of its memory, within two seconds of the start."""
    pytest.importorskip("mcp")
    found = [times(tmp_path / "memory.sqlite3") for _ in range(RUNS)]
    first, memory = (min(each) for each in zip(*found, strict=True))
    print(f"\nfirst answer {first:.2f} s, first answer of the memory {memory:.2f} s")  # noqa: T201 - read with -s
    assert first <= 2
    assert memory <= 2
