"""Overlap: the formula of the published detector, exactly as it was published."""

import re
from functools import lru_cache

Terms = frozenset[str]

THRESHOLD = 0.65
"""Above this score the published detector says drift."""

MIN_TERM_LEN = 3
"""Shortest term of the published detector, in characters."""

_FROM_CHUNKS, _FROM_INTENT = 0.6, 0.4
_DIGITS = 4


def terms(text: str, min_length: int) -> Terms:
    """Return the runs of at least `min_length` lower-case ASCII letters and digits of a text."""
    return frozenset(_pattern(min_length).findall(text.lower()))


@lru_cache(maxsize=16)
def _pattern(min_length: int) -> re.Pattern[str]:
    return re.compile(f"[a-z0-9]{{{min_length},}}")


def jaccard(left: Terms, right: Terms) -> float:
    """Return the shared terms by all terms, to four decimals; 1 if there are none."""
    union = left | right
    return round(len(left & right) / len(union), _DIGITS) if union else 1.0


def drift_score(answer_to_context: float, answer_to_intent: float) -> float:
    """Return `1 - (0.6 · answer_to_context + 0.4 · answer_to_intent)`, to four decimals."""
    return round(1 - (_FROM_CHUNKS * answer_to_context + _FROM_INTENT * answer_to_intent), _DIGITS)
