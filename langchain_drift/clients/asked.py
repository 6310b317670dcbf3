"""What a request asks, read from its body as it goes over the wire."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from langchain_drift.clients.content import calls_a_tool, text_of
from langchain_drift.clients.wire import Wire

KEY = "drift_conversation"
"""Names the conversation of one request in its `extra_body`; it is taken out before sending."""

_KEYS = (KEY, "thread_id", "session_id", "conversation_id")
_SYSTEM = ("system", "developer")


class Exchange(NamedTuple):
    """What the user said and what the assistant finally answered."""

    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asks.

    Attributes:
        wire: The format it is in.
        user: The newest words of the user; empty if it only brings results of tools.
        history: The exchanges before, as far as the request tells them.
        prefill: The beginning of the answer, if the request gives one.
        system: The system prompt; None without one.
        key: The conversation, if the request names one.
        person: Who asks, if the request tells; conversations of two people are two.
        after: The id of the response that it goes on from.
    """

    wire: Wire
    user: str = ""
    history: tuple[Exchange, ...] = ()
    prefill: str = ""
    system: str | None = None
    key: str | None = None
    person: str = ""
    after: str | None = None


def read_request(wire: Wire, body: Mapping[str, Any], key: str | None = None) -> Asked | None:
    """Read the body of a request; None if it holds no messages that can be read.

    Args:
        wire: The format it is in.
        body: The body, what `extra_body` adds included.
        key: The conversation, if it is known otherwise.
    """
    messages = body.get("input" if wire is Wire.RESPONSES else "messages")
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    # Whatever else it may be is not looked at: an iterator can be read only once.
    if not isinstance(messages, list | tuple):
        return None
    system = text_of(body.get("instructions") or body.get("system"), between="\n")
    told = _Told(system)
    for message in messages:
        if isinstance(message, Mapping):
            told.add(message)
    user, history, prefill = told.end(is_prefilled=wire is Wire.MESSAGES)
    return Asked(
        wire=wire,
        user=user,
        history=history,
        prefill=prefill,
        system=told.system or None,
        key=key or _key(body),
        person=_person(body),
        after=_text(body.get("previous_response_id")),
    )


class _Told:
    """The exchanges that messages tell, one message after the other."""

    def __init__(self, system: str) -> None:
        self.system = system
        self._asked: list[str] = []
        self._done: list[Exchange] = []
        self._open: list[str] | None = None
        """What was asked before the last text of the assistant, as long as that may go on."""

    def add(self, message: Mapping[str, Any]) -> None:
        """Take a message; results of tools and other items say nothing."""
        role, content = message.get("role"), message.get("content")
        if calls_a_tool(message):
            self._go_on()
        elif role in _SYSTEM:
            self.system = self.system or text_of(content, between="\n")
        elif role == "user":
            self._hear(text_of(content, between="\n"))
        elif role == "assistant":
            self._answer(text_of(content) or text_of(message.get("refusal")))

    def end(self, *, is_prefilled: bool) -> tuple[str, tuple[Exchange, ...], str]:
        """Return the newest words of the user, the exchanges before, and how the answer begins."""
        if is_prefilled and self._open is not None and not self._asked:
            last = self._done.pop()
            return last.user, tuple(self._done), last.assistant
        return "\n".join(self._asked), tuple(self._done), ""

    def _hear(self, text: str) -> None:
        if text.strip():
            self._asked.append(text)
            self._open = None

    def _answer(self, text: str) -> None:
        if text.strip():
            self._open = self._asked
            self._done.append(Exchange("\n".join(self._asked), text))
            self._asked = []

    def _go_on(self) -> None:
        """Take back a text that was not final: the assistant went on to call a tool."""
        if self._open is not None:
            self._done.pop()
            self._asked, self._open = self._open, None


def _key(body: Mapping[str, Any]) -> str | None:
    metadata = body.get("metadata")
    places: Iterable[object] = (
        body.get(KEY),
        _named(body.get("conversation")),
        *(metadata.get(key) for key in _KEYS if isinstance(metadata, Mapping)),
    )
    return next((key for place in places if (key := _text(place))), None)


def _named(conversation: object) -> object:
    return conversation.get("id") if isinstance(conversation, Mapping) else conversation


def _person(body: Mapping[str, Any]) -> str:
    metadata = body.get("metadata")
    told = (
        body.get("safety_identifier"),
        body.get("user"),
        metadata.get("user_id") if isinstance(metadata, Mapping) else None,
    )
    return next((person for item in told if (person := _text(item))), "")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
