"""Memories and events by what a user calls them."""

from collections.abc import Sequence

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.action import read_action
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.scope import Scope
from langchain_drift.mistakes.stores.record import Record

ID_LENGTH = 10
"""So many characters of a memory's id are shown; fewer do if they are its own."""

_SHORTEST = 4


def all_records(guard: DriftGuard, scope: Scope | None) -> tuple[list[Record], list[Record]]:
    """Return the visible and the hidden records of a scope."""
    key, store = guard.runtime.scope_key(scope), guard.runtime.store
    return list(store.read(key)), list(store.read(key, hidden=True))


def find(records: Sequence[Record], name: str) -> list[Record]:
    """Return the records that a name means.

    It is the id of an event, an action, or the beginning of an id of a memory or an event.

    Raises:
        InvalidInputError: If it means nothing, or more than one memory.
    """
    key = read_action(name).key
    found = [record for record in records if record.event_id == name]
    found = found or [record for record in records if record.key == key]
    if not found and len(name) >= _SHORTEST:
        found = [record for record in records if record.key.startswith(name)]
        found = found or [record for record in records if record.event_id.startswith(name)]
    memories = sorted({record.key[:ID_LENGTH] for record in found})
    if len(memories) > 1:
        message = f"{name!r:.80} may mean {', '.join(memories)}; write more of the id."
        raise InvalidInputError(message)
    if not found:
        message = f"Nothing in this scope is called {name!r:.80}; `memory list` shows the ids."
        raise InvalidInputError(message)
    return found
