"""Faults that people reported on other systems, each under the law that it broke."""

import math

import pytest

from langchain_drift import assert_no_retriever_drift, detect
from langchain_drift.retrieval.relevance import average_precision, precision

METHODS = [None, "lexical"]


@pytest.mark.parametrize("method", METHODS)
def test_japanese_answers_are_judged(method):
    """ground-02: a Japanese answer that copies its chunk is carried, and its score is finite."""
    report = detect(
        "橋はいつ開通しましたか",
        ["橋は1967年1月15日に開通しました。"],
        "橋は1967年1月15日に開通しました",
        method=method,
    )
    assert report.status == "scored"
    assert math.isfinite(report.drift_score)
    assert not report.drift


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("chunks", [[], ["", "   "], "", None, ["\n\t", "\u3000"]])
def test_an_answer_without_context_never_passes(method, chunks):
    """ground-03 and ground-04: blank chunks are no context, and an answer on them is no pass."""
    report = detect(
        "Who founded the club?", chunks, "It was founded by Ana Reis in 1902.", method=method
    )
    assert report.status == "no_context"
    assert report.drift
    assert report.drift_score == 1
    with pytest.raises(AssertionError, match="no_context"):
        assert_no_retriever_drift("Who founded the club?", chunks, "It was Ana Reis in 1902.")


@pytest.mark.parametrize("method", METHODS)
def test_an_honest_i_do_not_know_is_neither_drift_nor_grounded(method):
    """ground-05: an abstention over chunks without the answer is an abstention."""
    report = detect(
        "Can the kettle be used on a boat?",
        ["The kettle holds 1.7 litres."],
        "I don't know; the manual does not say.",
        method=method,
    )
    assert report.status == "abstained"
    assert not report.drift
    assert report.drift_score == 0.5
    assert report.context_answers is False


@pytest.mark.parametrize("method", METHODS)
def test_an_abstention_over_chunks_with_the_answer_says_so(method):
    """ground-06: not knowing what the chunks tell is no perfect score, and is noted."""
    report = detect(
        "My favourite colour is green. What is my favourite colour?",
        ["My favourite colour is green."],
        "I don't know.",
        method=method,
    )
    assert report.status == "abstained"
    assert report.context_answers is True
    assert "although the chunks" in report.reason
    assert report.drift_score == 0.5


@pytest.mark.parametrize("method", METHODS)
def test_scoring_an_abstention_does_not_raise(method):
    """ground-07: an abstention is reported, not an error."""
    report = detect(
        "How many wheels has the cart?",
        ["The cart has four wheels."],
        "The text does not answer this.",
        method=method,
    )
    assert report.status == "abstained"


@pytest.mark.parametrize("method", METHODS)
def test_a_wrong_number_in_bold_is_named(method):
    """ground-08: markdown does not hide a value that no chunk holds."""
    report = detect(
        "How many people live there?",
        ["The town has 67 thousand inhabitants."],
        "The town has **999** thousand inhabitants.",
        method=method,
    )
    assert report.drift
    assert "999" in report.unsupported


@pytest.mark.parametrize("place", range(4))
def test_the_share_of_relevant_chunks_does_not_depend_on_order(place):
    """ground-09: one relevant chunk of four is a share of 0.25 wherever it stands."""
    chunks = ["Red paint dries fast.", "Bolts come in boxes.", "Rain is likely."]
    chunks.insert(place, "Lima is the capital of Peru.")
    report = detect("capital of Peru", chunks, "Lima.")
    assert report.context_precision == 0.25
    assert report.context_average_precision == 1 / (place + 1)
    assert [each.is_relevant for each in report.chunks].index(True) == place


@pytest.mark.parametrize("count", [1, 3, 7, 50])
def test_a_perfect_ranking_is_exactly_1(count):
    """ground-10: no rounding error in the ranking of relevant chunks."""
    assert average_precision([True] * count) == 1.0
    assert precision([True] * count) == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_a_stranger_is_not_grounded_by_a_matching_question(method):
    """ground-12: question and chunk are the same, the answer is a stranger's name."""
    report = detect("battery density", ["battery density"], "Mario Costa", method=method)
    assert report.drift
    assert "Mario Costa" in report.unsupported


@pytest.mark.parametrize("method", METHODS)
def test_copied_words_do_not_outvote_a_changed_value(method):
    """ground-13: nine of ten words overlap, the tenth is the value that counts."""
    report = detect(
        "limit?",
        ["The daily limit for the account is 500 euros."],
        "The daily limit for the account is 5000 euros.",
        method=method,
    )
    assert report.drift


def test_the_language_is_that_of_the_answer_at_hand():
    """topic-12: an English past does not make a Chinese answer understood."""
    report = detect(
        "请介绍图书馆",
        ["图书馆早上九点开门。"],
        "图书馆早上九点开门。",
        method="semantic",
        history=[("user", "Write a loop"), ("assistant", "for i in range(3): print(i)")],
    )
    assert report.status == "unsupported_language"
    assert not report.drift
    assert report.drift_score == 0.5
