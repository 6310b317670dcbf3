"""The answer as a whole, as far as it bears on each of its sentences."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_drift.retrieval.known_numbers import list_numbers
from langchain_drift.retrieval.places import Places
from langchain_drift.retrieval.reading import Context, Sentence


@dataclass(frozen=True)
class Answer:
    """What a sentence needs to know of the answer that it is part of.

    Attributes:
        listed: The numbers of its list items, which count nothing.
        says: `log(1 + weight)` of all that it claims; see `Sentence.weight`.
        places: Where the content words of its claims stand in the chunks.
    """

    listed: frozenset[str]
    says: float
    places: Places

    @classmethod
    def of(cls, text: str, claims: Sequence[Sentence], context: Context) -> "Answer":
        """Read an answer with its claims, held against chunks."""
        says = math.log1p(sum(each.weight for each in claims))
        return cls(list_numbers(text), says, Places(claims, context))
