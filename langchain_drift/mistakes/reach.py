"""How far a review looks: what counts as alike, and how many memories are read at most."""

from typing import Final

LEAST_ALIKE: Final = 0.7
"""Lowest share of words that two commands have in common to be alike."""

EXACT: Final = 20_000
"""Up to so many memories of a scope are compared one by one; beyond, an index is asked."""

MOST_NEAREST: Final = 100
"""Most paraphrases."""

MOST_BLAMING: Final = 64
"""Most memories whose feedback blames the same."""

MOST_HOLDING: Final = 256
"""Most memories that worked and hold what is blamed."""

MOST_READ: Final = 4096
"""Most memories that are read to find them, the newest."""

MOST_FOR_A_WORD: Final = 128
"""Most memories that are looked at for one word, the newest."""
