"""Many conversations scored at once: their texts are embedded together."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from langchain_core.embeddings import Embeddings

from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.reading import Reading
from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.scorer import DriftScorer, ScorerState
from langchain_drift.conversation.turn import FewShotExample, Turn
from langchain_drift.embeddings import default_embeddings
from langchain_drift.embeddings.cache import CachedEmbeddings
from langchain_drift.embeddings.vectors import embed

_TOGETHER = 512
"""Turns whose texts are embedded in one call."""
_MOST_TEXTS = 16 * _TOGETHER
"""Texts remembered; a turn has at most a dozen."""

Key = TypeVar("Key")


class Chat(NamedTuple, Generic[Key]):
    """A conversation to score.

    Attributes:
        key: Whose results they are.
        prompt: The system prompt.
        turns: What the user said and what the assistant answered, in order.
        examples: Exchanges that show the purpose.
    """

    key: Key
    prompt: str
    turns: Sequence[tuple[str, str]]
    examples: tuple[FewShotExample, ...] = ()


class ManyScorer:
    """Scores conversations by the default strategy as fast as their texts can be embedded.

    Args:
        embeddings: Any LangChain `Embeddings`; by default the bundled MiniLM.
    """

    def __init__(self, embeddings: Embeddings | None = None) -> None:
        given = embeddings or default_embeddings()
        inner = given.inner if isinstance(given, CachedEmbeddings) else given
        self._embeddings = CachedEmbeddings(inner, _MOST_TEXTS)
        self._strategy = PurposeStrategy(self._embeddings)

    def score(self, chats: Iterable[Chat[Key]]) -> Iterator[tuple[Key, TurnResult]]:
        """Yield the result of each turn, conversation by conversation.

        Some hundred turns are read ahead, whatever conversation they are of; more is never held.
        """
        steps = self._steps(chats)
        state: ScorerState | None = None
        while batch := list(islice(steps, _TOGETHER)):
            self._embed(batch)
            for step in batch:
                state = step.scorer.start() if step.is_first or state is None else state
                state, result = step.scorer.step(state, step.turn.user, step.turn.assistant)
                yield step.key, result

    def _steps(self, chats: Iterable[Chat[Key]]) -> Iterator["_Step[Key]"]:
        for chat in chats:
            scorer = DriftScorer(chat.prompt, chat.examples, strategy=self._strategy)
            for number, (user, assistant) in enumerate(chat.turns):
                yield _Step(chat.key, scorer, Turn.of(user, assistant), is_first=number == 0)

    def _embed(self, batch: Sequence["_Step[Key]"]) -> None:
        readings = [Reading.of(step.turn.to_prose()) for step in batch]
        embed(self._embeddings, [text for reading in readings for text in reading.texts])


class _Step(NamedTuple, Generic[Key]):
    """A turn of a conversation and what scores it."""

    key: Key
    scorer: DriftScorer
    turn: Turn
    is_first: bool
