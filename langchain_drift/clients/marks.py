"""Marks on the objects that the caller gets: the drift of their turn."""

from typing import Any

from langchain_drift.clients.content import held
from langchain_drift.clients.turn import ClientTurn
from langchain_drift.conversation.result import DriftScore, TurnResult

_TURN = "_drift_turn"
_WAYS = ("_raw_stream", "http_response", "response", "_response")
"""Where an object of an SDK holds the one that it was made of."""


def mark(target: object, result: TurnResult | None, drift: DriftScore | None, why: str) -> None:
    """Write the drift of a turn on an object, as `_drift` and `_drift_explanation`.

    It is neither a field of a pydantic model nor dumped with one, and plays no part in `==`.
    """
    for name, value in ((_TURN, result), ("_drift", drift), ("_drift_explanation", why)):
        object.__setattr__(target, name, value)


def marked(target: object) -> ClientTurn | None:
    """Return the turn that is marked on an object, or on the one that it was made of."""
    for _ in range(len(_WAYS)):
        found: Any = vars(target).get(_TURN) if hasattr(target, "__dict__") else None
        if isinstance(found, ClientTurn):
            return found
        target = next((inner for way in _WAYS if (inner := held(target, way)) is not None), None)
        if target is None:
            break
    return None
