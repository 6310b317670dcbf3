"""What was said in one turn."""

from typing import NamedTuple

from langchain_drift.callbacks.messages import Words


class Exchange(NamedTuple):
    """What was said in one turn.

    Attributes:
        user: The user's words; empty if there are none.
        reply: The assistant's final text.
        system: The system message the reply was made under; None without one.
        complete: Whether the reply was read to its end.
    """

    user: Words
    reply: Words
    system: str | None
    complete: bool = True
