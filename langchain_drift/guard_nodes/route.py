"""Where to go after the guard or a person has decided; pure."""

from collections.abc import Callable
from typing import Any, cast, get_args

from langchain_drift.errors import InvalidInputError
from langchain_drift.guard_nodes.keys import values_of
from langchain_drift.guard_nodes.state import GuardDecision


def route_guard(state: Any) -> GuardDecision:  # noqa: ANN401 - any state
    """Return where to go: `execute`, `revise`, `acknowledge` or `blocked`.

    For conditional edges behind the guard node and behind the acknowledge node.

    Raises:
        InvalidInputError: If the state holds no decision.
    """
    return _decision(state, "guard_decision")


def make_guard_route(
    *,
    execute: str = "execute",
    revise: str = "revise",
    acknowledge: str = "acknowledge",
    blocked: str = "blocked",
    decision_key: str = "guard_decision",
) -> Callable[[Any], str]:
    """Return a `route_guard` that gives names of your own.

    Args:
        execute: Where what may run goes.
        revise: Where what is to be planned again goes.
        acknowledge: Where what a person is asked about goes.
        blocked: Where what may not run goes.
        decision_key: Where the guard node writes its decision.
    """
    names = {"execute": execute, "revise": revise, "acknowledge": acknowledge, "blocked": blocked}

    def route(state: Any) -> str:  # noqa: ANN401 - any state
        return names[_decision(state, decision_key)]

    return route


def _decision(state: object, key: str) -> GuardDecision:
    found = values_of(state).get(key)
    if found not in get_args(GuardDecision):
        message = (
            f"The state has {found!r:.80} under {key!r}, so nothing says where to go. Run the "
            "guard node before this edge, and let the schema of the graph inherit from GuardState: "
            "keys that it does not declare are dropped."
        )
        raise InvalidInputError(message)
    return cast("GuardDecision", found)
