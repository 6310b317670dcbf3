"""Threads for work beside the runs: a few at most, and only as long as there is some."""

import threading
import time
from collections import deque
from collections.abc import Callable
from contextvars import Context

from langchain_drift.callbacks.lock import Lock

_MOST = 1_000
"""Tasks that may wait; more are refused, so that work that hangs fills no memory."""

_GRACE = 5.0
"""Seconds after the end of the program in which a further task may be begun."""


class Crew:
    """Does tasks in the order they come, each in an empty context.

    So what a task itself runs is not watched: a strategy that asks a chat model makes no turns.

    Args:
        name: Name of the threads.
        threads: Tasks done at once.
        outlives: Whether what waits when the program ends is still done, within reason.
    """

    def __init__(self, name: str, *, threads: int = 1, outlives: bool = False) -> None:
        self._name, self._most, self._outlives = name, threads, outlives
        self._lock = Lock()
        self._tasks: deque[Callable[[], None]] = deque()
        self._threads: set[threading.Thread] = set()

    def __len__(self) -> int:
        """Return how many tasks wait."""
        return len(self._tasks)

    def add(self, task: Callable[[], None]) -> bool:
        """Take a task; false if too many wait, or no thread is to be had."""
        with self._lock:
            if not all(thread.is_alive() for thread in tuple(self._threads)):
                # This is a forked child; its parent does what was taken before.
                self._tasks.clear()
                self._threads.clear()
            if len(self._tasks) >= _MOST:
                return False
            self._tasks.append(task)
            self._staff()
            if not self._threads:
                self._tasks.pop()
            return bool(self._threads)

    def replace(self, thread: threading.Thread) -> None:
        """Let another thread take the place of one that hangs."""
        with self._lock:
            self._threads.discard(thread)
            if self._tasks:
                self._staff()

    def _staff(self) -> None:
        if len(self._threads) >= self._most:
            return
        thread = threading.Thread(target=self._work, name=self._name, daemon=not self._outlives)
        try:
            thread.start()
        except RuntimeError:  # The system has none to give, or the program is ending.
            return
        self._threads.add(thread)

    def _work(self) -> None:
        ends: float | None = None
        try:
            while task := self._next():
                Context().run(task)
                if not threading.main_thread().is_alive():
                    ends = ends or time.monotonic() + _GRACE
                    if time.monotonic() > ends:
                        return
        finally:
            with self._lock:
                self._threads.discard(threading.current_thread())

    def _next(self) -> Callable[[], None] | None:
        """Return the next task, if this thread has not been replaced; without one it ends."""
        with self._lock:
            me = threading.current_thread()
            if self._tasks and me in self._threads:
                return self._tasks.popleft()
            self._threads.discard(me)
            return None
