"""Keeps the sessions of one conversation, in memory."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from langchain_drift.sessions import memory_edits
from langchain_drift.sessions.exchange import Exchange
from langchain_drift.sessions.memory_data import (
    ExchangeRecord,
    SessionMemoryData,
    begin,
    summaries_of,
)
from langchain_drift.sessions.summary import SessionSummary

_MOST_EXCHANGES = 2000
"""Of the running session, kept at hand for its summary; the oldest go first."""


class Keeper:
    """Keeps the sessions of one conversation while the process runs.

    Every method but `locked` is to be called while the lock is held.

    Args:
        original_context: The system prompt, with its examples.
    """

    blocks = False
    """Whether its methods wait for a disk or another process."""

    def __init__(self, original_context: str) -> None:
        self._renew_lock()
        self._original = original_context
        self._data = begin(original_context)
        self.version = 0

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep everybody else out; what is read inside is up to date."""
        if self._process != os.getpid():
            # A thread of the parent may hold it, and there is none here to let go of it.
            self._renew_lock()
        with self._lock:
            yield

    @property
    def number(self) -> int:
        """The running session, from 1."""
        return self._data["session_count"]

    @property
    def turns(self) -> int:
        """Exchanges of the running session."""
        records = self.records
        return records[-1]["exchange"] if records else 0

    @property
    def frozen(self) -> bool:
        """Whether summaries may not be changed."""
        return self._data["context_frozen"]

    @property
    def state(self) -> dict[str, Any] | None:
        """The scorer's state; None if it is not known."""
        return self._data["state"]

    @property
    def summaries(self) -> list[SessionSummary]:
        """The summaries of past sessions, oldest first."""
        return summaries_of(self._data["sessions"])

    @property
    def records(self) -> list[ExchangeRecord]:
        """The last exchanges of the running session, oldest first."""
        return memory_edits.running(self._data)["exchanges"]

    @property
    def waiting(self) -> list[ExchangeRecord]:
        """Its exchanges that are not scored, oldest first."""
        return [record for record in self.records if record["score"] is None]

    def exchanges(self) -> list[Exchange]:
        """Return what was said in the running session."""
        return [Exchange(record["user"], record["assistant"]) for record in self.records]

    def append(self, record: ExchangeRecord, state: dict[str, Any] | None) -> None:
        """Add an exchange to the running session."""
        self._change(lambda data: memory_edits.add(data, record, state))

    def fill(self, scored: Sequence[ExchangeRecord], state: dict[str, Any] | None) -> None:
        """Put scored exchanges in the place of those that waited."""
        self._change(lambda data: memory_edits.fill(data, scored, state))

    def end(self, summary: str | None, final_drift_score: float | None) -> None:
        """End the running session."""
        self._change(lambda data: memory_edits.end(data, summary, final_drift_score))

    def clear_summaries(self) -> None:
        """Forget all summaries."""
        self._change(memory_edits.clear_summaries)

    def set_frozen(self, *, frozen: bool) -> None:
        """Refuse or allow changes of the summaries."""
        self._change(lambda data: memory_edits.set_frozen(data, frozen=frozen))

    def reset(self) -> None:
        """Forget everything."""
        self._take(begin(self._original))

    def __getstate__(self) -> dict[str, Any]:
        """Leave the lock behind."""
        with self.locked():
            return {**vars(self), "_lock": None, "_data": deepcopy(self._data)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Start with a lock of its own."""
        vars(self).update(state)
        self._renew_lock()

    def _renew_lock(self) -> None:
        self._process, self._lock = os.getpid(), threading.RLock()

    def _change(self, edit: Callable[[SessionMemoryData], None]) -> None:
        edit(self._data)
        self._take(self._data)

    def _take(self, data: SessionMemoryData) -> None:
        """Keep data at hand: of past sessions only the summaries."""
        past, session = data["sessions"][:-1], data["sessions"][-1]
        for each in past:
            each["turn_count"] = each.get("turn_count", len(each["exchanges"]))
            each["exchanges"] = []
        data["sessions"] = [*(each for each in past if each["summary"]), session]
        records = session["exchanges"]
        while len(records) > _MOST_EXCHANGES and records[0]["score"] is not None:
            del records[0]
        self._data = data
        self.version += 1
