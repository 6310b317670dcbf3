"""Scores what was said in a conversation, each against its own purpose."""

from collections import OrderedDict
from collections.abc import Iterable

from langchain_drift.callbacks.exchange import Exchange
from langchain_drift.callbacks.lock import Lock
from langchain_drift.callbacks.scored import Scored
from langchain_drift.callbacks.thread import Thread
from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.scorer import DriftScorer
from langchain_drift.conversation.strategy import Strategy
from langchain_drift.conversation.turn import FewShotExample

_KEPT_SCORERS = 64


class Judge:
    """Scores turns with one scorer, or with one for each system message.

    Args:
        scorer: The scorer of all conversations; None for one by each one's own system message.
        few_shot_examples: For scorers made here.
        strategy: For scorers made here; one strategy for all, since it holds no conversation.
    """

    def __init__(
        self,
        scorer: DriftScorer | None,
        few_shot_examples: Iterable[FewShotExample] = (),
        strategy: Strategy | None = None,
    ) -> None:
        self._scorer = scorer
        self._examples = tuple(few_shot_examples)
        self._strategy = strategy or PurposeStrategy()
        self._lock = Lock()
        self._scorers: OrderedDict[str, DriftScorer] = OrderedDict()

    def score(self, thread: Thread, exchange: Exchange, foreseen: Scored | None = None) -> Scored:
        """Score a turn; hold the conversation's `turn_lock`.

        Args:
            thread: The conversation; it is not changed.
            exchange: What was said.
            foreseen: The same exchange as it was scored before: taken if nothing changed since.
        """
        scorer = self._for(thread, exchange.system)
        is_redo = thread.last_message is not None and (
            exchange.user.message_id == thread.last_message
        )
        since = thread.before if is_redo else thread.state
        since = since if thread.scorer is scorer else None
        if foreseen and foreseen[:2] == (scorer, since) and foreseen.is_redo == is_redo:
            return foreseen
        before = since or scorer.start()
        state, result = scorer.step(before, exchange.user.text, exchange.reply.text)
        return Scored(scorer, since, before, state, result, is_redo)

    def _for(self, thread: Thread, system: str | None) -> DriftScorer:
        """Return the scorer of a conversation: its first system message stays its purpose."""
        if self._scorer:
            return self._scorer
        if thread.scorer and thread.scorer.purpose.prompt:
            return thread.scorer
        prompt = system or ""
        with self._lock:
            if prompt not in self._scorers:
                self._scorers[prompt] = DriftScorer(prompt, self._examples, strategy=self._strategy)
            self._scorers.move_to_end(prompt)
            while len(self._scorers) > _KEPT_SCORERS:
                self._scorers.popitem(last=False)
            return self._scorers[prompt]
