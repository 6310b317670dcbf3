"""Names: runs of capitalised words."""

# ruff: noqa: RUF001 - typographic apostrophes are meant

import re
from collections.abc import Iterator

from langchain_drift.text.function_words import FUNCTION_WORDS
from langchain_drift.text.sentences import sentences

_WORD = re.compile(r"[^\W_][\w'’-]*")
_ENGLISH = FUNCTION_WORDS["en"]


def find_names(text: str) -> list[str]:
    """Return the runs of capitalised words, in order, as written.

    A single capitalised word at the start of a sentence is no name, nor is a function word.
    """
    return [name for sentence in sentences(text) for name in _find_in(sentence)]


def _find_in(sentence: str) -> Iterator[str]:
    opening = _WORD.search(sentence)
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(sentence):
        if run and (not _is_name(word[0]) or sentence[run[-1].end() : word.start()] != " "):
            yield from _close(run, opening)
            run = []
        if _is_name(word[0]):
            run.append(word)
    yield from _close(run, opening)


def _close(run: list[re.Match[str]], opening: re.Match[str] | None) -> Iterator[str]:
    is_opening = len(run) == 1 and opening is not None and run[0].start() == opening.start()
    if run and not is_opening:
        yield run[0].string[run[0].start() : run[-1].end()]


def _is_name(word: str) -> bool:
    return word[0].isupper() and word.replace("’", "'").casefold() not in _ENGLISH
