"""The published detector: its numbers are kept, and its faults are not ours."""

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import InvalidInputError, detect, detect_context_drift
from langchain_drift.retrieval.overlap import drift_score, jaccard, terms
from langchain_drift.retrieval.published import detectContextDrift

QUESTION = "What is the capital of France?"
CHUNK = "Paris is the capital of France. It sits on the Seine."


def test_the_published_formula_is_computed_by_hand():
    """`1 - (0.6 · J(answer, chunks) + 0.4 · J(answer, question))` over runs of [a-z0-9]{3,}."""
    answer = {"paris", "the", "capital", "france"}
    chunk = {"paris", "the", "capital", "france", "sits", "seine"}
    question = {"what", "the", "capital", "france"}
    to_chunk = round(len(answer & chunk) / len(answer | chunk), 4)
    to_question = round(len(answer & question) / len(answer | question), 4)
    report = detect(QUESTION, [CHUNK], "Paris is the capital of France.", method="jaccard")
    assert report.answer_terms == answer
    assert report.context_terms == chunk
    assert report.intent_terms == question
    assert report.signals.answer_to_context == to_chunk == 0.6667
    assert report.signals.answer_to_intent == to_question == 0.6
    assert report.drift_score == round(1 - (0.6 * to_chunk + 0.4 * to_question), 4)
    assert report.threshold == 0.65
    assert not report.drift


@pytest.mark.parametrize(
    ("intent", "chunks", "answer", "score"),
    [
        ("", "", "", 0.0),
        ("a question", "some context", "", 1.0),
        ("", "", "Paris", 1.0),
        ("What is the capital of France?", ["Paris is the capital of France."], "Cats nap.", 1.0),
    ],
)
def test_published_scores_of_empty_and_foreign_texts_are_kept(intent, chunks, answer, score):
    """The jaccard method gives the published numbers for empty texts, too."""
    report = detect(intent, chunks, answer, method="jaccard")
    assert report.drift_score == score
    assert report.drift == (score > 0.65)


def test_the_threshold_itself_is_no_drift():
    """The published detector compares with `>`."""
    report = detect(QUESTION, [CHUNK], "Paris is the capital of France.", method="jaccard")
    assert not report.at(report.drift_score).drift
    assert report.at(report.drift_score - 0.0001).drift


def test_signals_are_read_by_attribute_and_by_key():
    """`report.signals["answer_to_context"]`, as the published README uses it, works."""
    report = detect(QUESTION, [CHUNK], "Paris is the capital of France.")
    assert report.signals["answer_to_context"] == report.signals.answer_to_context
    assert set(dict(report.signals)) == {
        "intent_to_context",
        "answer_to_context",
        "answer_to_intent",
    }
    with pytest.raises(KeyError):
        _ = report.signals["unknown"]


