"""How much of each text fits on a page of a given size."""

from collections.abc import Iterable
from html import escape


def longest_fitting(texts: Iterable[str], room: int, *, most: int) -> int:
    """Return to how many characters texts can be cut so that together they fit as HTML.

    Short texts stay whole, so that the long ones share what the short ones leave.

    Args:
        texts: The texts.
        room: Bytes of HTML they may take in all.
        most: Characters that a text is shown at most.

    Returns:
        The greatest such number from 0 to `most`.
    """
    cut = (text for each in texts if (text := each[:most]))
    sizes = [(len(text), html_size(text)) for text in cut]
    least, greatest = 0, most
    while least < greatest:
        middle = (least + greatest + 1) // 2
        if sum(_part(length, size, middle) for length, size in sizes) <= room:
            least = middle
        else:
            greatest = middle - 1
    return least


def _part(length: int, size: int, longest: int) -> int:
    """Return the bytes of the beginning of a text, each character taking what the mean takes."""
    return size if length <= longest else -(-size * longest // length)


def html_size(text: str) -> int:
    """Return how many bytes a text takes as HTML."""
    return len(escape(text).encode("utf-8", "replace"))
