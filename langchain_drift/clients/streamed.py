"""What a streamed response says, put together from its events."""

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Protocol

from langchain_drift.clients.content import calls_a_tool, held, text_of
from langchain_drift.clients.event_stream import EventStream
from langchain_drift.clients.said import Said, read_response, reply_of, response_id_of
from langchain_drift.clients.wire import Wire

_DONE = "[DONE]"


class Body(Protocol):
    """The body of a response as it is read along."""

    def feed(self, chunk: bytes) -> None:
        """Take some bytes of it."""

    def said(self) -> Said:
        """Return what it said as far as it was read."""


def body_of(wire: Wire, content_type: str) -> Body:
    """Return what reads the body of a response along."""
    return EventBody(wire) if "event-stream" in content_type else JsonBody(wire)


class JsonBody:
    """A response in one piece whose bytes are read by the caller."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._chunks: list[bytes] = []

    def feed(self, chunk: bytes) -> None:
        """Take some bytes of it."""
        self._chunks.append(chunk)

    def said(self) -> Said:
        """Return what it says; nothing if it was not read to its end."""
        try:
            return read_response(self._wire, json.loads(b"".join(self._chunks)))
        except ValueError:
            return Said(is_complete=False)


class EventBody:
    """A response as a stream of events."""

    def __init__(self, wire: Wire) -> None:
        self._events = EventStream()
        self._spoken = _SPOKEN[wire]()

    def feed(self, chunk: bytes) -> None:
        """Take some bytes of it."""
        self._take(self._events.feed(chunk))

    def said(self) -> Said:
        """Return what was said up to here."""
        self._take(self._events.end())
        return self._spoken.said()

    def _take(self, events: list[str]) -> None:
        for data in events:
            if data.startswith(_DONE):
                self._spoken.is_complete = True
                continue
            event = json.loads(data)
            if isinstance(event, Mapping):
                self._spoken.take(event)


class _Spoken:
    """What the events of a stream said so far."""

    def __init__(self) -> None:
        self.is_complete = False
        self._id: str | None = None
        self._texts: defaultdict[int, list[str]] = defaultdict(list)
        self._calls: set[int] = set()

    def take(self, event: Mapping[str, Any]) -> None:
        """Take an event."""
        raise NotImplementedError

    def said(self) -> Said:
        """Return what was said up to here."""
        numbers = sorted({*self._texts, *self._calls})
        replies = [
            reply_of("".join(self._texts.get(i, ())), calls=i in self._calls, index=i)
            for i in numbers
        ]
        return Said(tuple(replies), self._id, is_complete=self.is_complete)


class _ChatSpoken(_Spoken):
    def __init__(self) -> None:
        super().__init__()
        self._ended: set[int] = set()

    def take(self, event: Mapping[str, Any]) -> None:
        self._id = self._id or response_id_of(event)
        for choice in event.get("choices") or ():
            delta, index = held(choice, "delta"), held(choice, "index") or 0
            words = text_of(held(delta, "content")) or text_of(held(delta, "refusal"))
            words = words or text_of(held(held(delta, "audio"), "transcript"))
            if words:
                self._texts[index].append(words)
            if calls_a_tool(delta):
                self._calls.add(index)
            if held(choice, "finish_reason"):
                self._ended.add(index)

    def said(self) -> Said:
        # Not every service that speaks this format says that it is done.
        self.is_complete |= bool(self._ended) and self._ended >= {*self._texts, *self._calls}
        return super().said()


class _ResponsesSpoken(_Spoken):
    def __init__(self) -> None:
        super().__init__()
        self._whole: Said | None = None

    def take(self, event: Mapping[str, Any]) -> None:
        kind, response = event.get("type"), event.get("response")
        self._id = self._id or response_id_of(response)
        if kind in ("response.output_text.delta", "response.refusal.delta"):
            self._texts[0].append(text_of(event.get("delta")))
        elif kind == "response.output_item.added" and calls_a_tool(event.get("item")):
            self._calls.add(0)
        elif kind in ("response.completed", "response.incomplete"):
            self._whole = read_response(Wire.RESPONSES, response)

    def said(self) -> Said:
        return self._whole or super().said()


class _MessagesSpoken(_Spoken):
    def take(self, event: Mapping[str, Any]) -> None:
        kind = event.get("type")
        if kind == "message_start":
            self._id = response_id_of(event.get("message"))
        elif kind == "content_block_start":
            block = event.get("content_block")
            self._texts[0].append(text_of([block]))
            if calls_a_tool(block):
                self._calls.add(0)
        elif kind == "content_block_delta":
            self._texts[0].append(text_of(held(event.get("delta"), "text")))
        elif kind == "message_stop":
            self.is_complete = True


_SPOKEN: dict[Wire, type[_Spoken]] = {
    Wire.CHAT: _ChatSpoken,
    Wire.RESPONSES: _ResponsesSpoken,
    Wire.MESSAGES: _MessagesSpoken,
}
