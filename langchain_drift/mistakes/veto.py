"""What forbids that two actions in prose count as one."""

from langchain_drift.mistakes.roles import find_exchanged
from langchain_drift.mistakes.wording import Wording, read_wording
from langchain_drift.text.conflicts import Conflict, conflicts
from langchain_drift.text.opposites import ALONE, ORDERS, PARTICLES, Side
from langchain_drift.text.stems import stem
from langchain_drift.text.terms import CriticalTerms


def find_conflicts(
    left: CriticalTerms, right: CriticalTerms, left_text: str, right_text: str
) -> tuple[Conflict, ...]:
    """Return where two texts contradict one another.

    These are the conflicts of their critical terms; as many numbers that are not the same ("cup 1
    on shelf 2" against "cup 2 on shelf 2"); words of which only one can hold ("Monday" against
    "Tuesday"); exchanged roles; and two texts that differ in one word only if the two words are
    sides of one opposition: "up" against "down" even without a verb.
    """
    found = conflicts(left, right)
    if found:
        return found
    mine, theirs = read_wording(left_text), read_wording(right_text)
    return (
        _renumbered(mine, theirs)
        or _alternative(mine, theirs)
        or find_exchanged(mine, theirs)
        or _opposed(mine, theirs)
    )


def _renumbered(left: Wording, right: Wording) -> tuple[Conflict, ...]:
    mine, theirs = left.numbers, right.numbers
    if mine == theirs or mine.total() != theirs.total():
        return ()
    return (Conflict("numbers", tuple(sorted(mine - theirs)), tuple(sorted(theirs - mine))),)


def _alternative(left: Wording, right: Wording) -> tuple[Conflict, ...]:
    mine, theirs = left.alternatives, right.alternatives
    for kind in mine.keys() & theirs.keys():
        if mine[kind].isdisjoint(theirs[kind]):
            return (Conflict("opposites", tuple(sorted(mine[kind])), tuple(sorted(theirs[kind]))),)
    return ()


def _opposed(left: Wording, right: Wording) -> tuple[Conflict, ...]:
    mine, theirs = set(left.words), set(right.words)
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
