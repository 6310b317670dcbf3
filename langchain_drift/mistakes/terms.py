"""The terms of an action: what an error message can point at."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from langchain_drift.mistakes.text_class import is_code

MENTION: Final = '"'
"""Stands before a term that an action only mentions, inside quotes, and does not use."""

MOST: Final = 256
LONGEST: Final = 128
_READ = 8000
_TOKEN = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*|[\w$@~./\\:*-]+")
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
SEPARATOR: Final = re.compile(r"[./:\\-]+")
"""What parts a qualified name: dots, slashes, colons, hyphens."""

_QUALIFIED = re.compile(r"[./:\\-]")
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`")
_DEEPEST = 12
_SHORT_VALUE = 6


def find_terms(text: str) -> frozenset[str]:
    r"""Return the terms of a text, casefolded; flags keep their case.

    Terms are words, flags, and qualified names (`users.id`, `/var/log/x`, `a::b`) together with
    their parts and the folders a path lies in. A term that stands only inside quotes is a mention
    and begins with `"`, unless it is a path: `WHERE name = 'users'` does not use the table.

    Only the first 8,000 characters are read; at most 256 terms are returned, each at most 128
    characters long.
    """
    text = text[:_READ]
    everything = _terms(text)
    used = frozenset(_terms(_QUOTED.sub(" ", text)))
    return frozenset(
        term if term in used or "/" in term or "\\" in term else MENTION + term
        for term in everything
    )


def call_terms(name: str, arguments: Mapping[str, Any]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the terms of a tool call, and those of them that stand in the values.

    Terms are its name, the names of its arguments and the terms of their values. Those of a value
    that is prose of more than six words are mentions.
    """
    found = {name.casefold()[:LONGEST]: False}
    for text, is_value in _leaves(arguments, 0):
        mention = is_value and len(text.split()) > _SHORT_VALUE and not is_code(text)
        for term in _terms(text[:_READ]):
            name = MENTION + term if mention else term
            found[name] = found.get(name, False) or is_value
        if len(found) >= MOST:
            break
    kept = dict(list(found.items())[:MOST])
    return frozenset(kept), frozenset(term for term, is_value in kept.items() if is_value)


def words_of(terms: frozenset[str]) -> frozenset[str]:
    """Return the simple terms, used or mentioned: words and flags, no qualified names."""
    plain = (term.removeprefix(MENTION) for term in terms)
    return frozenset(t for t in plain if not _QUALIFIED.search(t) or _FLAG.fullmatch(t))


def holds(terms: frozenset[str], term: str) -> bool:
    """Tell whether an action uses a term; a mention is held by its use as well."""
    return term in terms or (term.startswith(MENTION) and term[1:] in terms)


def _terms(text: str) -> dict[str, None]:
    found: dict[str, None] = {}
    for match in _TOKEN.finditer(text):
        for term in _expand(match.group()):
            found.setdefault(term[:LONGEST])
        if len(found) >= MOST:
            break
    return dict.fromkeys(list(found)[:MOST])


def _expand(token: str) -> Iterator[str]:
    """Yield a token, the parts of its qualified name and the folders of its path."""
    if _FLAG.fullmatch(token):
        yield token
        return
    name = token.casefold().rstrip("./\\:-").strip(":-")
    if not any(map(str.isalnum, name)):
        return
    yield name
    parts = [part for part in SEPARATOR.split(name) if part]
    if len(parts) > 1:
        yield from parts
    if "/" in name:
        ends = [match.start() for match in re.finditer("/", name)][1:]
        yield from (name[:end] for end in ends[:_DEEPEST])


def _leaves(value: Any, depth: int) -> Iterator[tuple[str, bool]]:  # noqa: ANN401 - any JSON
    """Yield the keys and the values inside a JSON value as text, and whether it is a value."""
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key), False
            yield from _leaves(inner, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner, depth + 1)
    else:
        yield str(value), True
