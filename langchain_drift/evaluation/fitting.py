"""Fitting: the alarm set to one's own labelled conversations."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from langchain_drift.conversation.drift_filter import Weights
from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.verdict import ALARM
from langchain_drift.errors import InvalidInputError
from langchain_drift.evaluation.labelled import LabelledConversation
from langchain_drift.evaluation.track import Track, follow

_FEWEST_ON = 20
_FEWEST_LABELLED, _FEWEST_OFF = 200, 20
_MOST_FALSE_ALARMS = 0.5

_PROBE_SCALE = 0.1
"""Scores are read at this scale, where even log-odds of 100 leave them short of 0 and 100."""

_LEAST_GAP = 1e-12
_EDGE = float(np.log(100 - ALARM) - np.log(ALARM))
"""Above this scaled and shifted log-odds a score is an alarm."""

_MARGIN = 1e-6
_STEPS = 50
_SCALES = (0.25, 4.0)
"""Between these a fitted scale is kept."""


def fit(
    conversations: Iterable[LabelledConversation],
    *,
    strategy: PurposeStrategy | None = None,
    false_alarms: float = 0.02,
) -> PurposeStrategy:
    """Set the alarm so that few of one's own on-purpose turns raise it.

    Guaranteed is this, of the turns given and of nothing else: scored with the returned
    strategy, at most `false_alarms` of their `on` turns score below 55, as `evaluate` counts
    them (`alarm.fpr`). The allowance is used up, so that as many departures as possible are
    noticed. New conversations differ: of n on turns the rate is only known to about
    `sqrt(false_alarms / n)`, so check on conversations that were not fitted.

    Only the last step changes, from log-odds to the score: always `Weights.score_shift`, and
    `Weights.score_scale` (a logistic fit, kept from 0.25 to 4) where there are at least 200
    labelled turns, 20 of them off. The order of turns stays what it was.

    Args:
        conversations: Labelled conversations, read once.
        strategy: Where to start from, with its embedder; by default `PurposeStrategy()`.
        false_alarms: The largest share of on turns that may raise an alarm, up to 0.5.

    Returns:
        The strategy with the alarm set.

    Raises:
        InvalidInputError: If the share is out of range or fewer than 20 on turns are judged.
    """
    _check_share(false_alarms)
    base = _checked_strategy(strategy)
    probe = base.with_weights(_scaled(base.weights, _PROBE_SCALE, 0.0))
    tracks = [follow(conversation, probe) for conversation in conversations]
    _check_enough(tracks)
    on, off = _log_odds(tracks, "on"), _log_odds(tracks, "off")
    scale = _scale(on, off, base.weights.score_scale)
    allowed = int(false_alarms * len(on))
    highest = float(np.sort(on)[::-1][allowed])
    shift = _EDGE - scale * highest - _MARGIN
    return base.with_weights(_scaled(base.weights, scale, shift))


def _scaled(weights: Weights, scale: float, shift: float) -> Weights:
    return weights.model_copy(update={"score_scale": scale, "score_shift": shift})


def _log_odds(tracks: Iterable[Track], label: str) -> NDArray[np.float64]:
    """Return the filtered log-odds at the turns of a label, once anything has been judged.

    A turn that was not judged keeps the score before, and before the first judged turn that is
    100 whatever the weights are, so there it can raise no alarm.
    """
    scores = [
        track.scores[i]
        for track in tracks
        for i, turn in enumerate(track.conversation.turns)
        if turn.label == label and any(track.judged[: i + 1])
    ]
    share = np.clip(np.array(scores, dtype=float) / 100, _LEAST_GAP, 1 - _LEAST_GAP)
    found: NDArray[np.float64] = (np.log1p(-share) - np.log(share)) / _PROBE_SCALE
    return found


def _scale(on: NDArray[np.float64], off: NDArray[np.float64], given: float) -> float:
    """Return the slope of off against log-odds, or the given one where too little is known.

    The targets are smoothed, so that the slope stays finite where log-odds part the two (Platt
    1999, *Probabilistic outputs for support vector machines*).
    """
    if len(on) + len(off) < _FEWEST_LABELLED or len(off) < _FEWEST_OFF:
        return given
    low, high = 1 / (len(on) + 2), (len(off) + 1) / (len(off) + 2)
    target = np.concatenate((np.full(len(on), low), np.full(len(off), high)))
    slope = _slope(np.concatenate((on, off)), target)
    return float(np.clip(slope, *_SCALES)) if slope > 0 else given


def _slope(values: NDArray[np.float64], target: NDArray[np.float64]) -> float:
    """Return the slope of a logistic regression, by Newton's method on standardised values."""
    spread = float(values.std()) or 1.0
    design = np.column_stack(((values - values.mean()) / spread, np.ones_like(values)))
    found = np.zeros(2)
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ found, -30, 30)))
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design
        step = np.linalg.solve(curvature + 1e-9 * np.eye(2), design.T @ (target - chance))
        found += np.clip(step, -1, 1)
    return float(found[0]) / spread


def _checked_strategy(strategy: PurposeStrategy | None) -> PurposeStrategy:
    if strategy is None:
        return PurposeStrategy()
    if not isinstance(strategy, PurposeStrategy):
        message = (
            f"Only the alarm of a PurposeStrategy can be fitted, not of {type(strategy).__name__}; "
            "pass a PurposeStrategy or None."
        )
        raise InvalidInputError(message)
    return strategy


def _check_share(false_alarms: float) -> None:
    if not 0 < false_alarms <= _MOST_FALSE_ALARMS:
        message = (
            f"false_alarms is {false_alarms}; give the share of on turns that may raise an "
            f"alarm, above 0 and at most {_MOST_FALSE_ALARMS}."
        )
        raise InvalidInputError(message)


def _check_enough(tracks: Iterable[Track]) -> None:
    n = sum(
        judged and turn.label == "on"
        for track in tracks
        for turn, judged in zip(track.conversation.turns, track.judged, strict=True)
    )
    if n < _FEWEST_ON:
        message = (
            f"Only {n} turns labelled on were judged, too few to set an alarm by; label at "
            f"least {_FEWEST_ON}."
        )
        raise InvalidInputError(message)
