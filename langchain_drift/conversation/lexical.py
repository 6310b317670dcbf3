"""The published strategies that count words: quick, and blind to meaning.

The list of function words is this package's own, so where they are left out, scores can differ
a little from the published ones.
"""

import math
import string
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Final

from langchain_drift.conversation.published_contract import (
    PublishedScore,
    initial_context,
    join_replies,
)
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.result import Abstention
from langchain_drift.conversation.strategy import Judgement, State, Strategy
from langchain_drift.conversation.turn import Turn
from langchain_drift.counts import check_count
from langchain_drift.text.function_words import FUNCTION_WORDS

_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
# Without its apostrophe "she'll" would be "shell" and "i'd" be "id".
_STOPWORDS: Final = frozenset(
    word.translate(_NO_PUNCTUATION)
    for word in FUNCTION_WORDS["en"]
    if not word.endswith(("'ll", "'d"))
)


class _LexicalStrategy(Strategy):
    """Scores the reply of a turn alone by the words it shares with the prompt and examples."""

    def start(self) -> State:
        """Return the state before the first turn."""
        return {"score": 100.0}

    def step(self, purpose: Purpose, state: State, turn: Turn) -> tuple[State, Judgement]:
        """Judge a turn by its reply; without one the score stays."""
        if not turn.assistant.strip():
            return state, Judgement(score=state["score"], abstained=Abstention.NO_REPLY)
        score, _ = self.score(initial_context(purpose), [turn.assistant])
        return {"score": score}, Judgement(score=score)

    def score(self, system_prompt: str, assistant_responses: Sequence[str]) -> PublishedScore:
        """Score replies, taken together, by the published formula.

        Args:
            system_prompt: What they are held against.
            assistant_responses: The replies; none at all score 100.

        Returns:
            The score, 0 to 100, and the same by name, rounded to cents.

        Raises:
            InvalidInputError: If the replies are a single string, or one is no string.
        """
        reply = join_replies(assistant_responses)
        score = self._compare(system_prompt, reply) if assistant_responses else 100.0
        return score, {self.name: round(score, 2)}

    @abstractmethod
    def _compare(self, prompt: str, reply: str) -> float:
        """Return the score of a reply, 0 to 100."""


class KeywordStrategy(_LexicalStrategy):
    """The share of the prompt's keywords that the reply uses.

    Keywords are the most frequent words that are no function words; among equally frequent ones
    the first. A prompt without keywords scores 100.

    Args:
        top_n: How many keywords the prompt has at most, at least 1.

    Raises:
        InvalidInputError: If `top_n` is not a whole number of at least 1.
    """

    name = "keyword"

    def __init__(self, top_n: int = 30) -> None:
        self.top_n = check_count("top_n", top_n)

    def _compare(self, prompt: str, reply: str) -> float:
        counts = Counter(_tokens(prompt, include_stopwords=False))
        keywords = {word for word, _ in counts.most_common(self.top_n)}
        if not keywords:
            return 100.0
        used = keywords.intersection(_tokens(reply, include_stopwords=False))
        return len(used) / len(keywords) * 100


class TokenOverlapStrategy(_LexicalStrategy):
    """The cosine of the word frequencies of the prompt and the reply, times 100.

    A prompt without words scores 100, a reply without words 0.

    Args:
        include_stopwords: Whether English function words count.
    """

    name = "token_overlap"

    def __init__(self, include_stopwords: bool = False) -> None:  # noqa: FBT001, FBT002 - published
        self.include_stopwords = include_stopwords

    def _compare(self, prompt: str, reply: str) -> float:
        wanted = Counter(_tokens(prompt, include_stopwords=self.include_stopwords))
        found = Counter(_tokens(reply, include_stopwords=self.include_stopwords))
        if not wanted:
            return 100.0
        if not found:
            return 0.0
        shared = sum(count * found[word] for word, count in wanted.items())
        length = math.hypot(*wanted.values()) * math.hypot(*found.values())
        return min(shared / length * 100, 100.0)


def _tokens(text: str, *, include_stopwords: bool) -> list[str]:
    """Return the words of a text: lower case, without ASCII punctuation, split at white space."""
    found = text.lower().translate(_NO_PUNCTUATION).split()
    return found if include_stopwords else [word for word in found if word not in _STOPWORDS]
