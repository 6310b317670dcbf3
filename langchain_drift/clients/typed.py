"""The classes of wrapped clients for type checkers; at run time they are made as needed.

Clients are told apart by what they have and not by their classes: to who has only one of the SDKs,
the classes of the other one could be anything, his own included.
"""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Coroutine

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

    class OpenAILike(Protocol):
        """What an `openai.OpenAI` has."""

        @property
        def chat(self) -> object: ...
        @property
        def responses(self) -> object: ...
        def close(self) -> None: ...

    class AsyncOpenAILike(Protocol):
        """What an `openai.AsyncOpenAI` has."""

        @property
        def chat(self) -> object: ...
        @property
        def responses(self) -> object: ...
        def close(self) -> Coroutine[Any, Any, None]: ...

    class AzureLike(OpenAILike, Protocol):
        """What an `openai.AzureOpenAI` has."""

        @property
        def _azure_ad_token(self) -> object: ...

    class AsyncAzureLike(AsyncOpenAILike, Protocol):
        """What an `openai.AsyncAzureOpenAI` has."""

        @property
        def _azure_ad_token(self) -> object: ...

    class AnthropicLike(Protocol):
        """What an `anthropic.Anthropic` has; a client of another cloud has no `models`."""

        @property
        def messages(self) -> object: ...
        @property
        def models(self) -> object: ...
        def close(self) -> None: ...

    class AsyncAnthropicLike(Protocol):
        """What an `anthropic.AsyncAnthropic` has."""

        @property
        def messages(self) -> object: ...
        @property
        def models(self) -> object: ...
        def close(self) -> Coroutine[Any, Any, None]: ...
