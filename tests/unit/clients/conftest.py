"""Both SDKs, plain and async, against a local server that speaks their wire formats."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from local_service import serve
from sdk_doors import Door, done


@pytest.fixture(scope="module")
def server():
    server, service = serve()
    yield service
    server.shutdown()
    server.server_close()


@pytest.fixture
def service(server):
    server.answers.clear()
    server.requests.clear()
    return server


@pytest.fixture
async def make_client(service, optional_package):
    """Return a function that makes a client of an SDK; all are closed at the end."""
    made = []

    def make(wire, *, is_async, kind="", **options):
        sdk = optional_package("anthropic" if wire == "messages" else "openai")
        prefix = "Async" if is_async else ""
        name = kind or ("Anthropic" if wire == "messages" else "OpenAI")
        transport = sdk.DefaultAsyncHttpxClient if is_async else sdk.DefaultHttpxClient
        http_client = transport(verify=False, trust_env=False)
        base = service.url if wire == "messages" else f"{service.url}/v1"
        given = {"api_key": "k", "base_url": base, "max_retries": 0, **options}
        client = getattr(sdk, prefix + name)(http_client=http_client, **given)
        made.append(client)
        return client

    yield make
    for client in made:
        await done(client.close())


@pytest.fixture(params=["chat", "responses", "messages"])
def wire(request):
    return request.param


@pytest.fixture(params=["sync", "async"])
def is_async(request):
    return request.param == "async"


@pytest.fixture
def door(wire, is_async, service, make_client):
    """Every wire format, plain and async."""
    return Door(wire, is_async, service, make_client(wire, is_async=is_async))
