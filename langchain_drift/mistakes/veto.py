"""What forbids that two actions in prose count as one."""

import re
from collections import Counter, defaultdict

from langchain_drift.mistakes.roles import find_exchanged
from langchain_drift.text.alternatives import ALTERNATIVES
from langchain_drift.text.conflicts import Conflict, conflicts
from langchain_drift.text.opposites import ALONE, ORDERS, PARTICLES, Side
from langchain_drift.text.stems import stem
from langchain_drift.text.terms import CriticalTerms
from langchain_drift.text.words import words

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def find_conflicts(
    left: CriticalTerms, right: CriticalTerms, left_text: str, right_text: str
) -> tuple[Conflict, ...]:
    """Return where two texts contradict one another.

    These are the conflicts of their critical terms; as many numbers that are not the same ("cup 1
    on shelf 2" against "cup 2 on shelf 2"); words of which only one can hold ("Monday" against
    "Tuesday"); exchanged roles; and two texts that differ in one word only if the two words are
    sides of one opposition: "up" against "down" even without a verb.
    """
    return (
        conflicts(left, right)
        or _renumbered(left_text, right_text)
        or _alternative(left_text, right_text)
        or find_exchanged(left_text, right_text)
        or _opposed(left_text, right_text)
    )


def _renumbered(left: str, right: str) -> tuple[Conflict, ...]:
    mine, theirs = Counter(_NUMBER.findall(left)), Counter(_NUMBER.findall(right))
    if mine == theirs or mine.total() != theirs.total():
        return ()
    return (Conflict("numbers", tuple(sorted(mine - theirs)), tuple(sorted(theirs - mine))),)


def _alternative(left: str, right: str) -> tuple[Conflict, ...]:
    mine, theirs = _alternatives(left), _alternatives(right)
    for kind in mine.keys() & theirs.keys():
        if mine[kind].isdisjoint(theirs[kind]):
            return (Conflict("opposites", tuple(sorted(mine[kind])), tuple(sorted(theirs[kind]))),)
    return ()


def _alternatives(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for word in words(text):
        if each := ALTERNATIVES.get(stem(word)):
            kind, name = each
            found[kind].add(name)
    return found


def _opposed(left: str, right: str) -> tuple[Conflict, ...]:
    mine, theirs = set(words(left)), set(words(right))
    if len(mine - theirs) != 1 or len(theirs - mine) != 1:
        return ()
    (one,), (other,) = mine - theirs, theirs - mine
    sides = _sides(one), _sides(other)
    for name, side in sides[0]:
        against = [theirs for pair, theirs in sides[1] if pair == name and theirs != side]
        if against:
            return (Conflict("opposites", (side,), tuple(against)),)
    return ()


def _sides(word: str) -> tuple[Side, ...]:
    particle = (PARTICLES[word][0],) if word in PARTICLES else ()
    return (*ALONE.get(stem(word), ()), *ORDERS.get(stem(word), ()), *particle)
