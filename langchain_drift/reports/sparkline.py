"""Scores as the paths of a small SVG picture, 100 wide and 100 high."""

from collections.abc import Sequence
from typing import Final

_SIDE: Final = 100
MOST_POINTS: Final = 300


def line_path(scores: Sequence[float | None]) -> str:
    """Return the path of a line through scores from 0 to 100; a missing score is a gap.

    Of more than 300 scores the lowest of each of 300 stretches is drawn.
    """
    steps, is_drawing = list[str](), False
    for place, score in _stretched(scores):
        if score is None:
            is_drawing = False
            continue
        steps.append(f"{'L' if is_drawing else 'M'}{_across(place, len(scores))} {_up(score)}")
        is_drawing = True
    # A score alone is a dot: a line without length, with round ends.
    return "".join([*steps, "h0"]) if len(steps) == 1 else "".join(steps)


def dots_path(scores: Sequence[float | None], chosen: Sequence[bool]) -> str:
    """Return the path of dots at the chosen scores: lines without length, with round ends."""
    return "".join(
        f"M{_across(place, len(scores))} {_up(score)}h0"
        for place, (score, is_one) in enumerate(zip(scores, chosen, strict=True))
        if is_one and score is not None
    )


def _stretched(scores: Sequence[float | None]) -> list[tuple[int, float | None]]:
    step = -(-len(scores) // MOST_POINTS)
    if step <= 1:
        return list(enumerate(scores))
    return [
        min(
            ((place, scores[place]) for place in range(start, min(start + step, len(scores)))),
            key=lambda point: _SIDE if point[1] is None else point[1],
        )
        for start in range(0, len(scores), step)
    ]


def _across(place: int, count: int) -> str:
    return f"{place * _SIDE / (count - 1):.1f}".removesuffix(".0") if count > 1 else "50"


def _up(score: float) -> int:
    return round(_SIDE - score)
