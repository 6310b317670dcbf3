"""What a guard does while its memory is away or slow."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from langchain_drift.errors import EmbedderChangedError, StoreError
from langchain_drift.mistakes.settings import DriftGuardSettings
from langchain_drift.time_limit import TimeLimit

T = TypeVar("T")
_logger = logging.getLogger("langchain_drift.mistakes")


class Outage:
    """Asks a memory within a time, and answers None in its stead if the guard fails open.

    Args:
        settings: Of the guard.
        count: Called for each review that failed.
    """

    def __init__(self, settings: DriftGuardSettings, count: Callable[[], None]) -> None:
        self._seconds = settings.guard_timeout
        self._fails_open = settings.guard_on_error == "fail_open"
        self._count = count
        self._limit = TimeLimit(settings.guard_timeout)

    def ask(self, review: Callable[[], T]) -> T | None:
        """Return what a memory says; None if it cannot and the guard fails open.

        Raises:
            StoreError: If the memory cannot be asked, or not in time, and the guard fails closed.
        """
        with self._judged():
            return self._limit.run(self, review)
        return None

    async def aask(self, review: Awaitable[T]) -> T | None:
        """Return what a memory says without blocking the event loop; see `ask`."""
        with self._judged():
            return await asyncio.wait_for(review, self._seconds)
        return None

    @contextmanager
    def _judged(self) -> Iterator[None]:
        try:
            yield
        except EmbedderChangedError:
            raise  # no outage: it would not pass
        except (StoreError, TimeoutError) as error:
            said = str(error) or f"The memory did not answer within {self._seconds:g} seconds."
            self._count()
            if self._fails_open:
                _logger.warning("A step passed unreviewed, for the guard fails open: %s", said)
                return
            if isinstance(error, StoreError):
                raise
            message = (
                f"{said} The step was not reviewed; raise `guard_timeout`, or set "
                "`guard_on_error` to 'fail_open' to let such steps pass."
            )
            raise StoreError(message) from error
