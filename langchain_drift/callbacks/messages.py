"""Who said what: the words of the user and of the assistant in what goes into and out of a run.

Inputs and outputs of runs are of any shape: a string, a message, a list of messages, a state or
dict that holds them, a `Command`. What cannot be read holds no words.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    convert_to_messages,
)
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.prompt_values import PromptValue
from langgraph.types import Command

from langchain_drift.characters import whole_characters

_FIRST, _LAST = 16, 496
"""Of longer lists the messages that are looked at: a long history costs no more than a short."""

USER_KEYS = ("input", "question", "query", "user_input", "human_input")
REPLY_KEYS = ("output", "answer", "response", "reply", "result")


class Words(NamedTuple):
    """What somebody said, and the id of the message it stands in."""

    text: str
    message_id: str | None = None


def messages_in(value: object, key: str | None = None) -> list[BaseMessage]:
    """Return the messages a value holds, oldest first; of very many the first and the last.

    Args:
        value: Messages, a state or dict that holds them under `messages`, a prompt or a `Command`.
        key: The key that holds them, where it is another one.
    """
    if isinstance(value, Command):
        value = value.update
    if isinstance(value, BaseMessage):
        return [value]
    if isinstance(value, PromptValue):
        return value.to_messages()
    if isinstance(value, list | tuple):
        is_long = len(value) > _FIRST + _LAST
        items = (*value[:_FIRST], *value[-_LAST:]) if is_long else value
        return [message for item in items for message in _message(item)]
    held = _held(value, key or "messages")
    if isinstance(held, str | tuple):
        # A graph takes a tuple for one message, a model takes it for a list of them.
        return _message(held)
    if isinstance(held, list | BaseMessage | PromptValue):
        return messages_in(held)
    return []


def humans_in(messages: Iterable[BaseMessage]) -> list[Words]:
    """Return the words of each human message, summaries of earlier turns left out."""
    return [_words(message) for message in messages if _is_human(message)]


def newest_human(messages: Sequence[BaseMessage]) -> Words | None:
    """Return the newest human words: the last human message and those that stand before it."""
    last = next((i for i in reversed(range(len(messages))) if _is_human(messages[i])), None)
    if last is None:
        return None
    first = last
    while first > 0 and _is_human(messages[first - 1]):
        first -= 1
    texts = [_text(message) for message in messages[first : last + 1]]
    return Words("\n".join(text for text in texts if text), _words(messages[last]).message_id)


def final_reply(messages: Sequence[BaseMessage]) -> Words | None:
    """Return the last text of the assistant that follows the last human message.

    A message that calls tools is no final one.
    """
    for message in reversed(messages):
        if _is_human(message):
            return None
        if is_final(message):
            return _words(message)
    return None


def is_final(message: object) -> bool:
    """Return whether a message is text of the assistant that calls no tool."""
    if isinstance(message, AIMessage):
        return not message.tool_calls and bool(_text(message).strip())
    if isinstance(message, ChatMessage):
        return message.role in ("assistant", "ai") and bool(_text(message).strip())
    return False


def system_prompt(messages: Iterable[BaseMessage]) -> str | None:
    """Return the text of the first system message that has one."""
    systems = (_text(message) for message in messages if isinstance(message, SystemMessage))
    return next((text for text in systems if text.strip()), None)


def user_text(value: object, key: str | None = None) -> Words | None:
    """Return the user's words of an input without messages: a string, or the value of a known key.

    Args:
        value: The input of a run.
        key: The key that holds the user's words; by default one of `USER_KEYS`.
    """
    if isinstance(value, str):
        return Words(value) if value.strip() else None
    return _under(value, (key,) if key else USER_KEYS)


def reply_text(value: object, key: str | None = None, given: Collection[str] = ()) -> Words | None:
    """Return the reply of an output without messages.

    That is a string, the value of a known key, or all texts of a dict that its input did not hold
    (the branches of a `RunnableParallel`).

    Args:
        value: The output of a run.
        key: The key that holds the reply; by default one of `REPLY_KEYS`.
        given: The keys of the input.
    """
    if isinstance(value, str):
        return Words(value) if value.strip() else None
    found = _under(value, (key,) if key else REPLY_KEYS)
    if found or key or not isinstance(value, Mapping):
        return found
    new = [item for name, item in value.items() if name not in given]
    texts = [_said(item) for item in new]
    if not texts or not all(texts):
        return None
    return Words("\n\n".join(words.text for words in texts if words))


def said_in(response: LLMResult) -> Words | None:
    """Return the text of the first candidate a model gave; the others reach nobody."""
    candidates = response.generations[0] if response.generations else []
    if not candidates:
        return None
    first = candidates[0]
    if isinstance(first, ChatGeneration):
        return final_reply([first.message])
    return Words(first.text) if first.text.strip() else None


def _message(item: object) -> list[BaseMessage]:
    if isinstance(item, BaseMessage):
        return [item]
    if not isinstance(item, str | tuple | list | dict):
        return []
    try:
        return convert_to_messages([item])
    except (KeyError, NotImplementedError, TypeError, ValueError):
        return []


def _held(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, Mapping) else getattr(value, key, None)


def _under(value: object, keys: Iterable[str]) -> Words | None:
    if value is None or isinstance(value, BaseMessage):
        return None
    return next((words for key in keys if (words := _said(_held(value, key)))), None)


def _said(value: Any) -> Words | None:  # noqa: ANN401 - whatever a run holds
    if isinstance(value, str):
        return Words(value) if value.strip() else None
    if isinstance(value, BaseMessage):
        return _words(value) if _text(value).strip() else None
    return None


def _is_human(message: BaseMessage) -> bool:
    if isinstance(message, HumanMessage):
        return message.additional_kwargs.get("lc_source") != "summarization"
    return isinstance(message, ChatMessage) and message.role in ("user", "human")


def _words(message: BaseMessage) -> Words:
    return Words(_text(message), message.id and whole_characters(message.id))


def _text(message: BaseMessage) -> str:
    """Return the text of a message; one with content that LangChain itself cannot read has none."""
    try:
        return str(message.text)
    except (AttributeError, TypeError):
        return ""