def test_detect_context_drift_has_the_published_parameters():
    """The alias takes query, context, answer, threshold and min_term_len by keyword."""
    report = detect_context_drift(
        query=QUESTION, context=CHUNK, answer="Paris", threshold=0.5, min_term_len=2
    )
    same = detect(QUESTION, CHUNK, "Paris", threshold=0.5, min_term_len=2, method="jaccard")
    assert report == same
    assert "is" in report.context_terms
    assert detectContextDrift is detect_context_drift
    published = {"threshold": 0.65, "min_term_len": 3}
    parameters = inspect.signature(detect_context_drift).parameters
    assert list(parameters) == ["query", "context", "answer", *published]
    assert {each.kind for each in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert {name: parameters[name].default for name in published} == published


@pytest.mark.parametrize("length", [0, -1, True, 2.5])
def test_an_unusable_term_length_is_refused(length):
    """The published detector took -1; ours says what is needed."""
    with pytest.raises(InvalidInputError, match="min_term_len"):
        detect("q", ["c"], "a", method="jaccard", min_term_len=length)


def test_the_term_length_is_refused_elsewhere():
    """A parameter of one method is not silently ignored by another."""
    with pytest.raises(InvalidInputError, match="jaccard"):
        detect("q", ["c"], "a", method="lexical", min_term_len=3)


@pytest.mark.parametrize("threshold", [float("nan"), -0.1, 1.1, "0.5", True])
def test_an_unusable_threshold_is_refused(threshold):
    """A threshold of NaN, with which nothing ever drifts, is refused."""
    with pytest.raises(InvalidInputError, match="threshold"):
        detect("q", ["c"], "a", threshold=threshold)


FOUR = [
    "The library opens at nine in the morning and closes at six.",
    "Members may borrow ten books for three weeks.",
    "Guests pay two euros a day at the desk near the stairs.",
    "The reading room on the second floor is quiet.",
]


@pytest.mark.parametrize("method", ["semantic", "lexical"])
def test_a_verbatim_copy_of_one_of_four_chunks_is_no_drift(method):
    """The published detector calls it drift, since three chunks are not copied."""
    question = "How many books may members borrow?"
    assert detect(question, FOUR, FOUR[1], method="jaccard").drift
    report = detect(question, FOUR, FOUR[1], method=method)
    assert not report.drift
    assert report.sentences[0].chunk == 1
    assert report.sentences[0].support == FOUR[1]


@pytest.mark.parametrize(
    ("chunk", "good", "bad"),
    [
        ("Besançon liegt am Doubs.", "Besançon liegt am Doubs.", "Die Katze mag Thunfisch."),
        ("Музей находится на площади.", "Музей находится на площади.", "Кошки любят рыбу."),
        ("图书馆早上九点开门。", "图书馆早上九点开门。", "猫喜欢吃鱼和睡觉。"),
        ("पुस्तकालय सुबह नौ बजे खुलता है।", "पुस्तकालय सुबह नौ बजे खुलता है।", "बिल्ली मछली खाती है।"),
        ("المكتبة تفتح في التاسعة.", "المكتبة تفتح في التاسعة.", "القطط تحب السمك."),
    ],
)
def test_accents_and_other_scripts_are_read(chunk, good, bad):
    """Copies are carried and strangers are not, whatever the script."""
    assert not detect("?", [chunk], good).drift
    assert detect("?", [chunk], bad).drift


@pytest.mark.parametrize("method", ["semantic", "lexical"])
@pytest.mark.parametrize(
    "answer",
    [
        "The daily limit for the account is 5000 euros.",
        "The daily limit for the account is **5000** euros.",
        "The daily limit for the account is 5,000 euros.",
    ],
)
def test_a_changed_number_is_drift_and_is_named(method, answer):
    """A number that no chunk holds is drift however much else is copied, in bold too."""
    chunks = ["The daily limit for the account is 500 euros."]
    report = detect("What is the limit?", chunks, answer, method=method)
    assert report.drift
    assert report.unsupported[0].replace(",", "") == "5000"


@pytest.mark.parametrize("method", ["semantic", "lexical"])
@pytest.mark.parametrize(
    ("chunk", "answer"),
    [
        ("Refunds are paid within ten days.", "Refunds are not paid within ten days."),
        ("The card cannot be used abroad.", "The card can be used abroad."),
        ("The rule blocks mail from new senders.", "The rule allows mail from new senders."),
    ],
)
def test_a_negated_fact_is_drift(method, chunk, answer):
    """An answer that denies what its source says is drift however much is copied."""
    report = detect("What about it?", [chunk], answer, method=method)
    assert report.drift
    assert report.sentences[0].contradicted
    assert "contradicts" in report.reason


def test_no_context_is_not_a_type_error():
    """The published detector fails on None."""
    assert detect("q", None, "Some claim.").status == "no_context"


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80), st.integers(1, 5))
def test_the_published_score_stays_between_0_and_1(intent, chunk, answer, length):
    """Whatever the texts, the score is a number from 0 to 1."""
    report = detect(intent, chunk, answer, method="jaccard", min_term_len=length)
    assert 0 <= report.drift_score <= 1


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_overlap_is_symmetric(left, right):
    """The overlap of two texts does not depend on their order."""
    mine, other = terms(left, 3), terms(right, 3)
    assert jaccard(mine, other) == jaccard(other, mine)
    assert drift_score(1.0, 1.0) == 0
