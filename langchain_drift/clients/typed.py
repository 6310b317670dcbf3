"""The classes of wrapped clients for type checkers; at run time they are made as needed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anthropic import (
        Anthropic,
        AnthropicBedrock,
        AnthropicVertex,
        AsyncAnthropic,
        AsyncAnthropicBedrock,
        AsyncAnthropicVertex,
    )
    from openai import AsyncAzureOpenAI, AsyncOpenAI, AzureOpenAI, OpenAI

    from langchain_drift.clients.client import DriftClient

    class DriftOpenAI(DriftClient, OpenAI):
        """A wrapped `openai.OpenAI`."""

    class DriftAsyncOpenAI(DriftClient, AsyncOpenAI):
        """A wrapped `openai.AsyncOpenAI`."""

    class DriftAzureOpenAI(DriftClient, AzureOpenAI):
        """A wrapped `openai.AzureOpenAI`."""

    class DriftAsyncAzureOpenAI(DriftClient, AsyncAzureOpenAI):
        """A wrapped `openai.AsyncAzureOpenAI`."""

    class DriftAnthropic(DriftClient, Anthropic):
        """A wrapped `anthropic.Anthropic`."""

    class DriftAsyncAnthropic(DriftClient, AsyncAnthropic):
        """A wrapped `anthropic.AsyncAnthropic`."""

    class DriftAnthropicBedrock(DriftClient, AnthropicBedrock):
        """A wrapped `anthropic.AnthropicBedrock`."""

    class DriftAsyncAnthropicBedrock(DriftClient, AsyncAnthropicBedrock):
        """A wrapped `anthropic.AsyncAnthropicBedrock`."""

    class DriftAnthropicVertex(DriftClient, AnthropicVertex):
        """A wrapped `anthropic.AnthropicVertex`."""

    class DriftAsyncAnthropicVertex(DriftClient, AsyncAnthropicVertex):
        """A wrapped `anthropic.AsyncAnthropicVertex`."""
