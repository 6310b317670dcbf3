"""The model: a handful of learned weights that turn evidence into the probability of drift."""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from langchain_drift.retrieval.evidence import Evidence


class Weights(BaseModel):
    """Weights of one tier; learned by `scripts/fit_grounding.py`.

    Attributes:
        bias: Log-odds of drift without evidence.
        weights: Log-odds added for each unit of a feature; see `Evidence.features`.
    """

    model_config = ConfigDict(frozen=True)

    bias: float
    weights: Mapping[str, float]

    def log_odds(self, features: Mapping[str, float]) -> float:
        """Return the log-odds that a sentence with these features is not grounded."""
        return self.bias + sum(weight * features[name] for name, weight in self.weights.items())


class Model(BaseModel):
    """The weights of each tier: of words, of vectors of sentences, and of those of tokens too.

    Those of `relevance` belong to the arrow from the question to the chunks.
    """

    model_config = ConfigDict(frozen=True)

    lexical: Weights
    sentences: Weights
    semantic: Weights
    relevance_lexical: Weights
    relevance_sentences: Weights
    relevance_semantic: Weights


@cache
def shipped() -> Model:
    """Return the weights that come with the package."""
    text = (files("langchain_drift.retrieval") / "weights.json").read_text(encoding="utf-8")
    return Model.model_validate_json(text)


def probability(log_odds: float) -> float:
    """Return the probability for log-odds, without overflow."""
    return 0.5 * (1 + math.tanh(log_odds / 2))


def pooled(found: Sequence[Evidence], log_odds: Sequence[float]) -> float:
    """Return the log-odds of an answer: the mean of its sentences, by what each says."""
    total = sum(each.weight for each in found)
    return sum(each.weight * odds for each, odds in zip(found, log_odds, strict=True)) / total
