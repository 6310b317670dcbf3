"""The conversations of a client: told apart by key or by history, and bounded."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import uuid4

from langchain_drift.callbacks.lock import Lock
from langchain_drift.clients.asked import Asked
from langchain_drift.clients.history import History
from langchain_drift.tracker import DriftTracker

_KEPT_STEPS = 16
_RESPONSES_EACH = 4

MakeTracker = Callable[[str | None, str], DriftTracker]
"""Makes the tracker of a conversation of its system prompt and its name."""


@dataclass(slots=True, eq=False)
class Conversation:
    """A conversation as it stands. Hold `lock` to change it.

    Attributes:
        id: Its key, or a name made up for it.
        tracker: What scores it.
        history: What was said in it.
        earlier: Hashes of what was said in it before.
        others: Hashes of what was said if another answer of the last response is taken.
        pending: What the user said before the assistant went on to call a tool.
    """

    id: str
    tracker: DriftTracker
    history: History = field(default_factory=History)
    earlier: deque[bytes] = field(default_factory=lambda: deque(maxlen=_KEPT_STEPS))
    others: tuple[bytes, ...] = ()
    pending: str = ""
    lock: Lock = field(default_factory=Lock)


class Place(NamedTuple):
    """Where a request goes on.

    Attributes:
        conversation: The conversation.
        begins_anew: Whether its tracker is to be made anew of what the request tells.
        is_redo: Whether that takes the place of turns it had.
    """

    conversation: Conversation
    begins_anew: bool = False
    is_redo: bool = False


class _Index:
    """Conversations by a hash; several may share one."""

    def __init__(self) -> None:
        self._found: dict[bytes, dict[Conversation, None]] = {}

    def add(self, key: bytes, conversation: Conversation) -> None:
        self._found.setdefault(key, {})[conversation] = None

    def discard(self, key: bytes, conversation: Conversation) -> None:
        found = self._found.get(key, {})
        found.pop(conversation, None)
        if not found:
            self._found.pop(key, None)

    def get(self, key: bytes) -> tuple[Conversation, ...]:
        return tuple(self._found.get(key, ()))


class Conversations:
    """Finds the conversation of a request; safe to share between threads.

    By key, by the response that it goes on from, or by what was said: all that a request tells of
    it, or, where its beginning was left out, the last three exchanges.

    Args:
        make: Makes a tracker of a system prompt and a name.
        most: Conversations kept; those longest silent go first.
        by_system: Whether requests with different system prompts are different conversations.
    """

    def __init__(self, make: MakeTracker, most: int, *, by_system: bool) -> None:
        self.make = make
        self._most, self._by_system = most, by_system
        self._lock = Lock()
        self._kept: OrderedDict[str, Conversation] = OrderedDict()
        self._heads, self._tails = _Index(), _Index()
        self._earlier, self._others = _Index(), _Index()
        self._responses: OrderedDict[str, Conversation] = OrderedDict()
        self.dropped = 0

    def ids(self) -> tuple[str, ...]:
        """Return the conversations that are kept, the one last heard of last."""
        with self._lock:
            return tuple(self._kept)

    def get(self, name: str | None) -> Conversation | None:
        """Return a conversation that is kept; without a name the one last heard of."""
        with self._lock:
            if name is None:
                return next(reversed(self._kept.values()), None)
            return self._kept.get(name)

    def find(self, asked: Asked) -> Conversation | None:
        """Return the conversation in which a request goes on, if it is kept; it stays there."""
        with self._lock:
            place = self._find(asked, History.of(self.owner(asked), asked.history))
            return place and place.conversation

    def claim(self, asked: Asked) -> Place:
        """Return where a request goes on. Give the conversation back with `keep`.

        Until then no other request finds it by its history: of two that go on from the same
        point the second is a conversation of its own.
        """
        history = History.of(self.owner(asked), asked.history)
        with self._lock:
            place = self._find(asked, history)
            if place is None:
                name = asked.key or uuid4().hex[:12]
                conversation = Conversation(name, self.make(asked.system, name))
                place = Place(conversation, begins_anew=True)
                if asked.key is not None:  # A second request with the key finds it at once.
                    self._kept[name] = conversation
            self._unlink(place.conversation)
            return place

    def keep(self, conversation: Conversation, response_id: str | None) -> None:
        """Let a conversation be found again, as it stands and by the response it ended with."""
        with self._lock:
            self._kept[conversation.id] = conversation
            self._kept.move_to_end(conversation.id)
            for index, key in self._keys(conversation):
                index.add(key, conversation)
            if response_id:
                self._responses[response_id] = conversation
            self._drop()

    def owner(self, asked: Asked) -> str:
        """Return what tells the conversations of a request from those of others alike."""
        return f"{asked.person}\0{asked.system}" if self._by_system else asked.person

    def _find(self, asked: Asked, history: History) -> Place | None:
        if asked.key is not None:
            return self._go_on(self._kept.get(asked.key), history)
        if asked.after is not None and asked.after in self._responses:
            return Place(self._responses[asked.after])
        if not history.length:
            return None
        if others := self._others.get(history.chain):
            return Place(others[-1], begins_anew=True, is_redo=True)
        found = self._heads.get(history.chain)
        if not found and not self._earlier.get(history.chain):
            found = self._cut(history)
        return Place(found[-1]) if found else None

    def _go_on(self, known: Conversation | None, history: History) -> Place | None:
        """Return where a conversation that was named goes on."""
        if known is None:
            return None
        was_earlier = history.length > 0 and history.chain in (*known.earlier, *known.others)
        return Place(known, begins_anew=was_earlier, is_redo=was_earlier)

    def _cut(self, history: History) -> tuple[Conversation, ...]:
        """Return the conversation of which this is the end, if it is the end of one only."""
        ends = self._tails.get(history.tail[-1])
        found = tuple(each for each in ends if history.is_cut_from(each.history))
        return found if len(found) == 1 else ()

    def _unlink(self, conversation: Conversation) -> None:
        for index, key in self._keys(conversation):
            index.discard(key, conversation)

    def _keys(self, conversation: Conversation) -> Iterator[tuple[_Index, bytes]]:
        """Yield what a conversation is found by."""
        history = conversation.history
        if history.length:
            yield self._heads, history.chain
            yield self._tails, history.tail[-1]
        yield from ((self._earlier, chain) for chain in conversation.earlier)
        yield from ((self._others, chain) for chain in conversation.others)

    def _drop(self) -> None:
        while len(self._kept) > self._most:
            _, gone = self._kept.popitem(last=False)
            self._unlink(gone)
            self.dropped += 1
        while len(self._responses) > _RESPONSES_EACH * self._most:
            self._responses.popitem(last=False)
