"""The one place where the session nodes catch errors, so that they never cost an answer."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from langgraph.errors import GraphBubbleUp

_logger = logging.getLogger("langchain_drift.sessions")


@contextmanager
def quietly(doing: str) -> Iterator[SimpleNamespace]:
    """Log the errors of a block and go on; what it yields has the error as `error`, or None.

    Control flow of LangGraph is no error and passes.
    """
    caught = SimpleNamespace(error=None)
    try:
        yield caught
    except GraphBubbleUp:
        raise
    except Exception as error:
        caught.error = error
        _logger.warning(
            "Could not %s (%s: %s); the graph goes on without.",
            doing,
            type(error).__name__,
            error,
            exc_info=error,
        )
