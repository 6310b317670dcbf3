"""Work with a deadline: an answer waits for its score only so long."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from enum import Enum, auto

from langchain_drift.callbacks.backlog import Backlog
from langchain_drift.callbacks.lock import Lock
from langchain_drift.callbacks.threads import start_thread

_NAME = "langchain-drift-score"


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
        self.wait: Wait | None = None
        """How waiting for it ended; None as long as somebody is to wait."""


class Deadline:
    """Runs each job in a thread of its own and lets it be waited for at most so long.

    Once a job was late nobody waits any more: what follows is done one by one in the background,
    until a job has been quick again. So work that hangs holds up an answer once. Threads of their
    own, and not a pool, survive a fork of the process.

    Args:
        seconds: How long to wait; 0 to wait for nothing.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock = Lock()
        self._is_behind = False
        self._backlog = Backlog("langchain-drift-late", outlives=False)
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
            if self._is_behind or not waits:
                is_queued = self._backlog.add(lambda: self._catch_up(job))
                job.wait = Wait.REFUSED if not is_queued else Wait.QUEUED if waits else Wait.LEFT
        if job.wait is None and not start_thread(_NAME, self._work, job, daemon=True):
            job.wait = Wait.REFUSED
        return job

    def end(self, job: Job) -> Wait:
        """Return how waiting for a job ended; nobody waits for it from here on."""
        with self._lock:
            if job.wait is None:
                job.wait = Wait.DONE if job.done.done() else Wait.LATE
                self._is_behind = self._is_behind or job.wait is Wait.LATE
            return job.wait

    def _work(self, job: Job) -> None:
        self._here.works = True
        try:
            job.task()
        finally:
            with self._lock:
                job.done.set_result(None)
                is_late = job.wait is Wait.LATE
        if is_late:
            job.if_late()

    def _catch_up(self, job: Job) -> None:
        self._here.works = True
        begun = time.monotonic()
        job.task()
        with self._lock:
            # Not before all are done: turns of a conversation are scored one after another.
            if time.monotonic() < begun + self.seconds and not len(self._backlog):
                self._is_behind = False
        job.if_late()
