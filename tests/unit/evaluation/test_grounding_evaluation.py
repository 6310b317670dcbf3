import json
from pathlib import Path

import pytest

from langchain_drift import InvalidInputError, RetrieverDriftDetector
from langchain_drift.evaluation import (
    LabelledAnswer,
    evaluate_grounding,
    read_labelled_answers,
)

DATA = Path(__file__).parent.parent.parent / "data"
CHUNKS = ("The daily limit is 500 euros.", "Cards cost 12 euros.")
ROWS = [
    LabelledAnswer(id="1", contexts=CHUNKS, answer="The daily limit is 500 euros.", label=0),
    LabelledAnswer(id="2", contexts=CHUNKS, answer="The daily limit is 900 euros.", label=1),
    LabelledAnswer(id="3", contexts=CHUNKS, answer="Cards cost 12 euros.", label=0),
    LabelledAnswer(id="4", contexts=(), answer="Cards cost nothing.", label=1),
    LabelledAnswer(id="5", contexts=CHUNKS, answer="I don't know.", label=0),
]


def test_the_figures_count_what_the_reports_say():
    """Ranking, decision and statuses are those of the rows."""
    found = evaluate_grounding(ROWS)
    assert (found.rows, found.drift_rows) == (5, 2)
    assert found.auroc == 1
    assert found.decision.tpr == 1
    assert found.decision.fpr == 0
    assert found.best_balanced_accuracy == 1
    assert found.not_scored == {"abstained": 1, "no_context": 1}
    assert found.threshold == 0.5


def test_nothing_to_count_gives_none():
    """A set of one kind has no ranking, and an empty one no figures."""
    found = evaluate_grounding(ROWS[:1])
    assert found.auroc is None
    assert found.best_threshold is None
    assert evaluate_grounding([]).decision.tpr is None


def test_rows_without_an_answer_are_judged_by_their_chunks():
    """An empty answer in labelled data means that question and chunks are labelled."""
    fits = LabelledAnswer(id="1", question="What do cards cost?", contexts=CHUNKS, label=0)
    fails = LabelledAnswer(id="2", question="Who founded Rome?", contexts=CHUNKS, label=1)
    found = evaluate_grounding([fits, fails])
    assert found.auroc == 1
    assert found.not_scored == {}


def test_labelled_answers_are_read_and_faults_told_by_line(tmp_path):
    """A bad row is named by its line, with what is wrong in it."""
    path = tmp_path / "rows.jsonl"
    good = {"contexts": "one chunk", "answer": "a", "label": 1, "history": [{"content": "hi"}]}
    path.write_text(json.dumps(good) + "\n", encoding="utf-8")
    (row,) = read_labelled_answers(path)
    assert row.contexts == ("one chunk",)
    assert row.history == ("hi",)
    path.write_text(json.dumps(good) + '\n{"contexts": [], "label": 7}\n', encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"line 2, label"):
        list(read_labelled_answers(path))
    path.write_text("[1]", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="line 1"):
        list(read_labelled_answers(path))


@pytest.mark.parametrize(
    ("name", "method", "least"),
    [
        ("grounding_a", None, 0.72),
        ("grounding_b", None, 0.73),
        ("grounding_b", "lexical", 0.72),
    ],
)
def test_the_ranking_of_our_own_hard_answers_is_kept(name, method, least):
    """The written sets of near copies and paraphrases rank as well as they did when published."""
    rows = read_labelled_answers(DATA / f"{name}.jsonl")
    found = evaluate_grounding(rows, detector=RetrieverDriftDetector(method=method))
    assert found.auroc >= least
    assert found.decision.fpr <= 0.35
