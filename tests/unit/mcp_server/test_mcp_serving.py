"""The program that people start: standard input and output, and HTTP, with real clients."""

import asyncio
import json
import socket
import sys
import time
from importlib import import_module

import httpx
import pytest

import langchain_drift
from langchain_drift import InvalidInputError

CHATTY = """
import os
from langchain_drift import DriftGuardRuntime, DriftGuardSettings, MemoryStore, create_mcp_server
from langchain_drift.mcp_server.serving import serve_stdio

class Chatty(MemoryStore):
    def changes(self, *given):
        print("hello from a store")
        os.write(1, b"hello from a library in C\\n")
        return super().changes(*given)

settings = DriftGuardSettings(storage_backend="memory")
serve_stdio(create_mcp_server(DriftGuardRuntime(settings, store=Chatty())))
"""
MALFORMED = [
    b"",
    b"hello",
    b"{",
    b"[]",
    b"null",
    b'"text"',
    b"\xff\xfe\x00",
    b"[" * 5_000,
    b"{" * 1_000_000,
    b'{"jsonrpc": "2.0", "id": 7}',
    b'{"jsonrpc": "1.0", "id": 8, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": 3}',
    b'{"jsonrpc": "2.0", "id": 10, "method": "tools/call", "params": {"name": ["x"]}}',
    b'{"jsonrpc": "2.0", "id": 11, "method": "no/such", "params": {}}',
    b'{"jsonrpc": "2.0", "id": 12, "method": "tools/call", "params": '
    b'{"name": "query_memory", "arguments": {"context": "\\ud800 lone half"}}}',
    b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}',
]


async def use(client):
    """Make fifty calls at once, and then ask, ask too much, and tell a megabyte."""
    step = {"action": "drop the users table", "feedback": "it was needed"}
    told = [client.call_tool("register_mistake", step) for _ in range(50)]
    assert not any(result.is_error for result in await asyncio.gather(*told))
    return (
        await client.call_tool("query_memory", {"context": "drop the users table"}),
        await client.call_tool("query_memory", {"context": "x" * 1_000_001}),
        await client.call_tool(
            "register_mistake", {"action": "rename the table", "feedback": "word " * 200_000}
        ),
    )


async def test_a_client_over_stdio_uses_memory_scope_and_policy_of_the_environment(
    command, environment, tmp_path, client_of, optional_package
):
    """The published environment holds; fifty calls at once and a megabyte are answered."""
    memory = tmp_path / "memory.jsonl"
    given = {
        "DRIFTGUARD_STORAGE_BACKEND": "json",
        "DRIFTGUARD_GRAPH_FILEPATH": str(memory),
        "DRIFTGUARD_SCOPE": "production",
        "DRIFTGUARD_GUARD_POLICY": "block",
    }
    program, *arguments = command
    stdio = optional_package("mcp.client.stdio")
    parameters = stdio.StdioServerParameters(
        command=program, args=arguments, env=environment | given
    )
    # By default the SDK takes the standard error of when it was imported, in another test.
    with (tmp_path / "log").open("w") as log:
        server = stdio.stdio_client(parameters, errlog=log)
        async with client_of(server) as client:
            asked, long, kept = await use(client)
    assert asked.structured_content["decision"] == "block"
    assert asked.structured_content["warnings"][0]["frequency"] == 50
    assert long.is_error
    assert kept.structured_content["status"] == "stored"
    events = [json.loads(line) for line in memory.read_text().splitlines() if "event_id" in line]
    assert len(events) == 51
    assert all("production" in json.dumps(event) for event in events)


def test_malformed_requests_cost_nothing_but_themselves(program):
    """After whatever a line can hold, the next request is answered as ever, and all is JSON."""
    with program() as client:
        assert client.greet()["result"]["serverInfo"]["name"] == "langchain-drift"
        for line in MALFORMED:
            client.say(line)
        client.ask(100, "register_mistake", action="drop the users table", feedback="denied")
        assert client.hear(100)["result"]["structuredContent"]["status"] == "stored"


