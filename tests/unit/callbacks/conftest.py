"""Fake models, a strategy that counts words, and runs in both manners."""

import asyncio
import re
import time
from types import SimpleNamespace

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk

from langchain_drift import DriftCallbackHandler, DriftScorer, Strategy
from langchain_drift.conversation.strategy import Judgement

BANK = "Help customers of Acme Bank with savings accounts, credit cards and loans."


class FakeModel(GenericFakeChatModel):
    """Says the given texts or messages one after another; takes tools as a real one does."""

    def __init__(self, *replies, **kwargs):
        given = (AIMessage(reply) if isinstance(reply, str) else reply for reply in replies)
        super().__init__(messages=given, **kwargs)

    def bind_tools(self, tools, **kwargs):
        return self

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        """Stream word by word, and a message that calls tools, which the base cannot, whole."""
        message = self._generate(messages).generations[0].message
        pieces = [message.content]
        if isinstance(message.content, str) and not message.tool_calls:
            pieces = [piece for piece in re.split(r"(\s)", message.content) if piece]
        for piece in pieces:
            chunk = AIMessageChunk(piece, id=message.id, tool_calls=message.tool_calls)
            if run_manager:
                run_manager.on_llm_new_token(
                    str(chunk.text), chunk=ChatGenerationChunk(message=chunk)
                )
            yield ChatGenerationChunk(message=chunk)


class Loans(Strategy):
    """Scores 90 what mentions a loan and 10 what does not; may take its time."""

    name = "loans"

    def __init__(self, seconds=0.0):
        self.seconds = seconds
        self.purposes = []
        self.turns = []

    def start(self):
        return {"before": []}

    def step(self, purpose, state, turn):
        time.sleep(self.seconds)
        self.purposes.append(purpose.prompt)
        self.turns.append((turn.user, turn.assistant))
        score = 90.0 if "loan" in f"{turn.user} {turn.assistant}".lower() else 10.0
        return {"before": [*state["before"], turn.user]}, Judgement(score=score)


class Broken(Loans):
    """Fails at every turn, after a while."""

    name = "broken"

    def step(self, purpose, state, turn):
        super().step(purpose, state, turn)
        message = f"cannot judge {turn.user}"
        raise RuntimeError(message)


def call(name, args=None, number=1):
    """Return a message that calls a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": args or {}, "id": f"call-{number}"}])


def said(handler, since=0):
    """Return what was said in each turn of a handler."""
    return [(turn.user_message, turn.assistant_response) for turn in handler.turns[since:]]


def until(true):
    """Wait until something is true, at most five seconds."""
    for _ in range(500):
        if true():
            return
        time.sleep(0.01)
    pytest.fail("waited in vain")


def make_handler(system_prompt=None, **options):
    """Return a handler that judges by words, if no other strategy is given."""
    if not {"strategy", "scorer"}.intersection(options):
        options["strategy"] = Loans()
    return DriftCallbackHandler(system_prompt, **options)


@pytest.fixture
def kit():
    """Return the fakes and helpers."""
    return SimpleNamespace(
        BANK=BANK,
        FakeModel=FakeModel,
        Loans=Loans,
        Broken=Broken,
        call=call,
        said=said,
        handler=make_handler,
        until=until,
    )


@pytest.fixture
def strategy():
    return Loans()


@pytest.fixture
def handler(strategy):
    """Return a handler; at the end nothing is left open in it and it had no errors."""
    made = DriftCallbackHandler(scorer=DriftScorer(BANK, strategy=strategy))
    yield made
    assert made.errors == {}
    assert len(made._runs) == 0


class Manner:
    """Runs a runnable synchronously or on an event loop."""

    def __init__(self, name):
        self.name = name
        self.is_async = name == "async"

    def invoke(self, runnable, value, config=None, **kwargs):
        if self.is_async:
            return asyncio.run(runnable.ainvoke(value, config, **kwargs))
        return runnable.invoke(value, config, **kwargs)

    def batch(self, runnable, values, config=None):
        if self.is_async:
            return asyncio.run(runnable.abatch(values, config))
        return runnable.batch(values, config)

    def stream(self, runnable, value, config=None, *, take=None, **kwargs):
        """Return the pieces of a stream, closed after as many as to take."""
        if self.is_async:
            return asyncio.run(self._astream(runnable, value, config, take, kwargs))
        stream = runnable.stream(value, config, **kwargs)
        found = []
        for piece in stream:
            found.append(piece)
            if len(found) == take:
                break
        stream.close()
        return found

    async def _astream(self, runnable, value, config, take, kwargs):
        stream = runnable.astream(value, config, **kwargs)
        found = []
        async for piece in stream:
            found.append(piece)
            if len(found) == take:
                break
        await stream.aclose()
        return found


@pytest.fixture(params=["sync", "async"])
def manner(request):
    return Manner(request.param)
