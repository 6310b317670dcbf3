"""Error messages and other feedback, told apart by the names in them."""

import re
from dataclasses import dataclass

from langchain_drift.mistakes.terms import SEPARATOR
from langchain_drift.text.tokens import find_tokens
from langchain_drift.text.words import content_words

_QUOTED = re.compile(r"'([^'\n]{1,200})'|\"([^\"\n]{1,200})\"|`([^`'\n]{1,200})[`']")
_READ = 4000


@dataclass(frozen=True, slots=True)
class Message:
    """What a message names and what it says of it.

    Attributes:
        names: Ends of the qualified names in it: `users.id` and `db.users.id` both give `id`.
        words: Its other content words.
    """

    names: frozenset[str]
    words: frozenset[str]


def read_message(text: str) -> Message:
    """Read the first 4,000 characters of a message."""
    text = text[:_READ]
    quoted = [match[match.lastindex or 0].casefold().strip() for match in _QUOTED.finditer(text)]
    tokens = find_tokens(_QUOTED.sub(" ", text))
    names = [name for name in quoted if " " not in name]
    ends = (_end(name) for name in (*names, *tokens.identifiers, *tokens.paths))
    return Message(frozenset(filter(None, ends)), frozenset(content_words(tokens.rest)))


def _end(name: str) -> str:
    return next((part for part in reversed(SEPARATOR.split(name)) if part), "")


def share(left: frozenset[str], right: frozenset[str]) -> float:
    """Return the share of the elements of two sets that both have; 1 if both are empty."""
    return len(left & right) / len(left | right) if left or right else 1.0
