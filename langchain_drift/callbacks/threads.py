"""Threads beside the runs that are watched."""

import threading
from collections.abc import Callable
from contextvars import Context


def start_thread(
    name: str, work: Callable[..., None], *args: object, daemon: bool
) -> threading.Thread | None:
    """Start a thread; None if there is none to be had, as when the program ends.

    It starts in an empty context, so what the work itself runs is not watched: a strategy that
    asks a chat model makes no turns.
    """
    thread = threading.Thread(target=Context().run, args=(work, *args), name=name, daemon=daemon)
    try:
        thread.start()
    except RuntimeError:
        return None
    return thread
