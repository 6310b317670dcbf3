"""The one place where a watching door catches errors, so that watching never costs an answer."""

import logging
from asyncio import CancelledError
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from langchain_drift.callbacks.lock import Lock

_logger = logging.getLogger("langchain_drift.callbacks")


class Boundary:
    """Catches, counts, and logs once per kind, what goes wrong while watching.

    Args:
        logger: Where it is logged.
        counts: How users find the counts, for the log.
    """

    def __init__(self, logger: logging.Logger = _logger, counts: str = "handler.errors") -> None:
        self._logger, self._told = logger, counts
        self._lock = Lock()
        self._counts: Counter[str] = Counter()

    @contextmanager
    def __call__(self, doing: str) -> Iterator[SimpleNamespace]:
        """Catch the errors of a block; what it yields has the last one as `error`, or None.

        Control flow of LangGraph is caught too: LangChain would let it end in a log.
        """
        caught = SimpleNamespace(error=None)
        try:
            yield caught
        except (Exception, CancelledError) as error:  # noqa: BLE001 - the boundary of this door
            caught.error = error
            self.note(doing, error)

    def note(self, doing: str, error: BaseException) -> None:
        """Count an error, and log it if it is the first of its kind."""
        kind = f"{doing}: {type(error).__name__}"
        with self._lock:
            self._counts[kind] += 1
            is_first = self._counts[kind] == 1
        if is_first:
            self._logger.warning(
                "Drift could not be watched (%s: %s). The answer is not touched. Further errors "
                "of this kind are counted in %s and not logged.",
                kind,
                error,
                self._told,
                exc_info=error,
            )

    @property
    def counts(self) -> dict[str, int]:
        """How often each kind of error happened: what was being done, and the error's name."""
        with self._lock:
            return dict(self._counts)
