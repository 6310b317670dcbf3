"""Work with a deadline: an answer waits for its score only so long."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from enum import Enum, auto

from langchain_drift.callbacks.crew import Crew
from langchain_drift.callbacks.lock import Lock

_AT_ONCE = 4
"""Jobs done at once: more threads that compute would hold up an event loop beside them."""


class Wait(Enum):
    """How waiting for a job ended."""

    DONE = auto()
    LATE = auto()
    """It still runs; nobody waits for it any more."""
    QUEUED = auto()
    """It comes after an earlier one that was late; nobody waits for it."""
    LEFT = auto()
    """Nobody was to wait for it."""
    REFUSED = auto()
    """It will not be done: too much is queued already, or there is no thread to be had."""


class Job:
    """A task that is on its way.

    Args:
        task: What to do.
        if_late: Follows it, in its thread, if nobody waited for it.
        seconds: How long to wait for it.
    """

    def __init__(
        self, task: Callable[[], None], if_late: Callable[[], None], seconds: float
    ) -> None:
        self.task, self.if_late, self.seconds = task, if_late, seconds
        self.done: Future[None] = Future()
        self.thread: threading.Thread | None = None
        """What does it, once it is begun."""
        self.wait: Wait | None = None
        """How waiting for it ended; None as long as somebody is to wait."""

    @property
    def is_late(self) -> bool:
        """Whether it was not done as the waiting for it ended."""
        return self.wait is Wait.LATE


class Deadline:
    """Does jobs beside the runs and lets each be waited for at most so long.

    Once a job was late nobody waits any more: what follows is done one by one in the background,
    until a job has been quick again. So work that hangs holds up an answer once.

    Args:
        seconds: How long to wait; 0 to wait for nothing.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock = Lock()
        self._is_behind = False
        self._crew = Crew("langchain-drift-score", threads=_AT_ONCE)
        self._late = Crew("langchain-drift-late")
        self._here = threading.local()

    @property
    def waits(self) -> bool:
        """Whether a job that is begun now will be waited for."""
        return self.seconds > 0 and not self._is_behind

    def begin(
        self, task: Callable[[], None], if_late: Callable[[], None], *, waits: bool = True
    ) -> Job:
        """Begin a job, or queue it.

        Args:
            task: What to do.
            if_late: Follows it, in its thread, if nobody waited for it.
            waits: Whether to wait. Not in a thread of such a job itself in any case: it may hold
                what the new one needs. That happens if the garbage collector closes an abandoned
                stream just there.
        """
        job = Job(task, if_late, self.seconds)
        waits = waits and self.seconds > 0 and not getattr(self._here, "works", False)
        with self._lock:
            if waits and not self._is_behind:
                is_taken = self._crew.add(lambda: self._work(job))
            else:
                is_taken = self._late.add(lambda: self._catch_up(job))
                job.wait = Wait.QUEUED if waits else Wait.LEFT
            if not is_taken:
                job.wait = Wait.REFUSED
        return job

    def end(self, job: Job) -> Wait:
        """Return how waiting for a job ended; nobody waits for it from here on."""
        with self._lock:
            if job.wait is None:
                job.wait = Wait.DONE if job.done.done() else Wait.LATE
                if job.is_late:
                    self._is_behind = True
                    self._leave(job)
            return job.wait

    def _leave(self, job: Job) -> None:
        """Let others take the place of a late job; one not begun comes after all late ones."""
        if job.thread:
            self._crew.replace(job.thread)
        else:
            self._late.add(lambda: self._catch_up(job))

    def _work(self, job: Job) -> None:
        self._here.works = True
        with self._lock:
            if job.is_late:
                return
            job.thread = threading.current_thread()
        try:
            job.task()
        finally:
            with self._lock:
                job.done.set_result(None)
                is_late = job.is_late
        if is_late:
            job.if_late()

    def _catch_up(self, job: Job) -> None:
        self._here.works = True
        begun = time.monotonic()
        job.task()
        with self._lock:
            # Not before all are done: turns of a conversation are scored one after another.
            if time.monotonic() < begun + self.seconds and not len(self._late):
                self._is_behind = False
        job.if_late()
