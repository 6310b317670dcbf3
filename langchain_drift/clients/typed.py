"""The classes of wrapped clients for type checkers; at run time they are made as needed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic
    from openai import AsyncAzureOpenAI, AsyncOpenAI, AzureOpenAI, OpenAI

    from langchain_drift.clients.client import DriftClient

    class DriftOpenAI(DriftClient, OpenAI):
        """A wrapped `openai.OpenAI`."""

    class DriftAsyncOpenAI(DriftClient, AsyncOpenAI):
        """A wrapped `openai.AsyncOpenAI`."""

    class DriftAzureOpenAI(DriftOpenAI, AzureOpenAI):
        """A wrapped `openai.AzureOpenAI`."""

    class DriftAsyncAzureOpenAI(DriftAsyncOpenAI, AsyncAzureOpenAI):
        """A wrapped `openai.AsyncAzureOpenAI`."""

    class DriftAnthropic(DriftClient, Anthropic):
        """A wrapped `anthropic.Anthropic`."""

    class DriftAsyncAnthropic(DriftClient, AsyncAnthropic):
        """A wrapped `anthropic.AsyncAnthropic`."""
