"""Work that is waited for only so long."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context
from typing import Any, TypeVar

T = TypeVar("T")


class TimeLimit:
    """Does work in a thread of its own and waits for it at most so long.

    While some work is late no other is begun, so a memory that hangs holds up one call and not all.

    Args:
        seconds: How long to wait; None for as long as it takes, in the thread of the caller.
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._late: set[Future[Any]] = set()

    def run(self, work: Callable[[], T]) -> T:
        """Do work and return what it gives.

        Raises:
            TimeoutError: If it is late, or earlier work still is.
            Exception: What the work raises.
        """
        if self.seconds is None:
            return work()
        with self._lock:
            self._late = {job for job in self._late if not job.done()}
            if self._late:
                message = "The memory is still busy with a call that waited for it in vain."
                raise TimeoutError(message)
        done: Future[T] = Future()
        # An empty context: what a guard does is not part of the run that asks it.
        threading.Thread(
            target=Context().run,
            args=(_work, done, work),
            name="langchain-drift-guard",
            daemon=True,
        ).start()
        try:
            return done.result(self.seconds)
        except TimeoutError:
            if done.done():
                raise
            with self._lock:
                self._late.add(done)
            message = f"The memory did not answer within {self.seconds:g} seconds."
            raise TimeoutError(message) from None


def _work(done: "Future[T]", work: Callable[[], T]) -> None:
    try:
        done.set_result(work())
    except BaseException as error:  # noqa: BLE001 - handed on to who waits
        done.set_exception(error)
