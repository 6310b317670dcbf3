"""Work with a deadline: an answer waits for its score only so long."""

import threading
from collections.abc import Callable
from contextvars import Context
from enum import Enum, auto


class Wait(Enum):
    """How waiting for a task ended."""

    DONE = auto()
    LATE = auto()
    """It still runs; nobody waits for it any more."""
    REFUSED = auto()
    """It was not begun, since an earlier one still runs."""
    LEFT = auto()
    """It runs, and nobody was to wait for it."""


class _Job:
    """A task that runs, whether nobody waits for it, and whether that holds up others."""

    def __init__(self, *, is_late: bool) -> None:
        self.done = threading.Event()
        self.is_late = is_late
        self.counts = False


class Deadline:
    """Runs each task in a thread of its own and waits for it at most so long.

    While a task is late no other is begun, so work that hangs costs the deadline once. A thread of
    its own, and not a pool, survives a fork of the process. It starts in an empty context, so a
    strategy that asks a chat model is not watched by the handler that asks it.

    Args:
        seconds: How long to wait.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock = threading.RLock()
        self._late = 0
        self._here = threading.local()

    def run(
        self, task: Callable[[], None], if_late: Callable[[], None], *, waits: bool = True
    ) -> Wait:
        """Run a task.

        Args:
            task: What to do.
            if_late: Follows it in its thread if nobody waited for it.
            waits: Whether to wait. Not in a thread of such a task itself in any case: it may hold
                what the new one needs. That happens if the garbage collector closes an abandoned
                stream just there.
        """
        waits = waits and not getattr(self._here, "works", False)
        with self._lock:
            if self._late:
                return Wait.REFUSED
        job = _Job(is_late=not waits)
        work = (self._work, job, task, if_late)
        threading.Thread(
            target=Context().run, args=work, name="langchain-drift-score", daemon=True
        ).start()
        if not waits:
            return Wait.LEFT
        if job.done.wait(self.seconds):
            return Wait.DONE
        with self._lock:
            if job.done.is_set():
                return Wait.DONE
            job.is_late, job.counts = True, True
            self._late += 1
        return Wait.LATE

    def _work(self, job: _Job, task: Callable[[], None], if_late: Callable[[], None]) -> None:
        self._here.works = True
        try:
            task()
        finally:
            with self._lock:
                job.done.set()
                self._late -= job.counts
        if job.is_late:
            if_late()
