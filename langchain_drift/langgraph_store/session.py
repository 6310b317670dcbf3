"""What one process knows of a store, and what it is called there."""

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final
from uuid import uuid4

from langchain_drift.langgraph_store.items import Entry, Head
from langchain_drift.langgraph_store.mirror import Mirror
from langchain_drift.mistakes.stores.record import Record

_MOST_SCOPES: Final = 256


@dataclass(slots=True)
class Session:
    """What one process has read; one thread uses it at a time.

    Attributes:
        mirrors: The scopes used last, by their keys.
        writers: What the process is called in each scope it has written to.
        lock: Held while it is used.
    """

    mirrors: OrderedDict[str, Mirror] = field(default_factory=OrderedDict)
    writers: dict[str, str] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def keep(self, scope: str, mirror: Mirror) -> None:
        """Keep what was read of a scope, and forget the scope that was not used for longest."""
        self.mirrors[scope] = mirror
        self.mirrors.move_to_end(scope)
        if len(self.mirrors) > _MOST_SCOPES:
            self.mirrors.popitem(last=False)

    def writer_of(self, scope: str, mirror: Mirror) -> str:
        """Return how this process is called in a scope; by a new name if its head was removed."""
        name = self.writers.get(scope)
        if name is None or name not in mirror.heads:
            self.writers[scope] = name = uuid4().hex
        return name

    def make_entries(
        self,
        records: Sequence[Record],
        mirrors: Mapping[str, Mirror],
        there: set[tuple[str, str]],
    ) -> tuple[list[bool], dict[str, list[Entry]]]:
        """Return which records are new, and those as entries by their scopes.

        Args:
            records: What is to be appended.
            mirrors: Their scopes, up to date.
            there: Scopes and ids of the events that are there already.
        """
        new: dict[str, list[Entry]] = {scope: [] for scope in mirrors}
        writers = {scope: self.writer_of(scope, mirror) for scope, mirror in mirrors.items()}
        stamps = count(time.time_ns() // 1_000)
        seen, are_new = set(there), []
        for record in records:
            scope, name = record.scope, (record.scope, record.event_id)
            are_new.append(name not in seen)
            if are_new[-1]:
                seen.add(name)
                head = mirrors[scope].heads.get(writers[scope], Head())
                number = head.number + len(new[scope]) + 1
                new[scope].append(Entry(record, writers[scope], number, next(stamps)))
        return are_new, new
