"""A conversation as the handler holds it."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from langchain_drift.callbacks.lock import Lock
from langchain_drift.callbacks.messages import Words
from langchain_drift.conversation.scorer import DriftScorer, ScorerState

_KNOWN_MESSAGES = 64


@dataclass(slots=True, eq=False)
class Thread:
    """A conversation as it stands. Hold `turn_lock` to score a turn, the store's to read.

    Attributes:
        scorer: What it is scored with; None before its first turn.
        state: After the last turn.
        before: Before the last turn.
        last_message: The id of the user's message in the last turn.
        known: Hashes of the words of human messages by id, the newest last.
        pending: What the user said before the graph paused.
    """

    scorer: DriftScorer | None = None
    state: ScorerState | None = None
    before: ScorerState | None = None
    last_message: str | None = None
    known: OrderedDict[str, int] = field(default_factory=OrderedDict)
    pending: Words | None = None
    turn_lock: Lock = field(default_factory=Lock)

    def learn(self, messages: Mapping[str, int]) -> None:
        """Remember the words of human messages."""
        for message_id, hashed in messages.items():
            self.known[message_id] = hashed
            self.known.move_to_end(message_id)
        while len(self.known) > _KNOWN_MESSAGES:
            self.known.popitem(last=False)
