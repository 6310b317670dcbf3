"""Work for later, done one piece after another beside the runs."""

import threading
import time
from collections import deque
from collections.abc import Callable

from langchain_drift.callbacks.lock import Lock
from langchain_drift.callbacks.threads import start_thread

_MOST = 1_000
"""Pieces of work kept; more are refused, so that work that hangs fills no memory."""

_GRACE = 5.0
"""Seconds after the end of the program in which a further piece of work may be begun."""


class Backlog:
    """A queue whose thread lives as long as there is work.

    Args:
        name: Name of the thread.
        outlives: Whether what is left when the program ends is still done, within reason.
    """

    def __init__(self, name: str, *, outlives: bool) -> None:
        self._name, self._outlives = name, outlives
        self._lock = Lock()
        self._tasks: deque[Callable[[], None]] = deque()
        self._thread: threading.Thread | None = None

    def __len__(self) -> int:
        """Return how much work is not yet begun."""
        return len(self._tasks)

    def add(self, task: Callable[[], None]) -> bool:
        """Queue a task; false if there is no room for it, or no thread to be had."""
        with self._lock:
            if self._thread and not self._thread.is_alive():
                # This is a forked child; its parent does what was queued before.
                self._tasks.clear()
                self._thread = None
            if len(self._tasks) >= _MOST:
                return False
            if self._thread is None:
                self._thread = start_thread(self._name, self._work, daemon=not self._outlives)
            if self._thread:
                self._tasks.append(task)
            return self._thread is not None

    def _work(self) -> None:
        ends: float | None = None
        try:
            while task := self._next():
                task()
                if not threading.main_thread().is_alive():
                    ends = ends or time.monotonic() + _GRACE
                    if time.monotonic() > ends:
                        return
        finally:
            with self._lock:
                if self._thread is threading.current_thread():
                    self._thread = None

    def _next(self) -> Callable[[], None] | None:
        """Return the next task; without one the thread ends, and the next task begins another."""
        with self._lock:
            if self._tasks:
                return self._tasks.popleft()
            self._thread = None
            return None
