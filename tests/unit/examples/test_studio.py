"""The banking assistant behind `langgraph dev`, as LangGraph Studio opens it."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples" / "banking_assistant"
# Whatever leaves this machine over HTTP would end at a port where nobody listens.
OFFLINE = {
    "LANGSMITH_TRACING": "false",
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1",
    "PYTHONPATH": str(ROOT),
}


@pytest.fixture(scope="module")
def studio(optional_package, tmp_path_factory):
    """Return a client of a development server on the example, one for all tests here."""
    optional_package("langgraph_api")
    optional_package("langgraph_cli")
    sdk = optional_package("langgraph_sdk")
    folder = tmp_path_factory.mktemp("studio") / "assistant"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns(".langgraph_api", "__pycache__"))
    port, log = _free_port(), folder / "server.log"
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    with log.open("w") as shown:
        server = subprocess.Popen(
            [*command, "--port", str(port)],
            cwd=folder,
            env={**os.environ, **OFFLINE},
            stdin=subprocess.DEVNULL,
            stdout=shown,
            stderr=shown,
        )
    try:
        _wait_for(port, server, log)
        with sdk.get_sync_client(url=f"http://127.0.0.1:{port}", api_key=None) as client:
            yield client
    finally:
        server.terminate()
        server.wait(timeout=20)


def _free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _wait_for(port, server, log):
    until = time.monotonic() + 60
    while time.monotonic() < until and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail(f"langgraph dev did not start:\n{log.read_text()[-2000:]}")


def test_studio_shows_the_parts(studio):
    """The graph's nodes and the schema of its state are told, as Studio asks for them."""
    (assistant,) = studio.assistants.search()
    nodes = {node["id"] for node in studio.assistants.get_graph(assistant["assistant_id"])["nodes"]}
    assert nodes >= {"inject", "guard", "acknowledge", "tools", "record", "judge", "score"}
    schema = studio.assistants.get_schemas(assistant["assistant_id"])["state_schema"]
    assert schema["properties"].keys() >= {"drift_turns", "guard_review", "retriever_drift"}


def test_a_run_has_its_drift_in_the_state(studio):
    """A turn off purpose is in the state of its thread, with its score and why."""
    thread = studio.threads.create()["thread_id"]
    asked = {"messages": [{"role": "user", "content": "How do I cook pasta?"}]}
    studio.runs.wait(thread, "assistant", input=asked)
    (turn,) = studio.threads.get_state(thread)["values"]["drift_turns"]
    assert turn["user"] == "How do I cook pasta?"
    assert turn["score"] < 35
    assert "off purpose" in turn["explanation"]
