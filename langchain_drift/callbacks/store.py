"""The store of conversations and turns, bounded in both."""

from collections import OrderedDict, deque
from dataclasses import dataclass

from langchain_drift.callbacks.lock import Lock
from langchain_drift.callbacks.record import TurnRecord
from langchain_drift.callbacks.report import ThreadReport
from langchain_drift.callbacks.thread import Thread


@dataclass(slots=True)
class Slot:
    """The place of a turn in the order of turns; empty until it is scored."""

    thread_id: str
    record: TurnRecord | None = None


class Store:
    """Conversations and turns; safe to share between threads.

    Args:
        max_turns: Records kept over all conversations.
        max_threads: Conversations kept.
    """

    def __init__(self, max_turns: int, max_threads: int) -> None:
        self._max_turns, self._max_threads = max_turns, max_threads
        self.lock = Lock()
        self._slots: deque[Slot] = deque()
        self._threads: OrderedDict[str, Thread] = OrderedDict()
        self.dropped_turns = 0
        self.dropped_threads = 0

    def thread(self, thread_id: str) -> Thread:
        """Return a conversation, newly begun if it is not kept, as the one last heard of."""
        with self.lock:
            found = self._threads.setdefault(thread_id, Thread())
            self._threads.move_to_end(thread_id)
            while len(self._threads) > self._max_threads:
                self._threads.popitem(last=False)
                self.dropped_threads += 1
            return found

    def known(self, thread_id: str) -> Thread | None:
        """Return a conversation if it is kept."""
        with self.lock:
            return self._threads.get(thread_id)

    def place(self, thread_id: str) -> Slot:
        """Return an empty place after all others."""
        slot = Slot(thread_id)
        with self.lock:
            self._slots.append(slot)
            while len(self._slots) > self._max_turns:
                self._slots.popleft()
                self.dropped_turns += 1
        return slot

    def turns(self, thread_id: str | None = None) -> tuple[TurnRecord, ...]:
        """Return the records kept, oldest first: all, or those of one conversation."""
        with self.lock:
            return tuple(
                slot.record
                for slot in self._slots
                if slot.record and thread_id in (None, slot.thread_id)
            )

    def thread_ids(self) -> tuple[str, ...]:
        """Return the conversations of the records kept, the one last heard of last."""
        with self.lock:
            seen = dict.fromkeys(slot.thread_id for slot in reversed(self._slots) if slot.record)
            return tuple(reversed(seen))

    def report(self, thread_id: str) -> ThreadReport:
        """Return where a conversation stands."""
        with self.lock:
            turns = self.turns(thread_id)
            thread = self._threads.get(thread_id)
            if thread is None or thread.state is None or thread.scorer is None:
                return _alone(thread_id, turns)
            return ThreadReport(
                thread_id=thread_id,
                turns=turns,
                total_turns=thread.state["turns"],
                departures=tuple(thread.state["departures"]),
                returns=tuple(thread.state["returns"]),
                system_prompt=thread.scorer.purpose.prompt or None,
            )


def _alone(thread_id: str, turns: tuple[TurnRecord, ...]) -> ThreadReport:
    """Return the report of a conversation of which only records are kept."""
    numbered = [(turn.drift.turn_number, turn) for turn in turns if turn.drift]
    return ThreadReport(
        thread_id=thread_id,
        turns=turns,
        total_turns=max((number for number, _ in numbered), default=0),
        departures=tuple(number for number, turn in numbered if turn.departed),
        returns=tuple(number for number, turn in numbered if turn.returned),
    )
