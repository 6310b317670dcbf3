"""Facts: the numbers, dates and names of a text, which must agree to the letter."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from langchain_drift.retrieval.dates import DATE_NAMES, months_in_digits, spell_dates
from langchain_drift.retrieval.known_names import KnownNames
from langchain_drift.retrieval.known_numbers import KnownNumbers
from langchain_drift.retrieval.reading import Context, Sentence
from langchain_drift.text.words import words


@dataclass(frozen=True)
class Unsupported:
    """Facts of a sentence that the chunks do not hold, as written or as plain decimals.

    Attributes:
        numbers: Numbers, also with another unit than in the chunks: "5000", "14 mile".
        dates: Names of months and days of the week.
        names: Names.
    """

    numbers: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class KnownFacts:
    """The facts of the chunks, and the words of question and history.

    Args:
        context: The chunks.
        mentioned: Words of the question and the history: names in it are nobody's invention.
    """

    def __init__(self, context: Context, mentioned: frozenset[str] = frozenset()) -> None:
        self.context = context
        self.numbers = KnownNumbers(context)
        self.names = KnownNames(context, mentioned | DATE_NAMES, self.numbers)

    def missing(
        self,
        sentence: Sentence,
        source: Sentence | None = None,
        listed: frozenset[str] = frozenset(),
    ) -> Unsupported:
        """Return the facts of a sentence that are in no chunk.

        Args:
            sentence: A sentence of the answer.
            source: The sentence of the chunks that is most like it; see `KnownNumbers.missing`.
            listed: The numbers of the list items of the answer.
        """
        return Unsupported(
            numbers=tuple(self.numbers.missing(sentence, source, listed)),
            dates=tuple(self._missing_dates(sentence)),
            names=tuple(self.names.missing(sentence)),
        )

    @cached_property
    def _months(self) -> frozenset[str]:
        return months_in_digits(self.numbers.text)

    def _missing_dates(self, sentence: Sentence) -> Iterable[str]:
        known = self.context.words
        return (
            word
            for word in dict.fromkeys(words(spell_dates(sentence.text)))
            if word in DATE_NAMES
            and word not in known
            and word[:3] not in known
            and word not in self._months
        )
