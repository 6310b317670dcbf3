import asyncio

import pytest

from langchain_drift.embeddings.functions import CallableEmbeddings
from langchain_drift.errors import InvalidInputError


async def test_calls_the_function_for_each_text():
    """Each text has the vector that the function gives it, sync and async."""
    embedder = CallableEmbeddings(lambda text: (len(text), 1))
    assert embedder.embed_documents(["a", "bb"]) == [[1.0, 1.0], [2.0, 1.0]]
    assert embedder.embed_query("abc") == [3.0, 1.0]
    assert await embedder.aembed_documents(["a", "bb"]) == [[1.0, 1.0], [2.0, 1.0]]
    assert await embedder.aembed_query("abc") == [3.0, 1.0]


async def test_async_runs_in_a_thread():
    """An async call does not run the function on the event loop."""

    def embed(text):
        with pytest.raises(RuntimeError, match="no running event loop"):
            asyncio.get_running_loop()
        return [1.0]

    assert await CallableEmbeddings(embed).aembed_query("a") == [1.0]


def test_errors_of_the_function_pass():
    """What the function raises is passed on as it is."""
    with pytest.raises(ZeroDivisionError):
        CallableEmbeddings(lambda text: [1 / 0]).embed_query("a")


async def coroutine(text):
    """Embed nothing, asynchronously."""


@pytest.mark.parametrize("function", [None, "model", coroutine])
def test_only_plain_functions(function):
    """What cannot be called like a plain function is refused."""
    with pytest.raises(InvalidInputError, match="pass a plain function"):
        CallableEmbeddings(function)
