"""What a process knows of one scope of a store."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from langchain_drift.langgraph_store.items import Entry, Head
from langchain_drift.mistakes.stores.memory import MemoryStore

_DAY: Final = 86_400_000_000


@dataclass(slots=True)
class Mirror:
    """The events of one scope, as far as their writers had come.

    Attributes:
        log: The events.
        entries: The same, as they are kept, by their ids.
        heads: How far each writer had come.
    """

    log: MemoryStore = field(default_factory=MemoryStore)
    entries: dict[str, Entry] = field(default_factory=dict)
    heads: dict[str, Head] = field(default_factory=dict)

    def is_altered(self, heads: dict[str, Head]) -> bool:
        """Tell whether something other than new events happened since."""
        return any(
            heads.get(w, Head(-1, -1)).altered != h.altered for w, h in self.heads.items()
        ) or any(head.altered for writer, head in heads.items() if writer not in self.heads)

    def take(self, entries: Iterable[Entry], heads: dict[str, Head]) -> None:
        """Take in what writers have written and acknowledged; twice does no harm.

        A writer that is long gone has no head any more. So has one that died at its first event;
        that one comes into view a day later.
        """
        known = (e for e in entries if is_acknowledged(e, heads.get(e.writer)))
        for entry in sorted(known, key=lambda e: (e.stamp, e.writer, e.number)):
            name = entry.record.event_id
            if name in self.entries:
                continue
            self.entries[name] = entry
            self.log.append([entry.record], "")
            if entry.hidden:
                self.log.hide(entry.record.scope, [name])
        self.heads = heads


def is_acknowledged(entry: Entry, head: Head | None) -> bool:
    """Tell whether a writer went on to say that an event is written, as far as is known."""
    if head is None:
        return time.time_ns() // 1_000 - entry.stamp > _DAY
    return entry.number <= head.number
