"""Work that is waited for only so long."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context
from typing import Any, Final, TypeVar

T = TypeVar("T")


_MOST_LATE: Final = 32
_BUSY: Final = "The memory is still busy with a call that waited for it in vain."


class TimeLimit:
    """Does work in a thread of its own and waits for it at most so long.

    While some work for somebody is late no other is waited for, so a memory that hangs holds up a
    call and not all. The threads are daemons and none of a pool: others may need its few.

    Args:
        seconds: How long to wait; None for as long as it takes.
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._late: dict[object, set[Future[Any]]] = {}

    def run(self, whom: object, work: Callable[[], T], *, even_late: bool = False) -> T:
        """Do work for somebody and return what it gives; without a limit, in this thread.

        Args:
            whom: For whom.
            work: What to do.
            even_late: Whether it is worth doing late: it is then begun even if earlier work for
                them is late, unless there is a lot of it.

        Raises:
            TimeoutError: If it is late, or earlier work for them still is.
            Exception: What the work raises.
        """
        if self.seconds is None:
            return work()
        done = self._begin(whom, work, even_late=even_late)
        try:
            return done.result(self.seconds)
        except TimeoutError:
            return self._at_last(whom, done)

    async def arun(self, whom: object, work: Callable[[], T], *, even_late: bool = False) -> T:
        """Do work without blocking the event loop; see `run`."""
        done = self._begin(whom, work, even_late=even_late)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(done), self.seconds)
        except TimeoutError:
            return self._at_last(whom, done)

    def _begin(self, whom: object, work: Callable[[], T], *, even_late: bool) -> "Future[T]":
        done: Future[T] = Future()
        # Who waits on an event loop may be cancelled; the work is not.
        done.set_running_or_notify_cancel()
        with self._lock:
            late = {job for job in self._late.pop(whom, ()) if not job.done()}
            begins = not late or (even_late and len(late) < _MOST_LATE)
            if late:
                self._late[whom] = late | {done} if begins else late
        if begins:
            # An empty context: what a guard does is not part of the run that asks it.
            threading.Thread(
                target=Context().run,
                args=(_work, done, work),
                name="langchain-drift-guard",
                daemon=True,
            ).start()
        if late:
            raise TimeoutError(_BUSY)
        return done

    def _at_last(self, whom: object, done: "Future[T]") -> T:
        if done.done():
            return done.result()
        with self._lock:
            self._late.setdefault(whom, set()).add(done)
        message = f"The memory did not answer within {self.seconds:g} seconds."
        raise TimeoutError(message) from None


def _work(done: "Future[T]", work: Callable[[], T]) -> None:
    try:
        done.set_result(work())
    except BaseException as error:  # noqa: BLE001 - handed on to who waits
        done.set_exception(error)