def test_a_client_that_goes_away_ends_the_program(program):
    """Its end, in the middle of fifty calls or before the first, ends the program in silence."""
    for calls in (0, 50):
        with program() as client:
            client.greet()
            for number in range(calls):
                client.ask(number + 1, "query_memory", context=f"drop the table {number}")
            client.process.stdin.close()
            client.process.stdout.close()
            assert client.process.wait(timeout=10) == 0
            assert client.process.stderr.read() == b""


def test_standard_output_is_the_protocols(program):
    """What a library prints, in Python or below, goes to standard error."""
    with program(command=[sys.executable, "-c", CHATTY]) as client:
        client.greet()
        client.ask(1, "query_memory", context="x y z")
        assert client.hear(1)["result"]["structuredContent"]["decision"] == "pass"
        client.process.stdin.close()
        assert client.process.stdout.read() == b""
        assert client.process.wait(timeout=10) == 0
        told = client.process.stderr.read()
    assert b"hello from a store" in told
    assert b"hello from a library" in told


def test_what_cannot_be_used_is_told_before_serving(program):
    """A wrong setting ends the program with one sentence on standard error."""
    with program(DRIFTGUARD_GUARD_POLICY="blok") as client:
        out, err = client.process.communicate()
    assert client.process.returncode == 2
    assert out == b""
    assert err.startswith(b"langchain-drift: DRIFTGUARD_GUARD_POLICY is 'blok'")
    assert err.count(b"\n") == 1


def request(web, body, **headers):
    """Return the status and body of a POST, spoken by hand."""
    given = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    with httpx.Client(timeout=30) as client:
        done = client.post(web, content=body, headers=given | headers)
    return done.status_code, done.text


@pytest.mark.allow_hosts(["127.0.0.1"])
async def test_clients_over_http_share_the_memory(web, client_of):
    """One client's mistake is another's warning; fifty calls at once are answered."""
    step = {"action": "drop the users table", "feedback": "it was needed"}
    async with client_of(web) as client:
        told = await asyncio.gather(
            *(client.call_tool("register_mistake", step) for _ in range(50))
        )
        assert not any(result.is_error for result in told)
    async with client_of(web) as client:
        asked = await client.call_tool("query_memory", {"context": "drop the users table"})
        big = {"context": "x " * 500_000}
        assert not (await client.call_tool("query_memory", big)).is_error
    assert asked.structured_content["warnings"][0]["frequency"] == 50


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_only_this_machine_is_served_over_http(web):
    """Foreign hosts, origins and content types are refused, malformed bodies too; it goes on."""
    place = web.removeprefix("http://").removesuffix("/mcp")
    hello = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        }
    )
    modern = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}
    for more in ({}, modern):
        assert request(web, hello, host="evil.example", **more)[0] == 421
        assert request(web, hello, host=f"{place}.evil.example", **more)[0] == 421
        assert request(web, hello, origin="http://evil.example", **more)[0] == 403
        assert request(web, hello, origin=f"http://{place}.evil.example", **more)[0] == 403
    assert request(web, hello, **{"content-type": "text/plain"})[0] in (400, 415)
    for body in MALFORMED:
        assert 200 <= request(web, body)[0] < 500
    assert request(web, b"[" + b" " * 5_000_000 + b"]")[0] == 413
    status, text = request(web, hello, origin=f"http://{place}")
    assert status == 200
    assert json.loads(text)["result"]["serverInfo"]["name"] == "langchain-drift"


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_http_clients_that_go_away_leave_the_server_to_others(web):
    """Connections closed in the middle of a request, or of its answer, harm nobody else."""
    host, port = web.removeprefix("http://").removesuffix("/mcp").split(":")
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "query_memory", "arguments": {"context": "drop the table"}},
        }
    ).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    for sent in (head[:40], head, head + body[:20], head + body) * 5:
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(sent)
    time.sleep(0.1)
    status, text = request(web, body)
    assert status == 200
    assert json.loads(text)["result"]["structuredContent"]["decision"] == "pass"


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_port_in_use_is_told(web):
    """A second server on the same port is refused in one sentence."""
    port = int(web.removesuffix("/mcp").rpartition(":")[2])
    server = langchain_drift.create_mcp_server(settings=None)
    with pytest.raises(InvalidInputError, match=f"Port {port} cannot be used"):
        import_module("langchain_drift.mcp_server.serving").serve_http(server, port)
