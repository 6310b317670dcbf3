import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest

from langchain_drift.embeddings.openai_client import OpenAIClientEmbeddings
from langchain_drift.embeddings.vectors import aembed, embed
from langchain_drift.errors import EmbeddingError, InvalidInputError

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture
def server():
    """Run a service that answers backwards with the length of each input; keep its requests."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(request)
            data = [
                {"object": "embedding", "index": i, "embedding": [float(len(text)), 1.0]}
                for i, text in enumerate(request["input"])
            ]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            body = {"object": "list", "data": data[::-1], "model": "m", "usage": usage}
            content = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    yield SimpleNamespace(url=f"http://127.0.0.1:{http.server_port}/v1", requests=requests)
    http.shutdown()
    thread.join()
    http.server_close()


def fake_client(*, indices):
    """Return a client whose answers carry the given indices."""
    data = [SimpleNamespace(index=i, embedding=[1.0]) for i in indices]
    create = lambda model, input: SimpleNamespace(data=data)  # noqa: E731, A006 - its names
    return SimpleNamespace(embeddings=SimpleNamespace(create=create))


async def test_sync_client(optional_package, server):
    """A synchronous client serves both ways, in batches, in the order of the texts."""
    openai = optional_package("openai")
    with openai.OpenAI(base_url=server.url, api_key="none") as client:
        embedder = OpenAIClientEmbeddings(client, model="m", batch_size=2)
        expected = [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]]
        assert expected == embedder.embed_documents(["a", "bb", "ccc"])
        assert expected == await embedder.aembed_documents(["a", "bb", "ccc"])
        assert embedder.embed_query("bb") == await embedder.aembed_query("bb") == [2.0, 1.0]
    assert [r["input"] for r in server.requests[:2]] == [["a", "bb"], ["ccc"]]
    assert {r["model"] for r in server.requests} == {"m"}


async def test_async_client(optional_package, server):
    """An async client serves the async methods and refuses the others in a clear sentence."""
    openai = optional_package("openai")
    async with openai.AsyncOpenAI(base_url=server.url, api_key="none") as client:
        embedder = OpenAIClientEmbeddings(client, batch_size=2)
        vectors = await aembed(embedder, ["ccc", "a", "bb"])
        np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], [3, 1, 2], rtol=1e-5)
        assert await embedder.aembed_query("bb") == [2.0, 1.0]
        with pytest.raises(InvalidInputError, match=r"AsyncOpenAI is an async client.*aembed"):
            embedder.embed_documents(["a"])


async def test_langchain_openai(optional_package, server):
    """The embedder of langchain-openai works with the same service."""
    langchain_openai = optional_package("langchain_openai")
    embedder = langchain_openai.OpenAIEmbeddings(
        model="m", base_url=server.url, api_key="none", check_embedding_ctx_length=False
    )
    vectors = embed(embedder, ["a", "bb"])
    np.testing.assert_allclose(vectors, await aembed(embedder, ["a", "bb"]))


def test_an_empty_text_is_sent_as_a_space(optional_package, server):
    """An empty text, which the service refuses, is sent as a space."""
    openai = optional_package("openai")
    with openai.OpenAI(base_url=server.url, api_key="none") as client:
        OpenAIClientEmbeddings(client).embed_query("")
    assert server.requests[0]["input"] == [" "]


@pytest.mark.parametrize("indices", [[0], [0, 0], [0, 1, 2], [1, 2]])
def test_one_vector_for_each_text(indices):
    """An answer with missing, doubled or surplus vectors is refused."""
    embedder = OpenAIClientEmbeddings(fake_client(indices=indices), model="m")
    with pytest.raises(EmbeddingError, match=f"m gave {len(indices)} vectors"):
        embedder.embed_documents(["a", "b"])


@pytest.mark.parametrize("client", [None, "client", SimpleNamespace(embeddings=[])])
def test_the_client_is_checked(client):
    """What has no `embeddings.create` is refused."""
    with pytest.raises(InvalidInputError, match=r"needs a method `embeddings\.create`"):
        OpenAIClientEmbeddings(client)


def test_the_fingerprint_names_the_model():
    """The model is the identity, so that sync and async clients share their vectors."""
    client = fake_client(indices=[0])
    assert OpenAIClientEmbeddings(client, "m").fingerprint == "openai:m"
