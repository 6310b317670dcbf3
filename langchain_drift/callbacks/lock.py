"""The lock of all that conversations and runs share."""

import os
import threading
from weakref import WeakSet


class Lock:
    """A reentrant lock that knows its holder and is free in a forked child.

    Reentrant, since the garbage collector may close an abandoned stream at any moment, and what
    follows from that runs in whatever thread is at work.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._owner: int | None = None
        self._depth = 0
        _locks.add(self)

    @property
    def is_mine(self) -> bool:
        """Whether this thread holds it."""
        return self._owner == threading.get_ident()

    def __enter__(self) -> None:
        self._lock.acquire()
        self._owner = threading.get_ident()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            self._owner = None
        self._lock.release()

    def renew(self) -> None:
        """Free it, whoever holds it."""
        self._lock, self._owner, self._depth = threading.RLock(), None, 0


_locks: WeakSet[Lock] = WeakSet()


def _free_locks() -> None:
    """Free the locks of threads that did not follow into a forked child."""
    for lock in _locks:
        if not lock.is_mine:
            lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_locks)
