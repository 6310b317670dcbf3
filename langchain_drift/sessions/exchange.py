"""Exchanges: what was said in a session, and how it is put before whoever summarises it."""

from collections.abc import Sequence
from typing import NamedTuple

from langchain_drift.sessions.shorten import shorten

MOST_CHARACTERS = 32_000
"""Of a session's text, for whoever summarises it: about 8,000 tokens."""


class Exchange(NamedTuple):
    """What the user said and what the assistant answered; either may be empty."""

    user: str
    assistant: str

    @property
    def says_something(self) -> bool:
        """Whether there is any text in it."""
        return bool(self.user.strip() or self.assistant.strip())


def spoken(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Return the exchanges that hold text."""
    return [exchange for exchange in exchanges if exchange.says_something]


def session_text(exchanges: Sequence[Exchange], characters: int = MOST_CHARACTERS) -> str:
    """Return a session as one text: `Q1: …`, `A1: …`, `Q2: …`.

    Args:
        exchanges: What was said, oldest first; those without text are left out.
        characters: How long the text may become, marks and names aside. Where there is more, the
            longest contributions are shortened in their middle, all of them to the same length.
    """
    held = spoken(exchanges)
    longest = _longest([len(text) for exchange in held for text in exchange], characters)
    lines = []
    for number, exchange in enumerate(held, start=1):
        for name, text in zip("QA", exchange, strict=True):
            if text.strip():
                lines.append(f"{name}{number}: {shorten(text, longest)}")
    return "\n".join(lines)


def _longest(lengths: Sequence[int], total: int) -> int:
    """Return the length to which texts must be cut to be so long together."""
    left, count = total, len(lengths)
    for length in sorted(lengths):
        if length * count > left:
            return left // count
        left, count = left - length, count - 1
    return max(lengths, default=0)
