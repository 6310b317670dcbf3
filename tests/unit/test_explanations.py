"""The tables and figures of the explanations are those of the code."""

import re
from pathlib import Path

import pytest

from langchain_drift.conversation import background, evidence
from langchain_drift.conversation.drift_filter import GATE, INHERIT, Weights, probability
from langchain_drift.conversation.verdict import ALARM
from langchain_drift.retrieval.model import shipped

FOLDER = Path(__file__).parents[2] / "docs" / "explanation"
ROW = re.compile(r"^\| `(\w+)` \|(?:[^|\n]*\|)*? ([+-]\d\.\d\d) \|$", re.MULTILINE)
TERM = re.compile(r"`(\w+)` ([+-]\d\.\d\d)")


def section(name, heading):
    """Return the text under a heading of a page, up to the next one."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]


def shown(numbers):
    """Return numbers by name as the tables show them."""
    return {name: f"{value:+.2f}" for name, value in numbers.items()}


def test_the_features_of_a_turn_have_their_weights():
    """The table of features lists every one with its learned weight."""
    features, gates = section("conversation_drift", "The evidence of a turn").split("| term |")
    weights = Weights.shipped()
    names = (*evidence.STATIC, *evidence.DYNAMIC)
    assert dict(ROW.findall(features)) == shown(dict(zip(names, weights.evidence, strict=True)))
    inherit = dict(zip(("bias", *INHERIT), weights.inherit, strict=True))
    assert dict(ROW.findall(gates)) == shown(inherit)
    gate = shown(dict(zip(("bias", *GATE), weights.gate, strict=True)))
    assert all(f"| `{name}` | {weight} |" in gates for name, weight in gate.items())


def test_the_constants_of_the_filter_are_those_in_use():
    """Biases, start and prior, and the probability at the alarm level, are as told."""
    weights = Weights.shipped()
    told = section("conversation_drift", "The evidence of a turn")
    assert f"`bias` is {weights.bias:.2f}" in told
    assert f"+ {weights.breach} · breach + {weights.injection:.0f} · injection" in told
    told = section("conversation_drift", "The filter")
    for odds in (weights.start, weights.prior):
        assert f"{odds:.2f}, a probability of {probability(odds):.2f}" in told
    assert weights.score_scale == 1
    assert f"σ(odds − {-weights.score_shift:.2f})" in told
    low, high = -10.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if weights.score(middle) >= ALARM else (low, middle)
    assert f"probability of {probability(low):.3f}" in told


def test_the_cohort_is_as_large_as_told():
    """The counts of topics, texts, small talk and follow-ups are those of the package."""
    told = section("conversation_drift", "The cohort").replace("\n", " ")
    topics = background.topics()
    assert f"{len(topics)} everyday topics with {len(topics[0].said)} typical texts each" in told
    assert f"{len(background.small_talk())} pieces of small talk" in told
    assert f"{len(background.follow_ups())} follow-ups" in told


@pytest.mark.parametrize(
    ("tier", "heading"), [("lexical", "The lexical tier"), ("semantic", "The semantic tier")]
)
def test_the_features_of_a_sentence_have_their_weights(tier, heading):
    """Both tables of retriever drift list every feature with its learned weight and the bias."""
    told, weights = section("retriever_drift", heading), getattr(shipped(), tier)
    assert dict(ROW.findall(told)) == shown(weights.weights)
    assert f"{weights.bias:.2f}" in told


def test_the_fit_of_chunks_has_its_weights():
    """The table of the question's arrow lists each tier with its weights and bias."""
    told = section("retriever_drift", "Do the chunks fit the question?")
    rows = [line for line in told.splitlines() if TERM.search(line)]
    tiers = ("relevance_lexical", "relevance_sentences", "relevance_semantic")
    assert len(rows) == len(tiers)
    for row, tier in zip(rows, tiers, strict=True):
        weights = getattr(shipped(), tier)
        assert dict(TERM.findall(row)) == shown(weights.weights)
        assert row.endswith(f"{weights.bias:+.2f} |")
