"""The one place where a door catches errors, so that watching never costs an answer."""

import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from langgraph.errors import GraphBubbleUp

_logger = logging.getLogger("langchain_drift.callbacks")
_WATCHING = (
    "Drift could not be watched (%s: %s). The answer is not touched. Further errors of this kind "
    "are counted in handler.errors and not logged."
)


class Boundary:
    """Catches, counts, and logs once per kind, what goes wrong inside a door.

    Args:
        told: What is logged, with places for the kind and the error.
        logger: Where it is logged.
    """

    def __init__(self, told: str = _WATCHING, logger: logging.Logger = _logger) -> None:
        self._told, self._logger = told, logger
        self._lock = threading.RLock()
        self._counts: Counter[str] = Counter()

    @contextmanager
    def __call__(self, doing: str) -> Iterator[SimpleNamespace]:
        """Catch the errors of a block; what it yields has the last one as `error`, or None.

        Control flow of LangGraph is no error and passes.
        """
        caught = SimpleNamespace(error=None)
        try:
            yield caught
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001 - the boundary of this door
            caught.error = error
            self.note(doing, error)

    def note(self, doing: str, error: Exception) -> None:
        """Count an error, and log it if it is the first of its kind."""
        kind = f"{doing}: {type(error).__name__}"
        with self._lock:
            self._counts[kind] += 1
            is_first = self._counts[kind] == 1
        if is_first:
            self._logger.warning(self._told, kind, error, exc_info=error)

    @property
    def counts(self) -> dict[str, int]:
        """How often each kind of error happened: what was being done, and the error's name."""
        with self._lock:
            return dict(self._counts)
