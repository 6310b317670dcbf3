"""Where a step runs: whose memory it belongs to, and which guard is asked."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from langgraph.store.base import BaseStore

from langchain_drift.callbacks.identity import thread_in
from langchain_drift.errors import InvalidInputError
from langchain_drift.langgraph_store import LangGraphStore
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.recording import ScopeLike
from langchain_drift.mistakes.scope import Scope

_GUARD, _USER = "guard", "user_id"
_MOST_STORES: Final = 16


class Place(NamedTuple):
    """Where a step runs.

    Attributes:
        thread_id: The thread of the run; None if it has none.
        context: What was passed as `context=…` to the run; None for nothing.
        configurable: The configurable values of the run.
        state: The state of the graph.
        store: The store that the graph was compiled with, or that the platform gave it.
    """

    thread_id: str | None
    context: object
    configurable: Mapping[str, Any]
    state: object
    store: BaseStore | None = None


ScopeOf = ScopeLike | Callable[[Place], ScopeLike]
"""A scope, or a function that tells it by where a step runs."""

GuardOf = DriftGuard | Callable[[Place], DriftGuard] | None
"""A guard, a function that tells it by where a step runs, or None for `guard` in the context of the
run, else for a guard on the run's store."""


def make_place(
    state: object,
    context: object,
    config: Mapping[str, Any] | None,
    store: BaseStore | None = None,
) -> Place:
    """Return where a step runs."""
    configurable = (config or {}).get("configurable") or {}
    return Place(thread_in(configurable), context, configurable, state, store)


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


class Guards:
    """Tells which guard is asked; the guards that it makes itself on stores are kept.

    Args:
        guard: What a door was given.
    """

    def __init__(self, guard: GuardOf) -> None:
        self._guard = guard
        self._of_stores: OrderedDict[int, tuple[BaseStore, DriftGuard]] = OrderedDict()
        self._lock = threading.Lock()

    def at(self, place: Place) -> DriftGuard:
        """Return the guard of a step.

        Raises:
            InvalidInputError: If there is none.
        """
        if self._guard is None:
            found = _in(place.context, _GUARD)
            if found is None and place.store is not None:
                return self._of_store(place.store)
        elif isinstance(self._guard, DriftGuard):
            return self._guard
        else:
            found = self._guard(place)
        if isinstance(found, DriftGuard):
            return found
        message = (
            f"The guard of this run is {found!r:.80}; pass a DriftGuard, a function that returns "
            "one, `context={'guard': …}` with the run, or compile the graph with a store."
        )
        raise InvalidInputError(message)

    async def aat(self, place: Place) -> DriftGuard:
        """Return the guard of a step on an event loop; a function that tells it may open a file."""
        if isinstance(self._guard, DriftGuard):
            return self._guard
        return await asyncio.to_thread(self.at, place)

    def _of_store(self, store: BaseStore) -> DriftGuard:
        """Return the guard on a store, the same one each time."""
        with self._lock:
            known = self._of_stores.get(id(store))
            if known is None:
                known = store, DriftGuard(store=LangGraphStore(store))
            self._of_stores[id(store)] = known
            self._of_stores.move_to_end(id(store))
            if len(self._of_stores) > _MOST_STORES:
                self._of_stores.popitem(last=False)
            return known[1]


def _in(context: object, name: str) -> object:
    return context.get(name) if isinstance(context, Mapping) else getattr(context, name, None)
