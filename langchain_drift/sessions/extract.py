"""The summary that needs no model: what was asked, the facts that were told, what is left open."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from langchain_drift.sessions.exchange import Exchange, spoken
from langchain_drift.text import content_words, critical_terms, sentences, substance, to_prose
from langchain_drift.text.names import find_names

CHARACTERS = 1200
"""How long a summary becomes at most, names of its parts aside."""

_LONGEST = 280
_MOST_OPEN = 4
_ASKED_SHARE = 0.4
_QUESTION = re.compile(r"[?？؟;][\"'”’»)\]]*\s*$")  # noqa: RUF001 - other scripts' marks
_MARKED = {"numbers": 3.0, "identifiers": 3.0, "paths": 3.0, "quoted": 2.0}
_NAME, _WORD = 3.0, 0.4
_LEAST = 0.3


class _Sentence(NamedTuple):
    position: int
    text: str
    worth: dict[str, float]


def extract(exchanges: Sequence[Exchange], characters: int = CHARACTERS) -> str:
    """Summarise a session by its own sentences.

    Kept are the user's requests, the sentences that tell most numbers, names, identifiers and
    paths not yet told, and the questions nobody answered: what the user asked last without a
    reply, or what the assistant asked last.

    Args:
        exchanges: What was said, oldest first.
        characters: How long the summary may become, at least 200.

    Returns:
        One paragraph; empty if nothing was said.
    """
    held = [Exchange(to_prose(one.user), to_prose(one.assistant)) for one in spoken(exchanges)]
    if not held:
        return ""
    left = list(_open(held))[-_MOST_OPEN:]
    asked = _choose(_said((one.user for one in held), left), int(characters * _ASKED_SHARE), {})
    known = {key: 0.0 for sentence in asked for key in sentence.worth}
    room = characters - sum(len(sentence.text) for sentence in asked)
    told = _choose(_said((one.assistant for one in held), left), room, known)
    parts = [
        f"{name}: {' '.join(texts)}"
        for name, texts in (
            ("User", [sentence.text for sentence in asked]),
            ("Assistant", [sentence.text for sentence in told]),
            ("Open", left),
        )
        if texts
    ]
    # Where all was small talk its beginning is better than nothing.
    return " ".join(parts) or _cut(next(filter(str.strip, spoken(exchanges)[0])).strip())


def _open(held: Sequence[Exchange]) -> Iterator[str]:
    """Yield the questions that nobody answered."""
    for number, exchange in enumerate(held):
        is_last = number == len(held) - 1
        if not exchange.assistant.strip():
            yield from (_cut(text) for text in sentences(exchange.user) if _QUESTION.search(text))
        elif is_last:
            asked = [text for text in sentences(exchange.assistant) if _QUESTION.search(text)]
            yield from (_cut(text) for text in asked[-1:])


def _said(texts: Iterable[str], left_out: Iterable[str]) -> list[_Sentence]:
    """Return the sentences of some texts, each once, with what they tell."""
    seen = set(left_out)
    found = list[_Sentence]()
    for text in texts:
        for sentence in map(_cut, sentences(text)):
            if sentence in seen:
                continue
            seen.add(sentence)
            found.append(_Sentence(len(found), sentence, _worth(sentence)))
    return found


def _worth(sentence: str) -> dict[str, float]:
    """Return what a sentence tells, each with how much it is worth to keep."""
    terms = critical_terms(sentence)
    # The words of small talk are worth nothing.
    worth = dict.fromkeys(content_words(sentence) if substance(sentence) else (), _WORD)
    worth |= {name.casefold(): _NAME for name in find_names(sentence)}
    for field, value in _MARKED.items():
        worth |= dict.fromkeys(getattr(terms, field), value)
    return worth


def _choose(said: Sequence[_Sentence], characters: int, known: dict[str, float]) -> list[_Sentence]:
    """Return the sentences that tell most of what is not known, in the order they were said."""
    worth, chosen = dict(known), list[_Sentence]()
    left = [sentence for sentence in said if len(sentence.text) <= characters]
    while left:
        gains = [_gain(sentence, worth) for sentence in left]
        best = max(range(len(left)), key=gains.__getitem__)
        if gains[best] < _LEAST:
            break
        sentence = left.pop(best)
        chosen.append(sentence)
        characters -= len(sentence.text)
        worth |= dict.fromkeys(sentence.worth, 0.0)
        left = [other for other in left if len(other.text) <= characters]
    return sorted(chosen)


def _gain(sentence: _Sentence, worth: dict[str, float]) -> float:
    """Return the worth of what a sentence newly tells, against its length."""
    new = sum(value for key, value in sentence.worth.items() if key not in worth)
    return new / (1 + len(sentence.text) / _LONGEST)


def _cut(sentence: str) -> str:
    return sentence if len(sentence) <= _LONGEST else f"{sentence[: _LONGEST - 1].rstrip()}…"
