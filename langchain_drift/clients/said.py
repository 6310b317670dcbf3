"""What a response says, read from its fields or put together from the events of its stream."""

from collections.abc import Callable
from dataclasses import dataclass

from langchain_drift.clients.content import calls_a_tool, held, text_of
from langchain_drift.clients.wire import Wire


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer.

    Attributes:
        text: Its words.
        is_final: Whether it is for the user: it has words and calls no tool.
        index: Its place among the answers.
    """

    text: str
    is_final: bool = True
    index: int = 0


@dataclass(frozen=True, slots=True)
class Said:
    """What a response says.

    Attributes:
        replies: The answers; several with `n`.
        response_id: The id of the response.
        is_complete: Whether it was read to its end.
    """

    replies: tuple[Reply, ...] = ()
    response_id: str | None = None
    is_complete: bool = True

    @property
    def reply(self) -> Reply | None:
        """The first answer that is for the user."""
        return next((reply for reply in self.replies if reply.is_final), None)


def read_response(wire: Wire, response: object) -> Said:
    """Read a response: parsed JSON, or the object that the SDK made of it."""
    return Said(replies=tuple(_READERS[wire](response)), response_id=response_id_of(response))


def reply_of(text: str, *, calls: bool, index: int = 0) -> Reply:
    """Return an answer of its words."""
    return Reply(text, is_final=bool(text.strip()) and not calls, index=index)


def response_id_of(response: object) -> str | None:
    """Return the id of a response."""
    found = held(response, "id")
    return found if isinstance(found, str) and found else None


def _chat(response: object) -> list[Reply]:
    return [_choice(choice) for choice in held(response, "choices") or ()]


def _choice(choice: object) -> Reply:
    message = held(choice, "message")
    spoken = held(held(message, "audio"), "transcript")
    text = text_of(held(message, "content")) or text_of(held(message, "refusal"))
    return reply_of(
        text or text_of(spoken), calls=calls_a_tool(message), index=held(choice, "index") or 0
    )


def _response(response: object) -> list[Reply]:
    items = held(response, "output") or ()
    texts = [text_of(held(item, "content")) for item in items if held(item, "type") == "message"]
    calls = any(map(calls_a_tool, items))
    return [reply_of("\n".join(filter(None, texts)), calls=calls)]


def _message(response: object) -> list[Reply]:
    return [reply_of(text_of(held(response, "content")), calls=calls_a_tool(response))]


_READERS: dict[Wire, Callable[[object], list[Reply]]] = {
    Wire.CHAT: _chat,
    Wire.RESPONSES: _response,
    Wire.MESSAGES: _message,
}
