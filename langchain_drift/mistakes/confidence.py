"""How likely an action is to fail again, by what is remembered of actions like it."""

from typing import Final

PRIOR: Final = 1 / 3
"""Confidence where nothing is remembered, weighing as much as one sighting."""

SUCCESS_WEIGHT: Final = 2.0
"""How many mistakes a success outweighs: what worked once can work."""

_HALF_LIFE_DAYS: Final = 30.0
_SECONDS_PER_DAY: Final = 86_400.0


def confidence(strength: float, failing: float, working: float) -> float:
    """Return how likely an action is to fail, by the evidence at hand.

    `(n · R + 1/3) / (n + 1)` with `R = F / (F + 2 · S)`: the share `R` of mistakes among all that
    resembles the action, drawn towards 1/3 the less there is of it. One sighting of the same
    action gives 0.67, two 0.78, five 0.89; one sighting and one success since give 0.29.

    Args:
        strength: `n`, how many mistakes speak against the action, each weighed by how much it
            bears on it; at least 0.
        failing: `F`, mistakes weighed by their likeness to the action; at least 0.
        working: `S`, successes weighed the same way; at least 0.

    Returns:
        0 to 1.
    """
    if strength <= 0 or failing <= 0:
        return 0.0
    share = failing / (failing + SUCCESS_WEIGHT * working)
    return (strength * share + PRIOR) / (strength + 1)


def recency(at: float, now: float, weight: float) -> float:
    """Return how much a mistake weighs by its age: `1 - w + w · 2^(-days / 30)`.

    Args:
        at: When it happened, in seconds since 1970.
        now: The present, likewise.
        weight: `w`, what age can take from it at most, 0 to 0.5.
    """
    days = max(0.0, now - at) / _SECONDS_PER_DAY
    return 1 - weight + weight * 2 ** (-days / _HALF_LIFE_DAYS)


def published_confidence(
    action_frequency: int,
    chain_frequency: int,
    similarity: float,
    age_days: float,
    recency_weight: float,
) -> float:
    """Return the confidence of driftguard-ai: reinforcement, similarity and recency in steps.

    `.65 · (1 - w) · reinforcement + .35 · (1 - w) · similarity + w · recency`, at most 1.

    Args:
        action_frequency: How often the action was seen, at least 1.
        chain_frequency: How often it led to this feedback, at least 1.
        similarity: Cosine of action and query, 0 to 1.
        age_days: Whole days since it was last seen.
        recency_weight: `w`, 0 to 0.5.
    """
    seen = (action_frequency + chain_frequency) / 2
    reinforcement = next(
        (r for least, r in ((5, 0.95), (3, 0.85), (2, 0.75)) if seen >= least), 0.6
    )
    days = int(age_days)
    recent = next((r for most, r in ((1, 1.0), (7, 0.85), (30, 0.7)) if days <= most), 0.5)
    rest = 1 - recency_weight
    score = rest * (0.65 * reinforcement + 0.35 * similarity) + recency_weight * recent
    return min(1.0, score)
