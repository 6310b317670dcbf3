"""Events that may have to wait, written once for runs off and on an event loop."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import wait
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from langchain_drift.callbacks.deadline import Job

T = TypeVar("T")

Steps = Iterator[Job]
"""Work in steps; between two of them it waits for a job."""


class Stepwise:
    """A method of a handler that waits between its steps, as LangChain calls it.

    LangChain takes plain and coroutine functions in both kinds of run. Looked up on an event loop
    this is a coroutine function that waits on the loop. A plain one would hold a thread of the
    loop's small pool as long as it waits, and with it the tokens of other conversations.

    Args:
        steps: The method as a generator.
    """

    def __init__(self, steps: Callable[..., Steps]) -> None:
        self._steps = steps
        self.__doc__ = steps.__doc__

    def __get__(self, handler: object, owner: type | None = None) -> Callable[..., Any]:
        """Return it bound to a handler."""
        return partial(self._on_a_loop if _is_on_a_loop() else _walk, self._steps, handler)

    @staticmethod
    async def _on_a_loop(function: Callable[..., Steps], *args: object, **kwargs: object) -> None:
        walk = _Walk(function(*args, **kwargs))
        try:
            while job := await _beside_the_loop(walk.step):
                await asyncio.wait([asyncio.wrap_future(job.done)], timeout=job.seconds)
        except asyncio.CancelledError:
            # The loop is closing. It still waits for its threads, so the turn is taken in one.
            _beside_the_loop(walk.finish)
            raise


class StepwiseAtLast(Stepwise):
    """One that may be called when the loop is about to close, as for a stream that is left.

    It takes all its steps in one thread, for which the loop waits; it would not come back to it.
    """

    @staticmethod
    async def _on_a_loop(function: Callable[..., Steps], *args: object, **kwargs: object) -> None:
        await _beside_the_loop(_Walk(function(*args, **kwargs)).finish)


class _Walk:
    """A walk through steps, in one thread or in several after one another."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._busy = threading.Lock()
        self._job: Job | None = None

    def step(self) -> Job | None:
        """Take the next step; return what to wait for before another, None after the last."""
        with self._busy:
            self._job = next(self._steps, None)
            return self._job

    def finish(self) -> None:
        """Wait and step to the end."""
        with self._busy:
            job = self._job
        while True:
            if job:
                wait([job.done], job.seconds)
            job = self.step()
            if job is None:
                return


def _walk(function: Callable[..., Steps], *args: object, **kwargs: object) -> None:
    _Walk(function(*args, **kwargs)).finish()


def _beside_the_loop(work: Callable[[], T]) -> Awaitable[T]:
    """Do something in a thread of the running loop, or here if the loop takes no more work."""
    loop = asyncio.get_running_loop()
    try:
        return loop.run_in_executor(None, copy_context().run, work)
    except RuntimeError:
        done: asyncio.Future[T] = loop.create_future()
        done.set_result(work())
        return done


def _is_on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
