"""Where a step runs: whose memory it belongs to, and which guard is asked."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from langchain_drift.callbacks.identity import thread_in
from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.recording import ScopeLike
from langchain_drift.mistakes.scope import Scope

_GUARD, _USER = "guard", "user_id"


class Place(NamedTuple):
    """Where a step runs.

    Attributes:
        thread_id: The thread of the run; None if it has none.
        context: What was passed as `context=…` to the run; None for nothing.
        configurable: The configurable values of the run.
        state: The state of the graph.
    """

    thread_id: str | None
    context: object
    configurable: Mapping[str, Any]
    state: object


ScopeOf = ScopeLike | Callable[[Place], ScopeLike]
"""A scope, or a function that tells it by where a step runs."""

GuardOf = DriftGuard | Callable[[Place], DriftGuard] | None
"""A guard, a function that tells it by where a step runs, or None for `guard` in the context."""


def make_place(state: object, context: object, config: Mapping[str, Any] | None) -> Place:
    """Return where a step runs."""
    configurable = (config or {}).get("configurable") or {}
    return Place(thread_in(configurable), context, configurable, state)


def thread_scope(place: Place) -> Scope:
    """Keep the memory of each thread apart: pass it as `scope=thread_scope`.

    Raises:
        InvalidInputError: If the run has no thread.
    """
    if place.thread_id is None:
        message = (
            "The run has no thread to keep its memory in; pass "
            "`config={'configurable': {'thread_id': …}}` or choose another scope."
        )
        raise InvalidInputError(message)
    return Scope(environment=f"thread {place.thread_id}")


def user_scope(place: Place) -> Scope:
    """Keep the memory of each user apart: pass it as `scope=user_scope`.

    The user is `user_id` in the context of the run, else in its configurable values.

    Raises:
        InvalidInputError: If the run names no user.
    """
    user = _in(place.context, _USER) or place.configurable.get(_USER)
    if user is None or user == "":
        message = (
            "The run names no user to keep its memory for; pass `context={'user_id': …}` or "
            "`config={'configurable': {'user_id': …}}`, or choose another scope."
        )
        raise InvalidInputError(message)
    return Scope(user=str(user))


def resolve_scope(scope: ScopeOf, place: Place) -> ScopeLike:
    """Return the scope of a step."""
    return scope(place) if callable(scope) else scope


def resolve_guard(guard: GuardOf, place: Place) -> DriftGuard:
    """Return the guard of a step.

    Raises:
        InvalidInputError: If there is none.
    """
    if guard is None:
        found = _in(place.context, _GUARD)
    elif isinstance(guard, DriftGuard):
        found = guard
    else:
        found = guard(place)
    if isinstance(found, DriftGuard):
        return found
    message = (
        f"The guard of this run is {found!r:.80}; pass a DriftGuard, a function that returns one, "
        "or `context={'guard': …}` with the run."
    )
    raise InvalidInputError(message)


async def aresolve_guard(guard: GuardOf, place: Place) -> DriftGuard:
    """Return the guard of a step on an event loop; a function that tells it may open a file."""
    if callable(guard):
        return await asyncio.to_thread(resolve_guard, guard, place)
    return resolve_guard(guard, place)


def _in(context: object, name: str) -> object:
    return context.get(name) if isinstance(context, Mapping) else getattr(context, name, None)
