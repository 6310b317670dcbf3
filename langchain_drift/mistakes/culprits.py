"""Culprit terms: what an error message blames, as far as the action holds it."""

# ruff: noqa: RUF001 - typographic quotes are meant

import re
from collections.abc import Iterator

from langchain_drift.mistakes.terms import MENTION, SEPARATOR, find_terms
from langchain_drift.text.function_words import FUNCTION_WORDS
from langchain_drift.text.tokens import find_tokens

_READ = 4000
_MOST = 16
_DELIMITED = re.compile(
    r"'([^'\n]{1,200})'|\"([^\"\n]{1,200})\"|`([^`'\n]{1,200})[`']|\[([^\[\]\n]{1,200})\]"
    r"|‘([^’\n]{1,200})’|“([^”\n]{1,200})”|«([^»\n]{1,200})»",
)
_AT_THE_END = re.compile(r":\s*([^\s:'\"`]+)\s*$", re.MULTILINE)
_MISSING = re.compile(
    r"""
    ([^\s:'"`]{1,128})['"`]?:?[ ]+(?:command[ ]|is[ ]|was[ ]|has[ ]|could[ ])?
        (?:not[ ](?:been[ ])?(?:be[ ])?(?:found|recogni[sz]ed|defined|declared|installed|known)
        |does[ ]not[ ]exist|doesn't[ ]exist|undefined|unknown)
    |\b(?:named|called)[ ]([^\s:'"`]{1,128})
    |\b(?:unknown|undefined|undeclared|unresolved|unrecogni[sz]ed)[ ]\w+:?[ ]([^\s:'"`]{1,128})
    """,
    re.IGNORECASE | re.VERBOSE,
)
# The program whose message it is, behind the shell that passes it on.
_SPEAKER = re.compile(r"^\s*(?:\S+: )?(?:line \d+: )?([^\s:]{1,60}):\s", re.MULTILINE)
# A flag, a number or a single character tells too little on its own.
_WEAK = re.compile(r"\"?(?:--?[\w-]*|[\d.,:-]+|.)")
_ABSENT = re.compile(
    r"""\b(?:
    unknown|unrecogni[sz]ed|undefined|undeclared|unresolved|no[ ]such|non-?existent
    |not[ ](?:been[ ])?(?:found|defined|declared|exist|known|recogni[sz]ed|available|installed
        |supported)
    |(?:does|do|did)(?:[ ]not|n't)[ ]exist
    |(?:cannot|can't|could[ ]not|couldn't|unable[ ]to|failed[ ]to)[ ](?:find|resolve|locate|import)
    |no[ ]\w+[ ](?:named|called|found)|invalid[ ]\w+[ ]name
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def find_culprits(
    terms: frozenset[str], feedback: str, values: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Return the terms of an action that the feedback blames, the longest first.

    Blamed is what the feedback puts in quotes or brackets or after a final colon, what it says is
    missing ("wget: command not found"), its identifiers and paths, and the values of a tool call
    that it repeats, if the action holds them; of a qualified name the longest end that the action
    holds. If there is any, the program that speaks (`ls: …`) belongs to it. All of them together
    are the culprit: a later action must hold each of them.

    Args:
        terms: The terms of the action, as `read_action` gives them.
        feedback: What came back; its first 4,000 characters are read.
        values: The terms in the values of a tool call.

    Returns:
        At most 16 of `terms`; none if nothing is blamed.
    """
    feedback = feedback[:_READ]
    held = {term.removeprefix(MENTION): term for term in sorted(terms, reverse=True)}
    found = dict.fromkeys(_blamed(feedback, held))
    found |= dict.fromkeys(sorted(values & find_terms(feedback)))
    if found and (speaker := _speaker(feedback, held)):
        found.setdefault(speaker)
    return tuple(sorted(list(found)[:_MOST], key=lambda term: (-len(term), term)))


def is_weak(culprits: tuple[str, ...]) -> bool:
    """Tell whether culprits are only flags, numbers and single characters.

    They explain the mistake they come from, but accuse no other action.
    """
    return all(_WEAK.fullmatch(term) for term in culprits)


def says_absent(feedback: str) -> bool:
    """Tell whether the feedback says that something does not exist or is not known.

    Such a thing is at fault wherever it is used; anything else that feedback blames may do well in
    another action.
    """
    return bool(_ABSENT.search(feedback[:_READ]))


def _blamed(feedback: str, held: dict[str, str]) -> Iterator[str]:
    for match in _DELIMITED.finditer(feedback):
        yield from _take(match[match.lastindex or 0], held)
    for match in _AT_THE_END.finditer(feedback):
        yield from _take(match[1], held)
    for match in _MISSING.finditer(feedback):
        yield from _take(match[match.lastindex or 0], held)
    tokens = find_tokens(_DELIMITED.sub(" ", feedback))
    for name in sorted(tokens.identifiers | tokens.paths):
        yield from _take(name, held)


def _take(span: str, held: dict[str, str]) -> tuple[str, ...]:
    """Return the terms that a span of feedback names: all of its words, or none."""
    span = span.strip().strip(".,;:!?()")
    if " " in span:
        names = {name.removeprefix(MENTION) for name in find_terms(span)}
        return tuple(held[name] for name in sorted(names)) if names <= held.keys() else ()
    for end in _ends(span.casefold().rstrip("/")):
        if end in held and end not in FUNCTION_WORDS["en"]:
            return (held[end],)
    # A flag keeps its case.
    return (held[span],) if span.startswith("-") and span in held else ()


def _ends(name: str) -> Iterator[str]:
    """Yield a qualified name, and what remains of it without its first, second, … part."""
    yield name
    for match in SEPARATOR.finditer(name):
        if match.end() < len(name):
            yield name[match.end() :]


def _speaker(feedback: str, held: dict[str, str]) -> str | None:
    for match in _SPEAKER.finditer(feedback):
        name = match[1].casefold().strip("'\"`")
        if name in held and name not in FUNCTION_WORDS["en"]:
            return held[name]
    return None
