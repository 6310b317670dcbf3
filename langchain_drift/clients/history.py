"""Conversations known by their history: hashes of what was said, however it was written."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from langchain_drift.clients.asked import Exchange

_TAIL = 3


@dataclass(frozen=True, slots=True)
class History:
    """The exchanges of a conversation up to a point, as hashes.

    Attributes:
        chain: The hash of all of them, in order.
        length: How many they are.
        tail: The hashes of the last three, each by itself.
    """

    chain: bytes = b""
    length: int = 0
    tail: tuple[bytes, ...] = ()

    @classmethod
    def of(cls, person: str, exchanges: Iterable[Exchange]) -> "History":
        """Return the history of a person's exchanges."""
        history = cls()
        for exchange in exchanges:
            history = history.then(person, exchange)
        return history

    def then(self, person: str, exchange: Exchange) -> "History":
        """Return the history after a further exchange."""
        said = _hash(*(part.encode("utf-8", "replace") for part in (person, *map(_bare, exchange))))
        return History(
            chain=_hash(self.chain, said), length=self.length + 1, tail=(*self.tail, said)[-_TAIL:]
        )

    def is_cut_from(self, whole: "History") -> bool:
        """Return whether this may be the end of a longer history whose beginning was left out."""
        shared = min(self.length, _TAIL)
        return 0 < self.length < whole.length and self.tail == whole.tail[-shared:]


def _bare(text: str) -> str:
    """Return a text without spaces: callers trim and reflow what they send back."""
    return "".join(text.split())


def _hash(*parts: bytes) -> bytes:
    # Each part is hashed first, so that no two lists of parts run together.
    whole = b"".join(blake2b(part, digest_size=16).digest() for part in parts)
    return blake2b(whole, digest_size=16).digest()
