"""The door: `wrap` a client of the OpenAI or Anthropic SDK."""

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from langchain_drift.callbacks.boundary import Boundary, watching
from langchain_drift.callbacks.deadline import Deadline
from langchain_drift.callbacks.options import seconds
from langchain_drift.clients.client import Link
from langchain_drift.clients.conversations import Conversations
from langchain_drift.clients.drift import ClientDrift
from langchain_drift.clients.options import OnTurn, TrackerOptions, Trackers
from langchain_drift.clients.options import on_turn as checked
from langchain_drift.clients.recorder import Recorder
from langchain_drift.clients.twin import patched, twin_of
from langchain_drift.clients.watched import plain, watched
from langchain_drift.clients.watcher import LOGGER, Watcher
from langchain_drift.conversation.turn import FewShotExample
from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError

if TYPE_CHECKING:
    from anthropic import (
        AnthropicBedrock,
        AnthropicVertex,
        AsyncAnthropicBedrock,
        AsyncAnthropicVertex,
    )

    from langchain_drift.clients import typed

Other = TypeVar(
    "Other", "AnthropicBedrock", "AsyncAnthropicBedrock", "AnthropicVertex", "AsyncAnthropicVertex"
)
"""The type of a client that has no class of its own in `typed`."""

_CLIENTS = {
    "openai": ("OpenAI", "AsyncOpenAI"),
    "anthropic": (
        *("Anthropic", "AnthropicBedrock", "AnthropicBedrockMantle", "AnthropicVertex"),
        *("AsyncAnthropic", "AsyncAnthropicBedrock", "AsyncAnthropicBedrockMantle"),
        "AsyncAnthropicVertex",
    ),
}


@overload
def wrap(
    client: "typed.AzureLike",
    system_prompt: str | None = None,
    few_shot_examples: Iterable[FewShotExample] | None = None,
    *,
    timeout: float = ...,
    max_turns: int = ...,
    max_conversations: int = ...,
    on_turn: OnTurn | None = ...,
    **options: Unpack[TrackerOptions],
) -> "typed.DriftAzureOpenAI": ...


@overload
def wrap(
    client: "typed.OpenAILike",
    system_prompt: str | None = None,
    few_shot_examples: Iterable[FewShotExample] | None = None,
    *,
    timeout: float = ...,
    max_turns: int = ...,
    max_conversations: int = ...,
    on_turn: OnTurn | None = ...,
    **options: Unpack[TrackerOptions],
) -> "typed.DriftOpenAI": ...


@overload
def wrap(
    client: "typed.AsyncAzureLike",
    system_prompt: str | None = None,
    few_shot_examples: Iterable[FewShotExample] | None = None,
    *,
    timeout: float = ...,
    max_turns: int = ...,
    max_conversations: int = ...,
    on_turn: OnTurn | None = ...,
    **options: Unpack[TrackerOptions],
) -> "typed.DriftAsyncAzureOpenAI": ...


@overload
def wrap(
    client: "typed.AsyncOpenAILike",
    system_prompt: str | None = None,
    few_shot_examples: Iterable[FewShotExample] | None = None,
    *,
    timeout: float = ...,
    max_turns: int = ...,
    max_conversations: int = ...,
    on_turn: OnTurn | None = ...,
    **options: Unpack[TrackerOptions],
) -> "typed.DriftAsyncOpenAI": ...


@overload
def wrap(
    client: "typed.AnthropicLike",
    system_prompt: str | None = None,
    few_shot_examples: Iterable[FewShotExample] | None = None,
    *,
    timeout: float = ...,
    max_turns: int = ...,
    max_conversations: int = ...,
    on_turn: OnTurn | None = ...,
    **options: Unpack[TrackerOptions],
) -> "typed.DriftAnthropic": ...


@overload
def wrap(
    client: "typed.AsyncAnthropicLike",
    system_prompt: str | None = None,
    few_shot_examples: Iterable[FewShotExample] | None = None,
    *,
    timeout: float = ...,
    max_turns: int = ...,
    max_conversations: int = ...,
    on_turn: OnTurn | None = ...,
    **options: Unpack[TrackerOptions],
) -> "typed.DriftAsyncAnthropic": ...


