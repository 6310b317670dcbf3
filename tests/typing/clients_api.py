"""Uses wrapped SDK clients as a typed program would; checked by mypy, never run."""

from typing import Any, assert_type

from anthropic import Anthropic, AnthropicBedrock, AsyncAnthropic, AsyncStream
from anthropic.types import Message, MessageParam, RawMessageStreamEvent
from openai import AsyncAzureOpenAI, AsyncOpenAI, AzureOpenAI, OpenAI, Stream
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response

from langchain_drift import (
    ClientTurn,
    DriftClient,
    DriftReport,
    DriftScore,
    DriftTracker,
    FewShotExample,
    KeywordStrategy,
    wrap,
)
from langchain_drift.clients import ClientDrift, DroppedByClient


def takes_openai(client: OpenAI) -> OpenAI:
    """Take a client as a user's own function does."""
    return client


def tell(turn: ClientTurn) -> None:
    """Read a turn."""
    assert_type(turn.conversation, str)
    assert_type(turn.response_id, str | None)
    assert_type(turn.complete, bool)
    assert_type(turn.is_redo, bool)
    assert_type(turn.error, str | None)
    assert_type(turn.drift, DriftScore | None)


def chat() -> None:
    """Chat with a plain OpenAI client."""
    client = wrap(
        OpenAI(),
        "You are a banking assistant.",
        [FewShotExample(user="a", assistant="b")],
        mode="always",
        strategies=[KeywordStrategy()],
        timeout=1,
        max_turns=10,
        max_conversations=10,
        on_turn=tell,
    )
    takes_openai(client)
    takes_openai(client.with_options(timeout=3))
    takes_openai(client.with_conversation("42"))
    made = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "a"}])
    assert_type(made, ChatCompletion)
    stream = client.with_conversation("42").chat.completions.create(
        model="m", messages=[{"role": "user", "content": "a"}], stream=True
    )
    assert_type(stream, Stream[ChatCompletionChunk])
    assert_type(client.responses.create(model="m", input="a"), Response)
    assert_type(client.drift, ClientDrift)
    assert_type(client.drift.of(made), ClientTurn | None)
    assert_type(client.drift.turns, tuple[ClientTurn, ...])
    assert_type(client.drift.conversations, tuple[str, ...])
    assert_type(client.drift.errors, dict[str, int])
    assert_type(client.drift.dropped, DroppedByClient)
    assert_type(client.drift.tracker("42"), DriftTracker)
    assert_type(client.tracker, DriftTracker)
    assert_type(client.drift_check(), DriftReport)
    client.reset("42")


async def chat_async() -> None:
    """Chat with async clients."""
    client = wrap(AsyncOpenAI(), system_prompt="You are a banking assistant.")
    own: AsyncOpenAI = client.copy(max_retries=1)
    made = await own.chat.completions.create(model="m", messages=[{"role": "user", "content": "a"}])
    assert_type(made, ChatCompletion)
    assert_type(await client.adrift_check("42"), DriftReport)
    asked: list[MessageParam] = [{"role": "user", "content": "a"}]
    other = wrap(AsyncAnthropic(), explain_fn=None, off_topic_marker=None)
    streamed = await other.messages.create(model="m", max_tokens=1, messages=asked, stream=True)
    assert_type(streamed, AsyncStream[RawMessageStreamEvent])


def all_kinds() -> list[DriftClient]:
    """Wrap clients of each kind."""
    azure: AzureOpenAI = wrap(AzureOpenAI())
    async_azure: AsyncAzureOpenAI = wrap(AsyncAzureOpenAI())
    assert_type(wrap(AnthropicBedrock()), AnthropicBedrock)
    client = wrap(Anthropic(), None, strip_md=False, decay_rate=None, window_size=None)
    made = client.messages.create(
        model="m", max_tokens=1, messages=[{"role": "user", "content": "a"}]
    )
    assert_type(made, Message)
    given: Anthropic = client
    return [client, wrap(azure), wrap(async_azure), wrap(given)]


def refused(anything: Any) -> None:
    """Refuse parameters that are not there, when the types are checked."""
    wrap(anything, colour="red")  # type: ignore[call-overload] # no such parameter
