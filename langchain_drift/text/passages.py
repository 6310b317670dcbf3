"""A text of any length as a few passages that an embedder can read."""

from dataclasses import dataclass

from langchain_drift.counts import check_count
from langchain_drift.text.sentences import sentence_ends


@dataclass(frozen=True, slots=True)
class Passages:
    """Pieces of a text.

    Attributes:
        texts: The pieces taken, stripped, in order; empty for a blank text.
        coverage: The share of the text's characters in the pieces taken, above 0 and up to 1.
    """

    texts: tuple[str, ...]
    coverage: float


def passages(text: str, *, limit: int = 4, size: int = 900) -> Passages:
    """Cut a text at sentence ends and take a few pieces, spread evenly from first to last.

    A text of up to `size` characters is one passage. Where none ends in the last
    third of a piece it is cut between words, and a word longer than half a piece anywhere.

    Args:
        text: Any text.
        limit: The most pieces to take, at least 1.
        size: The most characters in a piece, at least 1.

    Raises:
        InvalidInputError: If `limit` or `size` is not a whole number of at least 1.
    """
    limit, size = check_count("limit", limit), check_count("size", size)
    text = text.strip()
    if len(text) <= size:
        return Passages((text,) if text else (), 1.0)
    pieces = _cut(text, size)
    taken = _spread(pieces, limit)
    texts = tuple(stripped for piece in taken if (stripped := piece.strip()))
    return Passages(texts, sum(map(len, taken)) / len(text))


def _cut(text: str, size: int) -> list[str]:
    pieces = []
    start = 0
    while len(text) - start > size:
        end = start + _piece_length(text[start : start + size + 1], size)
        pieces.append(text[start:end])
        start = end
    pieces.append(text[start:])
    return pieces


def _piece_length(window: str, size: int) -> int:
    """Return where to cut a window that holds one character more than a piece may."""
    least = size * 2 // 3
    ends = [end for end in map(least.__add__, sentence_ends(window[least:])) if end <= size]
    if ends:
        return ends[-1]
    words = window.rsplit(None, 1)
    length = len(words[0]) if words else 0
    return length if size // 2 < length <= size else size


def _spread(pieces: list[str], limit: int) -> list[str]:
    if len(pieces) <= limit:
        return pieces
    if limit == 1:
        return pieces[:1]
    last = len(pieces) - 1
    return [pieces[round(position * last / (limit - 1))] for position in range(limit)]
