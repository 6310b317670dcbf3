"""The documented formula, computed by hand (ground-14: figure and code must not differ)."""

import math

import pytest

from langchain_drift import detect
from langchain_drift.retrieval.model import probability, shipped
from langchain_drift.retrieval.rarity import weight_of


def test_the_documented_formula_of_the_lexical_tier_is_computed_by_hand():
    """Each feature of a small case is counted by hand; log-odds are bias plus weights times them.

    The chunk is "cats eat fish", the answer "cats eat birds". No chunk holds "birds". Of the two
    pairs of neighbours one is in the chunk. The pair "cats eat" stands in order, "eat birds"
    nowhere. There is no number, name or contradiction.
    """
    cats, eat, birds = map(weight_of, ("cats", "eat", "birds"))
    features = {
        "unknown": birds / (cats + eat + birds),
        "phrases": 1 / 2,
        "order": (eat + birds) / ((cats + eat) + (eat + birds)),
        "number": 0.0,
        "name": 0.0,
        "contradiction": 0.0,
    }
    weights = shipped().lexical
    assert set(weights.weights) == set(features)
    odds = weights.bias + sum(weights.weights[name] * features[name] for name in features)
    report = detect(None, ["cats eat fish"], "cats eat birds", method="lexical")
    assert report.drift_score == pytest.approx(1 / (1 + math.exp(-odds)))
    assert report.precision == pytest.approx(1 - features["unknown"])


def test_words_apart_are_worth_less_the_farther_they_are():
    """A pair two words farther apart than in the answer loses `1 - exp(-2/3)` of its credit."""
    report = detect(None, ["cats that also eat fish"], "cats eat", method="lexical")
    weights = shipped().lexical
    features = {"phrases": 1.0, "order": 1 - math.exp(-2 / 3)}
    odds = weights.bias + sum(weights.weights[name] * features[name] for name in features)
    assert report.drift_score == pytest.approx(1 / (1 + math.exp(-odds)))


def test_sentences_count_by_what_they_say():
    """The log-odds of an answer are those of its sentences, weighted by their content words."""
    chunk = "Cats eat fish. Dogs chase cars."
    report = detect(None, [chunk], "Cats eat fish. Owls hunt voles at night.", method="lexical")
    first, second = report.sentences
    odds = [math.log(each.drift_score / (1 - each.drift_score)) for each in report.sentences]
    mean = (first.weight * odds[0] + second.weight * odds[1]) / (first.weight + second.weight)
    assert report.drift_score == pytest.approx(probability(mean))


def test_a_changed_number_in_a_long_answer_is_drift():
    """One sentence with a number that no chunk holds makes its answer drift, however long."""
    good = ["The library opens at nine.", "Members borrow ten books.", "Guests pay two euros."]
    bad = "The reading room closes at 17 o'clock."
    chunks = [*good, "The reading room closes at 18 o'clock."]
    report = detect("When?", chunks, " ".join([*good, bad]), method="lexical")
    assert report.drift
    assert report.unsupported == ("17",)
    assert [each.drift_score > 0.5 for each in report.sentences] == [False, False, False, True]


@pytest.mark.parametrize("tier", ["lexical", "sentences", "semantic"])
def test_the_shipped_weights_are_a_handful_and_speak_against_an_answer(tier):
    """No tier has more than ten weights; none is negative but that of the size of the chunks."""
    weights = getattr(shipped(), tier).weights
    assert len(weights) <= 10
    assert all(value >= 0 for name, value in weights.items() if name != "size")
