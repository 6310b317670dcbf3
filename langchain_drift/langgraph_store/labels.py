"""Names as labels of a namespace: whatever a tenant is called, it stays apart from all others."""

import hashlib
from typing import Final

_PLAIN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-")
_LONGEST, _HEAD = 96, 48
_LONGEST_KEY: Final = 200
_SHORTENED: Final = "~~"


def label_of(name: str) -> str:
    """Return a label that no other name has: letters, digits and hyphens as they are.

    Stores forbid dots and empty labels, and some read `%` and `_` as wildcards; all else is written
    as `~` and two hex digits a byte. A long name ends with its digest.
    """
    if not name:
        return "~"
    label = "".join(c if c in _PLAIN else _bytes(c) for c in name)
    if len(label) <= _LONGEST:
        return label
    return f"{label[:_HEAD]}{_SHORTENED}{_digest(name)}"


def key_of(event_id: str) -> str:
    """Return the key of an event: its id, unless that is long."""
    if (
        len(event_id.encode("utf-8", "surrogatepass")) <= _LONGEST_KEY
        and event_id[:2] != _SHORTENED
    ):
        return event_id
    return f"{_SHORTENED}{_digest(event_id)}"


def _bytes(character: str) -> str:
    return "".join(f"~{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
