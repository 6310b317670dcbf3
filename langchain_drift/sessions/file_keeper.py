"""Keeps the sessions of one conversation in a file that processes share."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from langchain_drift.sessions import memory_edits
from langchain_drift.sessions.exchange import Exchange
from langchain_drift.sessions.keeper import Keeper
from langchain_drift.sessions.memory_data import ExchangeRecord, SessionMemoryData
from langchain_drift.sessions.memory_store import Place, SessionMemoryStore

_MOST_WHOLE = 1000
"""Answers kept whole in memory, of which the file holds the beginning."""


class FileKeeper(Keeper):
    """Keeps the sessions of one conversation in a session memory file.

    All processes with that file are in the same session: each sees what the others recorded.

    Args:
        original_context: The system prompt, with its examples; written with the next whole file.
        path: Of the file.

    Raises:
        StoreError: If the file cannot be read.
    """

    blocks = True

    def __init__(self, original_context: str, path: str | os.PathLike[str]) -> None:
        super().__init__(original_context)
        self._store = SessionMemoryStore(path)
        self._place = Place()
        self._whole: dict[tuple[int, int], str] = {}
        with self.locked():
            """What is wrong with the file is told now, not at the first turn."""

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other threads and processes out; what is read inside is up to date."""
        with super().locked(), self._store.locked():
            self._refresh()
            yield

    def _renew_lock(self) -> None:
        """Read all of the file at the next lock: a fork may come in the middle of a change."""
        super()._renew_lock()
        self._place = Place()

    def exchanges(self) -> list[Exchange]:
        """Return what was said; answers whole where this process recorded them."""
        return [
            Exchange(
                record["user"],
                self._whole.get((self.number, record["exchange"]), record["assistant"]),
            )
            for record in self.records
        ]

    def append(self, record: ExchangeRecord, state: dict[str, Any] | None) -> None:
        """Add an exchange to the running session, durably."""
        kept = memory_edits.stored(record)
        place = self._store.append(self._place, kept, state)
        if place is None:
            super().append(kept, state)
        else:
            self._place = place
            memory_edits.add(self._data, kept, state)
            self._take(self._data)
        if kept is not record:
            self._whole[self.number, record["exchange"]] = record["assistant"]
            while len(self._whole) > _MOST_WHOLE:
                del self._whole[next(iter(self._whole))]

    def fill(self, scored: Sequence[ExchangeRecord], state: dict[str, Any] | None) -> None:
        """Put scored exchanges in the place of those that waited."""
        for record in scored:
            self._whole[self.number, record["exchange"]] = record["assistant"]
        super().fill([memory_edits.stored(record) for record in scored], state)

    def reset(self) -> None:
        """Forget everything and remove the file."""
        self._store.delete()
        self._whole.clear()
        self._place = Place()
        super().reset()

    def _change(self, edit: Callable[[SessionMemoryData], None]) -> None:
        data = self._store.load()
        data["original_context"] = self._original
        edit(data)
        self._place = self._store.save(data)
        self._take(data)

    def _refresh(self) -> None:
        news = self._store.news(self._place)
        if news.data is not None:
            self._take(news.data)
        elif news.place != self._place:
            for record in news.added:
                memory_edits.add(self._data, record, news.state)
            self._data["state"] = news.state
            self._take(self._data)
        self._place = news.place
