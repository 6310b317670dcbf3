"""The forward filter: the probability that the conversation is off purpose, turn by turn.

Two states, on and off. A turn's evidence is a log-odds, linear in the features and weighted by
how much there is to judge; how much of the earlier probability it inherits depends on how much
it continues the turn before (an input-dependent transition of a two-state hidden Markov model,
Bengio and Frasconi 1995, *An input output HMM architecture*).
"""

import json
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from langchain_drift.conversation.evidence import DYNAMIC, STATIC, Evidence
from langchain_drift.conversation.memory import Memory

_LIMIT = 4.0
"""No feature counts more than this many of its standard deviations."""

GATE = ("substance", "small_talk", "follow_up", "question", "length")
"""Features that tell how much the evidence of a turn counts."""

INHERIT = ("continuity", *GATE)
"""Features that tell how much of the earlier probability a turn inherits."""

_ALL = STATIC + DYNAMIC
_GATE = [_ALL.index(name) for name in GATE]
_INHERIT = [_ALL.index(name) for name in INHERIT]
_SMALLEST = 1e-4


class Weights(BaseModel):
    """What was learned from labelled conversations; see `scripts/fit_conversation.py`.

    Attributes:
        center: Subtracted from the features, static then dynamic.
        scale: Divides them after that.
        evidence: Weights of the features; positive speaks for off purpose.
        bias: Log-odds of off purpose for average features.
        gate: Bias, then weights of `GATE`, in how much evidence counts.
        inherit: Bias, then weights of `INHERIT`, in how much of the earlier probability a turn
            inherits.
        start: Log-odds of off purpose before the first turn.
        prior: Log-odds of off purpose for a later turn that inherits nothing.
        average: The average match assumed before the first turn.
        average_weight: How many turns that assumption stands for.
        injection: Log-odds added for an attempt to change the instructions.
        breach: Log-odds added per unit of `Evidence.breach`.
        score_scale: Factor of the filtered log-odds in the score.
        score_shift: Added to them after that.
    """

    model_config = ConfigDict(frozen=True)

    center: tuple[float, ...]
    scale: tuple[float, ...]
    evidence: tuple[float, ...]
    bias: float
    gate: tuple[float, ...]
    inherit: tuple[float, ...]
    start: float
    prior: float
    average: float
    average_weight: float
    injection: float
    breach: float
    score_scale: float
    score_shift: float

    @classmethod
    @cache
    def shipped(cls) -> "Weights":
        """Return the weights that ship with the package."""
        text = (files(__package__) / "weights.json").read_text(encoding="utf-8")
        return cls.model_validate(json.loads(text))

    def begin(self) -> Memory:
        """Return the memory of a conversation that has not begun."""
        return Memory.start(_sigmoid(self.start), self.average, self.average_weight)

    def features(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return the standardised features, static then dynamic, each within four deviations."""
        return self.standardise(np.concatenate((evidence.static, evidence.dynamic)))

    def gate_of(self, features: NDArray[np.float64]) -> float:
        """Return how much the evidence of a turn counts, 0 to 1."""
        bias, *weights = self.gate
        return _sigmoid(bias + float(features[_GATE] @ np.array(weights)))

    def log_odds(self, evidence: Evidence, *, is_injection: bool) -> float:
        """Return the log-odds of off purpose from one turn's evidence alone."""
        extra = self.breach * evidence.breach + self.injection * is_injection
        return self._weighed(self.features(evidence)) + extra

    def text_log_odds(self, static: NDArray[np.float64]) -> float:
        """Return the log-odds that one text of a turn is off purpose, whatever went before.

        Args:
            static: Values of `STATIC` for that text alone, such as `Evidence.user_static`.
        """
        average = self.center[len(STATIC) :]
        return self._weighed(self.standardise(np.concatenate((static, average))))

    def _weighed(self, features: NDArray[np.float64]) -> float:
        weighed = float(features @ np.array(self.evidence)) + self.bias
        return weighed * self.gate_of(features)

    def filtered(self, memory: Memory, evidence: Evidence, *, is_injection: bool) -> float:
        """Return the log-odds of off purpose from this turn and all before it."""
        prior = memory.off
        if memory.turns:
            inherited = self._inherited(self.features(evidence))
            prior = inherited * memory.off + (1 - inherited) * _sigmoid(self.prior)
        prior = min(max(prior, _SMALLEST), 1 - _SMALLEST)
        return _logit(prior) + self.log_odds(evidence, is_injection=is_injection)

    def score(self, log_odds: float) -> float:
        """Return the drift score, 0 (off purpose) to 100 (on purpose)."""
        return 100.0 * (1 - _sigmoid(self.score_scale * log_odds + self.score_shift))

    def _inherited(self, features: NDArray[np.float64]) -> float:
        bias, *weights = self.inherit
        return _sigmoid(bias + float(features[_INHERIT] @ np.array(weights)))

    def standardise(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return features, `[…, features]`, in standard deviations; unknown ones as average."""
        found = (values - np.array(self.center)) / np.array(self.scale)
        return np.asarray(np.nan_to_num(np.clip(found, -_LIMIT, _LIMIT)), dtype=np.float64)


def probability(log_odds: float) -> float:
    """Return the probability of log-odds."""
    return _sigmoid(log_odds)


def _sigmoid(value: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(value, -30, 30))))


def _logit(value: float) -> float:
    return float(np.log(value) - np.log1p(-value))
