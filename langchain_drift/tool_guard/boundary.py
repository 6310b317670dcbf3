"""The one place where the doors of tool calls catch errors, so that a guard costs no answer."""

import logging
from asyncio import CancelledError
from typing import Final

from langgraph.errors import GraphBubbleUp

from langchain_drift.callbacks.boundary import Boundary

ASKING_AND_TELLING: Final = (
    "The mistake memory could not be used (%s: %s). Further errors of this kind are counted in "
    "`errors` and not logged."
)
RECORDING: Final = (
    "A tool call could not be recorded (%s: %s). The run is not touched. Further errors of this "
    "kind are counted in `errors` and not logged."
)
_logger = logging.getLogger("langchain_drift.tool_guard")


def make_boundary(told: str = ASKING_AND_TELLING) -> Boundary:
    """Return the boundary of a door; interrupts and cancelled tasks pass.

    Args:
        told: What is logged, with places for the kind and the error.
    """
    return Boundary(_logger, told, passes=(GraphBubbleUp, CancelledError))
