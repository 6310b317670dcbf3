"""The one place where the doors of tool calls catch errors, so that a guard costs no answer."""

import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from langgraph.errors import GraphBubbleUp

ASKING_AND_TELLING: Final = (
    "The mistake memory could not be used (%s: %s). Further errors of this kind are counted in "
    "`errors` and not logged."
)
RECORDING: Final = (
    "A tool call could not be recorded (%s: %s). The run is not touched. Further errors of this "
    "kind are counted in `errors` and not logged."
)
_logger = logging.getLogger("langchain_drift.tool_guard")


class Boundary:
    """Catches, counts, and logs once per kind, what goes wrong with the memory.

    Args:
        told: What is logged, with places for the kind and the error.
    """

    def __init__(self, told: str = ASKING_AND_TELLING) -> None:
        self._told = told
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    @contextmanager
    def __call__(self, doing: str) -> Iterator[None]:
        """Catch the errors of a block; control flow of LangGraph is no error and passes."""
        try:
            yield
        except GraphBubbleUp:
            raise
        except Exception as error:
            kind = f"{doing}: {type(error).__name__}"
            with self._lock:
                self._counts[kind] += 1
                is_first = self._counts[kind] == 1
            if is_first:
                _logger.warning(self._told, kind, error, exc_info=error)

    @property
    def counts(self) -> dict[str, int]:
        """How often each kind of error happened: what was being done, and the error's name."""
        with self._lock:
            return dict(self._counts)
