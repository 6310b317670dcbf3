"""What the rest of the package asks of a text, as a protocol, and the answers without a model."""

from typing import Protocol

from langchain_drift.text.names import find_names
from langchain_drift.text.quantities import find_quantities
from langchain_drift.text.sentences import sentences
from langchain_drift.text.tokens import find_tokens
from langchain_drift.text.words import content_words


class TextAnalyzer(Protocol):
    """Finds sentences, content words and named things in a text."""

    def sentences(self, text: str) -> list[str]:
        """Return the sentences, in order."""
        ...

    def lemmas(self, text: str) -> list[str]:
        """Return the content words, in order, in a form that inflections of a word share."""
        ...

    def entities(self, text: str) -> list[str]:
        """Return what the text names, each once: names, identifiers and numbers."""
        ...


class DefaultTextAnalyzer:
    """Answers for any script without a model, in well under a millisecond for a chat turn."""

    def sentences(self, text: str) -> list[str]:
        """Return the sentences, in order; a line ends one."""
        return sentences(text)

    def lemmas(self, text: str) -> list[str]:
        """Return the content words, in order, casefolded and stemmed for English."""
        return content_words(text)

    def entities(self, text: str) -> list[str]:
        """Return capitalised names in order, then identifiers, paths and numbers, sorted.

        Languages that capitalise every noun give every noun. Identifiers and paths are casefolded,
        numbers are plain decimals ("1,000" gives "1000").
        """
        tokens = find_tokens(text)
        numbers = find_quantities(tokens.rest).numbers
        rest = (*sorted(tokens.identifiers), *sorted(tokens.paths), *sorted(numbers))
        return list(dict.fromkeys((*find_names(tokens.rest), *rest)))
