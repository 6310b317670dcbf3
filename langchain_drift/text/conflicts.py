"""Where two texts contradict one another in their critical terms."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from langchain_drift.text.terms import CriticalTerms

Kind = Literal[
    "numbers", "units", "identifiers", "paths", "quoted", "negation", "opposites", "roles"
]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A kind of critical term in which two texts differ.

    Attributes:
        kind: `numbers`, `units`, `identifiers`, `paths`, `quoted`, `negation`, `opposites`; or
            `roles`, which `conflicts` does not look for: the mistake memory does.
        left: What the first text names and the second does not, sorted.
        right: What the second text names and the first does not, sorted.
    """

    kind: Kind
    left: tuple[str, ...]
    right: tuple[str, ...]


def conflicts(a: CriticalTerms, b: CriticalTerms) -> tuple[Conflict, ...]:
    """Return where two texts contradict one another; nothing where one merely says more.

    Terms of a kind conflict when each text names one that the other does not: "user 1" and "user
    2" do, "/tmp" and "the temp directory" do not, nor do "page 1" and "page 1 of 2". Negation
    conflicts when one text negates and the other does not, opposites when the texts name different
    sides of a pair and neither names both.
    """
    return tuple(_find(a, b))


def _find(a: CriticalTerms, b: CriticalTerms) -> Iterator[Conflict]:
    yield from _differ("numbers", a.numbers - b.numbers, b.numbers - a.numbers)
    yield from _differ("units", a.units - b.units, b.units - a.units)
    yield from _differ("identifiers", a.identifiers - b.identifiers, b.identifiers - a.identifiers)
    yield from _differ("paths", _missing(a.paths, b.paths), _missing(b.paths, a.paths))
    yield from _differ("quoted", a.quoted - b.quoted, b.quoted - a.quoted)
    if a.negated != b.negated:
        yield Conflict("negation", _negation(a), _negation(b))
    yield from _opposites(a, b)


def _differ(kind: Kind, left: frozenset[str], right: frozenset[str]) -> Iterator[Conflict]:
    if left and right:
        yield Conflict(kind, tuple(sorted(left)), tuple(sorted(right)))


def _missing(paths: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Return the paths that no other path is the same as, or an end of, or ends in."""
    whole = {_ends(other)[0] for other in others}
    ends = {end for other in others for end in _ends(other)}
    return frozenset(path for path in paths if _is_missing(_ends(path), whole, ends))


def _is_missing(path: list[str], whole: set[str], ends: set[str]) -> bool:
    return path[0] not in ends and whole.isdisjoint(path)


def _ends(path: str) -> list[str]:
    """Return a path, and what remains of it without its first, second, … folder."""
    if "://" in path:
        return [path]
    parts = path.replace("\\", "/").split("/")
    return ["/".join(parts[start:]) for start in range(len(parts))]


def _negation(terms: CriticalTerms) -> tuple[str, ...]:
    return ("negated",) if terms.negated else ("affirmed",)


def _opposites(a: CriticalTerms, b: CriticalTerms) -> Iterator[Conflict]:
    for pair in sorted({name for name, _ in a.polarity} & {name for name, _ in b.polarity}):
        left = frozenset(side for name, side in a.polarity if name == pair)
        right = frozenset(side for name, side in b.polarity if name == pair)
        if left.isdisjoint(right):
            yield from _differ("opposites", left, right)
