"""The one place where a door catches errors, so that watching or guarding costs no answer."""

import logging
from asyncio import CancelledError
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from langchain_drift.callbacks.lock import Lock

_logger = logging.getLogger("langchain_drift.callbacks")


def watching(counts: str = "handler.errors") -> str:
    """Return what a watching door logs; `counts` is how users find the counts."""
    return (
        "Drift could not be watched (%s: %s). The answer is not touched. Further errors of this "
        f"kind are counted in {counts} and not logged."
    )


class Boundary:
    """Catches, counts, and logs once per kind, what goes wrong while watching.

    Args:
        logger: Where it is logged.
        told: What is logged, with places for the kind and the error.
        passes: What is no error and passes. Control flow of LangGraph must not pass where LangChain
            would let it end in a log.
    """

    def __init__(
        self,
        logger: logging.Logger = _logger,
        told: str = watching(),
        passes: tuple[type[BaseException], ...] = (),
    ) -> None:
        self._logger, self._told, self._passes = logger, told, passes
        self._lock = Lock()
        self._counts: Counter[str] = Counter()

    @contextmanager
    def __call__(self, doing: str) -> Iterator[SimpleNamespace]:
        """Catch the errors of a block; what it yields has the last one as `error`, or None."""
        caught = SimpleNamespace(error=None)
        try:
            yield caught
        except self._passes:
            raise
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
            self._logger.warning(self._told, kind, error, exc_info=error)

    @property
    def counts(self) -> dict[str, int]:
        """How often each kind of error happened: what was being done, and the error's name."""
        with self._lock:
            return dict(self._counts)
