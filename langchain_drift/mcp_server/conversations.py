"""Conversations that are told turn by turn under a name, the newest ones kept."""

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.scorer import DriftScorer, ScorerState

MOST = 1_000
"""Most conversations that are kept; the one unused for longest goes first."""


@dataclass(slots=True)
class _Conversation:
    state: ScorerState
    lock: threading.Lock = field(default_factory=threading.Lock)


class Conversations:
    """Scores turns and keeps of each conversation its state, some 3 KB; safe to share."""

    def __init__(self) -> None:
        self._strategy = PurposeStrategy()
        self._kept: OrderedDict[tuple[str, bytes], _Conversation] = OrderedDict()
        self._lock = threading.Lock()

    def score(self, name: str, system_prompt: str, user: str, assistant: str) -> TurnResult:
        """Score a turn.

        Args:
            name: Of the conversation; empty for one that has no other turn.
            system_prompt: What it is for; the same name with another prompt is another one.
            user: What the user said.
            assistant: What the assistant answered.
        """
        scorer = DriftScorer(system_prompt, strategy=self._strategy)
        conversation = self._find(name, scorer)
        with conversation.lock:
            conversation.state, result = scorer.step(conversation.state, user, assistant)
        return result

    def _find(self, name: str, scorer: DriftScorer) -> _Conversation:
        if not name:
            return _Conversation(scorer.start())
        prompt = scorer.purpose.prompt.encode()
        key = name, hashlib.blake2b(prompt, digest_size=16).digest()
        with self._lock:
            found = self._kept.setdefault(key, _Conversation(scorer.start()))
            self._kept.move_to_end(key)
            if len(self._kept) > MOST:
                self._kept.popitem(last=False)
            return found
