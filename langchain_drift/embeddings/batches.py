"""Batches of texts of similar length, so that little time is spent on padding."""

from collections.abc import Sequence
from typing import Final

MAX_TOKENS: Final = 2048
"""Most tokens of a batch, padding included: larger batches need more memory and gain no speed."""


def batches(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Group texts by length.

    Args:
        lengths: Number of tokens of each text, at least 1 each.
        size: Most texts in a batch, at least 1.

    Returns:
        Indices into `lengths`; each index occurs once, short texts come first. A batch of more
        than one text holds at most `MAX_TOKENS` tokens after padding to its longest text.
    """
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Lengths ascend, so this text would be the longest of the batch it joins.
        room = min(size, MAX_TOKENS // lengths[index])
        if not groups or len(groups[-1]) >= room:
            groups.append([])
        groups[-1].append(index)
    return groups
