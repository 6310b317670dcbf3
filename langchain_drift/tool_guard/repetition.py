"""Loops inside a run: calls that come to the same again and again.

A call repeats an earlier one of its tool if

- the arguments are equal and the same came back;
- they differ only in the bounds of a range, the ranges overlap by half, and they did not fail;
- both failed alike, and they differ in one of several arguments or only in a few words;
- both gave the same long text, and they differ in one of several arguments.

What reads on, page by page, what waits for something that is under way, and what does the same to
different things repeats nothing.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from langchain_drift.mistakes.terms import words_of
from langchain_drift.tool_guard.history import Call
from langchain_drift.tool_guard.outcome import Outcome
from langchain_drift.tool_guard.ranges import is_bound, read_range

_LOOKED_AT: Final = 64
_LONG: Final = 200
_SHORT: Final = 500
_READ: Final = 4000
_ALIKE: Final = 0.5
_VOLATILE_LENGTH: Final = 64
_VOLATILE = re.compile(r"0x[0-9a-fA-F]+|\d{5,}")
_UNDER_WAY = re.compile(
    r"\b(?:pending|running|in[ _-]progress|queued|processing|waiting|scheduled|starting"
    r"|not (?:yet )?(?:ready|finished|done|complete)|building|deploying|provisioning)\b|\d ?%",
    re.IGNORECASE,
)


class Repeats(NamedTuple):
    """How often a call has come to the same in this run.

    Attributes:
        times: In all.
        in_a_row: Since anything new succeeded.
    """

    times: int
    in_a_row: int


def count_repeats(past: Sequence[Call], call: Call) -> Repeats:
    """Count how often a call has come to the same.

    Args:
        past: The calls of the run before it, oldest first.
        call: The call. If it has an outcome, it is counted too; if not, what came of it before is
            expected again.
    """
    recent, seen = past[-_LOOKED_AT:], set[str]()
    fresh = [_is_new(one, seen) for one in recent]
    expected = call if call.outcome else call.came_to(_last_failure(recent, call.name))
    times = in_a_row = int(call.outcome is not None)
    row = True
    for one, is_new in zip(reversed(recent), reversed(fresh), strict=True):
        if one.name == call.name and _repeats(one, expected):
            if expected.outcome is None:
                expected = call.came_to(one.outcome)
            times += 1
            in_a_row += row
        elif one.name == call.name and one.args == call.args and one.outcome is not None:
            break
        elif is_new:
            row = False
    return Repeats(times, in_a_row)


def is_under_way(outcome: Outcome | None) -> bool:
    """Tell whether a call came back with the word that something is not finished yet."""
    if outcome is None or outcome.failed or len(outcome.text) > _SHORT:
        return False
    return bool(_UNDER_WAY.search(outcome.text))


def _last_failure(recent: Sequence[Call], tool: str) -> Outcome | None:
    """Return what came of the last call of a tool, if it failed."""
    last = next((one.outcome for one in reversed(recent) if one.name == tool and one.outcome), None)
    return last if last and last.failed else None


def _repeats(one: Call, call: Call) -> bool:
    """Tell whether a call repeats an earlier one of its tool; what costs little comes first."""
    different = _different(one.args, call.args)
    if not different:
        is_known = one.outcome is not None and call.outcome is not None
        came_same = not is_known or _same(one.outcome, call.outcome)
        return came_same and not is_under_way(one.outcome)
    fails_alike = (
        one.outcome is not None and one.outcome.failed and _same(one.outcome, call.outcome)
    )
    if not fails_alike and all(map(is_bound, different)):
        ranges = read_range(one.args), read_range(call.args)
        if ranges[0] is not None and ranges[1] is not None:
            return ranges[0].repeats(ranges[1]) and not is_under_way(one.outcome)
    if len(different) > 1 or one.outcome is None or call.outcome is None:
        return False
    one_of_several = len(one.args.keys() | call.args.keys()) > 1
    if one.outcome.failed:
        return fails_alike and (one_of_several or _in_other_words(one, call))
    is_long = one_of_several and len(one.outcome.text) >= _LONG
    return is_long and _same(one.outcome, call.outcome)


def _different(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    missing = object()
    keys = one.keys() | other.keys()
    return [key for key in keys if one.get(key, missing) != other.get(key, missing)]


def _same(one: Outcome | None, other: Outcome | None) -> bool:
    if one is None or other is None or one.failed != other.failed:
        return False
    if abs(len(one.text) - len(other.text)) > _VOLATILE_LENGTH:
        return False
    return one.text == other.text or _flat(one.text) == _flat(other.text)


def _flat(text: str) -> str:
    head = text if len(text) <= _READ else text[: _READ // 2] + text[-_READ // 2 :]
    return f"{len(text) // _READ} " + " ".join(_VOLATILE.sub("#", head).split())


def _in_other_words(one: Call, other: Call) -> bool:
    words, others = words_of(one.read.values), words_of(other.read.values)
    return len(words & others) >= _ALIKE * len(words | others)


def _is_new(call: Call, seen: set[str]) -> bool:
    """Tell whether a call succeeded with what was not seen in this run, and note it as seen."""
    identity = _identity(call)
    is_new = identity not in seen and call.outcome is not None and not call.outcome.failed
    seen.add(identity)
    return is_new


def _identity(call: Call) -> str:
    text = call.outcome.text[:_READ] if call.outcome else ""
    return json.dumps([call.name, call.args, text], sort_keys=True, default=str)


def failures_of(tool: str, past: Iterable[Call]) -> list[Call]:
    """Return the calls of a tool that failed, oldest first, since it last succeeded."""
    found: list[Call] = []
    for call in past:
        if call.name == tool and call.outcome is not None:
            found = [*found, call] if call.outcome.failed else []
    return found
