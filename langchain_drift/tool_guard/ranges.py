"""Ranges in the arguments of a call, to tell reading on from reading the same again."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_START = frozenset({"start", "begin", "from", "first", "offset", "skip", "since", "min", "after"})
_END = frozenset({"end", "stop", "to", "until", "last", "max", "before"})
_LENGTH = frozenset({"limit", "length", "count", "size", "lines", "take", "top"})
_PAGE = frozenset({"page", "pages", "cursor", "chunk", "part"})
_OVERLAP = 0.5


class Range(NamedTuple):
    """A range of numbers, both ends in it."""

    first: int
    last: int

    def repeats(self, other: "Range") -> bool:
        """Tell whether two ranges share at least half of the smaller one."""
        shared = min(self.last, other.last) - max(self.first, other.first) + 1
        smaller = min(self.last - self.first, other.last - other.first) + 1
        return shared >= _OVERLAP * max(smaller, 1)


def is_bound(name: str) -> bool:
    """Tell whether an argument of this name bounds a range."""
    return _role(name) != ""


def read_range(args: Mapping[str, Any]) -> Range | None:
    """Return the range that some arguments bound, such as `offset` and `limit`; None for none.

    Without a start it begins at 0, without an end and a length it is its first number alone.
    """
    bounds = {_role(name): _number(value) for name, value in args.items() if is_bound(name)}
    known = {role: number for role, number in bounds.items() if number is not None}
    if not known or len(known) < len(bounds):
        return None
    if "page" in known:
        return Range(known["page"], known["page"])
    start, length = known.get("start", 0), known.get("length")
    if "end" in known:
        return Range(start, known["end"])
    if "start" not in known:
        return Range(0, (length or 1) - 1)
    return Range(start, start + (length or 1) - 1)


def _role(name: str) -> str:
    parts = {part.lower() for part in _PART.findall(name)}
    roles = (("page", _PAGE), ("start", _START), ("end", _END), ("length", _LENGTH))
    # "page_size" is a length.
    if "page" in parts and parts & _LENGTH:
        return "length"
    return next((role for role, names in roles if parts & names), "")


def _number(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    text = str(value).strip()
    return int(text) if text.lstrip("-").isdecimal() and text.isascii() else None
