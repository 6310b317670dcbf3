"""The text analyzer on a spaCy pipeline; needs the `spacy` extra."""

import threading
from typing import TYPE_CHECKING

from langchain_drift.errors import InvalidInputError, MissingExtraError
from langchain_drift.text.analyzer import DefaultTextAnalyzer
from langchain_drift.text.negation import NEGATIONS
from langchain_drift.text.passages import passages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacy.language import Language
    from spacy.tokens import Doc, Token


class SpacyTextAnalyzer:
    """Asks a spaCy pipeline, and the default analyzer what the pipeline does not tell.

    Safe to share between threads: calls of the pipeline take turns. A text longer than the
    pipeline's `max_length` is read in pieces.

    Args:
        pipeline: A language code such as `en`, for a blank pipeline with the sentencizer that needs
            no model, or a loaded pipeline, which is left as it is.

    Raises:
        MissingExtraError: If spaCy is not installed.
        InvalidInputError: If spaCy has no such language or lacks what that language needs.
    """

    def __init__(self, pipeline: "str | Language" = "en") -> None:
        self._pipeline = _blank(pipeline) if isinstance(pipeline, str) else pipeline
        self._default = DefaultTextAnalyzer()
        self._lock = threading.Lock()

    def sentences(self, text: str) -> list[str]:
        """Return the pipeline's sentences, stripped, or the default ones if it sets none."""
        found: list[str] = []
        for doc in self._read(text):
            if doc.has_annotation("SENT_START"):
                found.extend(sentence.text.strip() for sentence in doc.sents)
            else:
                found.extend(self._default.sentences(doc.text))
        return [sentence for sentence in found if sentence]

    def lemmas(self, text: str) -> list[str]:
        """Return lemmas without stop words, or lowercase words if the pipeline has no lemmatizer.

        Negations stay, though spaCy counts them as stop words.
        """
        tokens = (token for doc in self._read(text) for token in doc)
        return [(token.lemma_ or token.text).lower() for token in tokens if _is_content(token)]

    def entities(self, text: str) -> list[str]:
        """Return the pipeline's entities, each once, or the default ones if it seeks none."""
        found: list[str] = []
        for doc in self._read(text):
            if doc.has_annotation("ENT_IOB"):
                found.extend(entity.text for entity in doc.ents)
            else:
                found.extend(self._default.entities(doc.text))
        return list(dict.fromkeys(found))

    def _read(self, text: str) -> "Iterator[Doc]":
        for piece in passages(text, limit=len(text) + 1, size=self._pipeline.max_length).texts:
            with self._lock:
                doc = self._pipeline(piece)
            yield doc


def _blank(language: str) -> "Language":
    try:
        import spacy  # noqa: PLC0415 - an extra, and slow to import
    except ImportError as error:
        raise MissingExtraError(package="spacy", extra="spacy") from error
    try:
        pipeline = spacy.blank(language)
    except ImportError as error:
        message = f"spaCy has no blank pipeline for language {language!r}: {error}"
        raise InvalidInputError(message) from error
    pipeline.add_pipe("sentencizer")
    return pipeline


def _is_content(token: "Token") -> bool:
    if token.lower_ in NEGATIONS or token.norm_ in NEGATIONS:
        return True
    return not token.is_stop and any(map(str.isalnum, token.text))
