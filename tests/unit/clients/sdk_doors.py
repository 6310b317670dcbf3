"""What tests of wrapped clients share: one door for each format, plain or async."""

import asyncio
import inspect
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass

from langchain_drift import FewShotExample, TokenOverlapStrategy
from langchain_drift.clients import wrap

PURPOSE = "Help customers of Acme Bank with savings accounts, credit cards and home loans."
QUESTION = "What do I need for a home loan?"
EXAMPLES = [FewShotExample(user="Which card has no fee?", assistant="The blue credit card.")]


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


async def done(value):
    """Return a value, or what an awaitable gives."""
    return await value if inspect.isawaitable(value) else value


@asynccontextmanager
async def opened(manager):
    """Enter a plain or an async context manager."""
    if hasattr(manager, "__aenter__"):
        async with manager as value:
            yield value
    else:
        with manager as value:
            yield value


async def read(stream, most=None):
    """Return the events of a plain or an async stream; of an endless one the first."""
    events = []
    if hasattr(stream, "__aiter__"):
        async for event in stream:
            events.append(event)
            if len(events) == most:
                break
    else:
        for event in stream:
            events.append(event)
            if len(events) == most:
                break
    return events


async def settled(told, seconds=5.0):
    """Wait until something is told."""
    end = time.monotonic() + seconds
    while not told():
        assert time.monotonic() < end
        await asyncio.sleep(0.005)


@dataclass
class Door:
    """One wire format through one client of its SDK."""

    wire: str
    is_async: bool
    service: object
    client: object

    def wrap(self, prompt=PURPOSE, **options):
        return wrap(self.client, prompt, **{"strategies": [TokenOverlapStrategy()], **options})

    def resource(self, client):
        if self.wire == "chat":
            return client.chat.completions
        return getattr(client, self.wire)

    def request(self, *messages, system=None, **more):
        """Return the arguments of a request."""
        if self.wire == "messages":
            more.setdefault("max_tokens", 9)
            if system:
                more["system"] = system
        elif self.wire == "responses" and system:
            more["instructions"] = system
        elif system:
            messages = ({"role": "system", "content": system}, *messages)
        name = "input" if self.wire == "responses" else "messages"
        return {"model": "m", name: list(messages), **more}

    async def ask(self, client, *messages, **more):
        messages = [user(m) if isinstance(m, str) else m for m in messages or (QUESTION,)]
        request = self.request(*messages, **more)
        return await done(self.resource(client).create(**request))

    async def close(self, value):
        await done(value.close())
