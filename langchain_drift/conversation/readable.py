"""Whether an embedder reads the language of a text, as far as texts tell."""

from collections.abc import Collection

from langchain_drift.text import detect_language, words

_TOLD = 0.6
"""Confidence from which a text is taken to tell that it is in a language the embedder reads."""

_ENOUGH_WORDS = 4
"""Different words from which a text without any English function word is not English."""

_LATIN = frozenset({"Latn", "Zyyy"})


def tells(languages: Collection[str], text: str) -> bool | None:
    """Return whether a text is in one of the languages; None where it does not tell.

    Args:
        languages: ISO 639-1 codes of what the embedder reads.
        text: The text.
    """
    found = detect_language(text)
    if found.code in languages:
        return True if found.confidence >= _TOLD else None
    return False if found.code or found.script not in _LATIN else None


def is_readable(languages: Collection[str], text: str, *, before: bool | None = None) -> bool:
    """Return whether a text is to be read.

    A text that does not tell its language is taken for what was told before in the conversation.
    Where nothing was, it is read if it is short or shows a trace of English: English of some
    words practically always holds a function word, dialects that are not known here do not.

    Args:
        languages: ISO 639-1 codes of what the embedder reads.
        text: The text.
        before: What the texts before it told; see `tells`.
    """
    told = tells(languages, text)
    if told is None:
        told = before
    if told is not None:
        return told
    return len(set(words(text))) < _ENOUGH_WORDS or detect_language(text).english > 0
