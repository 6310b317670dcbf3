"""Events that may have to wait, written once for runs off and on an event loop."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextvars import copy_context
from functools import partial
from typing import Any

from langchain_drift.callbacks.deadline import Job

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
        return partial(_awalk if _is_on_a_loop() else _walk, self._steps, handler)


def _is_on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


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


async def _awalk(function: Callable[..., Steps], *args: object, **kwargs: object) -> None:
    loop, walk = asyncio.get_running_loop(), _Walk(function(*args, **kwargs))
    try:
        while job := await loop.run_in_executor(None, copy_context().run, walk.step):
            await asyncio.wait([asyncio.wrap_future(job.done)], timeout=job.seconds)
    except asyncio.CancelledError:
        # The loop is closing. It still waits for its threads, so the turn is taken in one.
        loop.run_in_executor(None, walk.finish)
        raise