@overload
def wrap(
    client: Other,
    system_prompt: str | None = None,
    few_shot_examples: Iterable[FewShotExample] | None = None,
    *,
    timeout: float = ...,
    max_turns: int = ...,
    max_conversations: int = ...,
    on_turn: OnTurn | None = ...,
    **options: Unpack[TrackerOptions],
) -> Other: ...


def wrap(  # noqa: PLR0913 - each is one thing a user may want
    client: Any,
    system_prompt: str | None = None,
    few_shot_examples: Iterable[FewShotExample] | None = None,
    *,
    timeout: float = 5.0,
    max_turns: int = 1_000,
    max_conversations: int = 1_000,
    on_turn: OnTurn | None = None,
    **options: Unpack[TrackerOptions],
) -> Any:
    """Return a client like the given one that scores every turn of its conversations.

    It is of the class of the given client, takes and gives the same, and shares its connections;
    the given client stays as it is. Watched are `chat.completions`, `responses` and `messages`
    with `create`, `parse` and `stream`, raw and streamed, and what copies of the client do. A
    response then has `_drift`, a `DriftScore`, and `_drift_explanation`; `client.drift` has the
    turns and `client.drift.of(response)` the turn of a response. A stream is scored when it ends.

    A conversation is told by `with_conversation`, by `extra_body={"drift_conversation": …}`
    (which is not sent), by `thread_id`, `session_id` or `conversation_id` in the `metadata`, by
    `conversation` or `previous_response_id`, and else by the messages that a request repeats.

    Nothing that goes wrong with the drift costs a response: it is counted in
    `client.drift.errors` and logged once per kind.

    Args:
        client: A client of the `openai` or `anthropic` SDK, plain or async.
        system_prompt: What the conversations are for. Without one, each is held against the
            system prompt of its first request.
        few_shot_examples: Exchanges that show the purpose in practice.
        timeout: Seconds a response waits for its score, 0 for not at all. A score that comes
            later is marked on it when it comes.
        max_turns: Turns kept; the oldest go first.
        max_conversations: Conversations kept; those longest silent go first.
        on_turn: A plain function to call with each `ClientTurn`.
        **options: Further parameters of `DriftTracker`, such as `mode` and `strategies`. With
            `persist` all requests that name no conversation are one, kept in the file; one that
            is named is kept in a file of its own, with the name behind the path.

    Returns:
        A client that is also a `DriftClient`.

    Raises:
        InvalidInputError: If it is another client, or a parameter has a value it cannot take.

    Example:
        ```python
        client = wrap(OpenAI(), system_prompt="You are a banking assistant.")
        response = client.chat.completions.create(model="…", messages=[…])
        response._drift.score, response._drift_explanation
        ```
    """
    if not isinstance(client, tuple(_known())):
        message = (
            f"wrap() knows the clients of the openai and anthropic packages, not {client!r:.80}. "
            "For another one call DriftTracker.record_turn() with what was said."
        )
        raise InvalidInputError(message)
    replaced = next(patched(client), None)
    if replaced:
        message = (
            f"{replaced} of this client was replaced, as langsmith's wrap_openai() does, and a "
            "wrapped client would not have it. Wrap the client first, then patch what wrap() gives."
        )
        raise InvalidInputError(message)
    trackers = Trackers.of(system_prompt, few_shot_examples, options)
    boundary = Boundary(LOGGER, watching("client.drift.errors"))
    recorder = Recorder(
        conversations=Conversations(
            trackers.make,
            check_count("max_conversations", max_conversations),
            by_system=system_prompt is None,
            shared=trackers.shared,
        ),
        deadline=Deadline(seconds("timeout", timeout)),
        boundary=boundary,
        max_turns=check_count("max_turns", max_turns),
        on_turn=checked(on_turn),
    )
    own = plain(client)
    link = Link(Watcher(recorder, boundary), ClientDrift(recorder, boundary))
    cls = watched(type(own))  # type: ignore[arg-type] # classes can be hashed
    return twin_of(own, cls, link)


def _known() -> Iterator[type]:
    """Yield the classes of clients that are known, of the packages that are loaded."""
    for package, names in _CLIENTS.items():
        module = sys.modules.get(package)
        yield from (getattr(module, name) for name in names if hasattr(module, name))
