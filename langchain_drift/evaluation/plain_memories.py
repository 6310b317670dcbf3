"""Two memories that know nothing of meaning: what any other one has to be better than."""

from typing import Final

from langchain_drift.mistakes.action import read_action
from langchain_drift.mistakes.terms import words_of

_MOST_WORDS_SHARED: Final = 0.6


class SameText:
    """Warns of an action that failed before, but for capitals and white space."""

    def __init__(self) -> None:
        self._failed: set[tuple[str, str]] = set()

    def warns(self, env: str, action: str | dict[str, object]) -> bool:
        """Tell whether the action failed in this place."""
        return (env, read_action(action).key) in self._failed

    def record(self, env: str, action: str | dict[str, object]) -> None:
        """Keep a failed action."""
        self._failed.add((env, read_action(action).key))


class WordOverlap:
    """Warns of an action that shares 60 % of its words with one that failed in the same place."""

    def __init__(self) -> None:
        self._failed: dict[str, set[frozenset[str]]] = {}

    def warns(self, env: str, action: str | dict[str, object]) -> bool:
        """Tell whether an action of nearly the same words failed in this place."""
        mine = words_of(read_action(action).terms)
        return any(
            len(mine & other) >= _MOST_WORDS_SHARED * max(1, len(mine | other))
            for other in self._failed.get(env, ())
        )

    def record(self, env: str, action: str | dict[str, object]) -> None:
        """Keep a failed action."""
        self._failed.setdefault(env, set()).add(words_of(read_action(action).terms))
