"""Requests in, turns out: what happens around one call of a client."""

import asyncio
import logging
import sys
from concurrent.futures import wait
from copy import copy
from inspect import iscoroutine
from typing import Any
from weakref import ref

from langchain_drift.callbacks.boundary import Boundary
from langchain_drift.clients.asked import KEY, read_request
from langchain_drift.clients.call import Call
from langchain_drift.clients.content import held
from langchain_drift.clients.recorder import Recorder
from langchain_drift.clients.said import Said, read_response
from langchain_drift.clients.streamed import Body, body_of
from langchain_drift.clients.tap import Tap, is_read
from langchain_drift.clients.wire import wire_of

LOGGER = logging.getLogger("langchain_drift.clients")


class Watcher:
    """Watches the calls of a client and of its copies; it never costs a response.

    Args:
        recorder: Takes the turns.
        boundary: What catches errors.
    """

    def __init__(self, recorder: Recorder, boundary: Boundary) -> None:
        self._recorder, self._boundary = recorder, boundary

    def ask(self, options: Any, key: str | None) -> tuple[Any, Call | None]:  # noqa: ANN401 - of either SDK
        """Read a request before it is sent.

        Args:
            options: The request, as the SDK holds it.
            key: The conversation of the client, if it is bound to one.

        Returns:
            The request to send, and the call if it is one to watch.
        """
        options, named = _without_key(options)
        with self._boundary("reading a request"):
            wire = wire_of(options.method, str(options.url))
            if wire:
                own, added = options.json_data, options.extra_json
                body = {**(own if isinstance(own, dict) else {}), **(added or {})}
                asked = read_request(wire, body, named or key)
                return options, Call(asked) if asked else None
        return options, None

    def answer(self, call: Call, result: Any) -> None:  # noqa: ANN401 - whatever the SDK gives
        """Take what a call gave, in a thread."""
        with self._boundary("watching a response"):
            said = self._receive(call, result, is_async=False)
            if said:
                self._settle(call, said)

    async def aanswer(self, call: Call, result: Any) -> None:  # noqa: ANN401 - whatever the SDK gives
        """Take what a call gave, on an event loop."""
        with self._boundary("watching a response") as caught:
            said = self._receive(call, result, is_async=True)
            if said:
                await self._asettle(call, said)
        _raise_if_cancelled(caught.error)

    def _receive(self, call: Call, result: Any, *, is_async: bool) -> Said | None:  # noqa: ANN401 - as above
        """Return what a response says, or watch one that is yet to be read."""
        response = held(result, "http_response") or held(result, "response")
        if not hasattr(response, "headers"):
            if hasattr(result, "headers"):  # The HTTP response itself was asked for.
                response = result
            else:
                call.hand_out(result)
                return read_response(call.asked.wire, result)
        call.hand_out(result)
        if hasattr(result, "parse"):
            _mark_parsed(result, call)
        kind = response.headers.get("content-type", "")
        if not _is_known(kind):
            message = f"a response of the type {kind!r:.80} cannot be read"
            self._boundary.note("reading a response", ValueError(message))
        body = body_of(call.asked.wire, kind)
        if is_read(response):
            body.feed(response.content)
            return body.said()
        self._watch(call, response, body, is_async=is_async)
        return None

    def _watch(self, call: Call, response: Any, body: Body, *, is_async: bool) -> None:  # noqa: ANN401 - of httpx or httpx2
        def feed(chunk: bytes) -> None:
            with self._boundary("reading a stream"):
                body.feed(chunk)

        def end() -> None:
            with self._boundary("watching a stream"):
                self._settle(call, body.said())

        async def aend() -> None:
            with self._boundary("watching a stream") as caught:
                await self._asettle(call, body.said())
            _raise_if_cancelled(caught.error)

        Tap(feed, aend if is_async else end).open(response)

    def _settle(self, call: Call, said: Said) -> None:
        for job in self._recorder.finish(call, said, waits=not _is_torn_down()):
            wait([job.done], job.seconds)

    async def _asettle(self, call: Call, said: Said) -> None:
        for job in self._recorder.finish(call, said, waits=not _is_torn_down()):
            await asyncio.wait([asyncio.wrap_future(job.done)], timeout=job.seconds)


def _without_key(options: Any) -> tuple[Any, str | None]:  # noqa: ANN401 - of either SDK
    """Return a request without the name of its conversation, and that name."""
    added = options.extra_json
    if not isinstance(added, dict) or KEY not in added:
        return options, None
    options, rest = copy(options), dict(added)
    key = rest.pop(KEY)
    options.extra_json = rest or None
    return options, str(key) if key is not None else None


def _mark_parsed(result: Any, call: Call) -> None:  # noqa: ANN401 - a raw response of either SDK
    """Mark what a raw response is parsed to, now or on an event loop."""
    held_weakly, kind = ref(result), type(result)

    async def later(parsed: Any) -> Any:  # noqa: ANN401 - as above
        found = await parsed
        call.hand_out(found)
        return found

    def parse(*args: object, **kwargs: object) -> Any:  # noqa: ANN401 - as above
        found = kind.parse(held_weakly(), *args, **kwargs)
        if iscoroutine(found):
            return later(found)
        call.hand_out(found)
        return found

    result.parse = parse


def _is_known(content_type: str) -> bool:
    """Return whether a type of content is read: not the binary events of Bedrock, say."""
    return "event-stream" in content_type or "json" in content_type


def _is_torn_down() -> bool:
    """Return whether this happens because a stream was dropped or a task cancelled.

    Then nobody is there to wait: the garbage collector may be at work in any thread, and a
    generator that is being closed must not be kept from it.
    """
    return isinstance(sys.exception(), GeneratorExit | asyncio.CancelledError)


def _raise_if_cancelled(error: BaseException | None) -> None:
    """Let the task of the caller end that was cancelled while it waited."""
    if isinstance(error, asyncio.CancelledError):
        raise error
