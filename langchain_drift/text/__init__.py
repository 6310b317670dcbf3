"""The text of a conversation: prose, words, sentences, passages, languages and critical terms.

`SpacyTextAnalyzer` needs the `spacy` extra and is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from langchain_drift.text.analyzer import DefaultTextAnalyzer, TextAnalyzer
from langchain_drift.text.conflicts import Conflict, conflicts
from langchain_drift.text.language import Language, detect_language
from langchain_drift.text.markdown import to_prose
from langchain_drift.text.passages import Passages, passages
from langchain_drift.text.sentences import sentences
from langchain_drift.text.substance import substance
from langchain_drift.text.terms import CriticalTerms, critical_terms
from langchain_drift.text.words import content_words, is_function_word, word_spans, words

if TYPE_CHECKING:
    from langchain_drift.text.spacy import SpacyTextAnalyzer as SpacyTextAnalyzer

__all__ = [
    "Conflict",
    "CriticalTerms",
    "DefaultTextAnalyzer",
    "Language",
    "Passages",
    "TextAnalyzer",
    "conflicts",
    "content_words",
    "critical_terms",
    "detect_language",
    "is_function_word",
    "passages",
    "sentences",
    "substance",
    "to_prose",
    "word_spans",
    "words",
]


def __getattr__(name: str) -> object:
    if name == "SpacyTextAnalyzer":
        from langchain_drift.text.spacy import SpacyTextAnalyzer  # noqa: PLC0415

        return SpacyTextAnalyzer
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
