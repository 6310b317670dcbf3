"""Replaying labelled steps against a mistake memory."""

import json
from pathlib import Path

import pytest

from langchain_drift import DriftGuardSettings, InvalidInputError
from langchain_drift.evaluation import LabelledStep, evaluate_memory, read_labelled_steps
from langchain_drift.evaluation.metrics import share_interval

WRITTEN = Path(__file__).parents[2] / "data" / "steps_a.jsonl"
MISSING = "head: /srv/a: No such file or directory"


def step(trace, action, *, warn, failed=False, feedback="ok", env="", repeat=None):
    """Return a labelled step."""
    return LabelledStep(
        trace=trace,
        env=env,
        action=action,
        feedback=feedback,
        failed=failed,
        should_warn=warn,
        repeat=repeat,
    )


def failure(trace, action, *, warn, **more):
    """Return a labelled step that failed."""
    return step(trace, action, warn=warn, failed=True, feedback=MISSING, **more)


def test_a_repeat_is_foreseen_and_counted_by_its_kind():
    """A run is asked about what earlier runs met, and told when it is over."""
    found = evaluate_memory(
        [
            failure("1", "head -n 3 /srv/a", warn=None),
            step("1", "head -n 3 /srv/b", warn=0),
            failure("2", "head -n 3 /srv/a", warn=1, repeat="exact"),
            failure("2", "head -c 80 /srv/a | wc -w", warn=1, repeat="cause"),
            step("2", "ls /srv", warn=0),
        ]
    )
    assert (found.steps, found.failures) == (5, 3)
    assert (found.warnings.tpr, found.warnings.fpr) == (1, 0)
    assert {kind: (each.n, each.share) for kind, each in found.by_repeat.items()} == {
        "exact": (1, 1),
        "cause": (1, 1),
    }
    assert found.same_text.tpr == 0.5
    assert found.blocks.tpr == 0


def test_nothing_is_known_before_its_run_is_over():
    """A repeat within a run is not foreseen, nor one in another place."""
    found = evaluate_memory(
        [
            failure("1", "head -n 3 /srv/a", warn=1),
            failure("1", "head -n 3 /srv/a", warn=1),
            failure("2", "head -n 3 /srv/a", warn=1, env="elsewhere"),
        ]
    )
    assert found.warnings.tpr == found.same_text.tpr == found.word_overlap.tpr == 0


def test_the_plain_memories_are_what_they_say():
    """One knows texts, the other warns where 60 % of the words are shared."""
    found = evaluate_memory(
        [
            failure("1", "copy the weekly report to the archive", warn=None),
            step("2", "copy the weekly report to the printer", warn=0),
            step("2", "write a poem", warn=0),
        ]
    )
    assert found.same_text.fpr == 0
    assert found.word_overlap.fpr == 0.5


def test_the_settings_count():
    """Sure warnings only, if the settings say so; tool calls are steps too."""
    call = {"name": "refund", "args": {"order": 7}}
    steps = [failure("1", call, warn=None), failure("2", call, warn=1)]
    strict = DriftGuardSettings(retrieval_min_confidence=0.9)
    assert evaluate_memory(steps).warnings.tpr == 1
    assert evaluate_memory(steps, settings=strict).warnings.tpr == 0


def test_nothing_to_count_is_none():
    """No steps, no figures, no error."""
    found = evaluate_memory([])
    assert (found.steps, found.warnings.tpr, found.ms_per_review) == (0, None, None)
    assert found.caught_interval is None


def test_the_written_steps_keep_their_figures():
    """The figures that README quotes for the steps of this repository."""
    found = evaluate_memory(read_labelled_steps(WRITTEN))
    assert (found.steps, found.warnings.n_pos, found.warnings.n_neg) == (101, 26, 58)
    assert found.warnings.tpr >= 0.7
    assert found.warnings.fpr <= 0.07
    assert found.warnings.tpr > found.word_overlap.tpr > found.same_text.tpr
    assert found.blocks.fpr == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("3", "line 2 holds 3"),
        ('{"trace": "1"}', "action"),
        ('{"trace": "1", "action": "a", "failed": true, "should_warn": 2}', "should_warn"),
        ("{", "not JSON"),
    ],
)
def test_an_unusable_line_is_named(tmp_path, line, said):
    """The error tells the line and what is wrong with it."""
    good = {"trace": 1, "action": "a", "failed": 1, "should_warn": None, "more": "ignored"}
    path = tmp_path / "steps.jsonl"
    path.write_text(f"{json.dumps(good)}\n{line}\n")
    with pytest.raises(InvalidInputError, match=said):
        list(read_labelled_steps(path))


@pytest.mark.parametrize(
    ("rate", "total", "expected"),
    [
        (0.0, 0, None),
        (None, 5, None),
        (0.0, 10, (0, 0.278)),
        (1.0, 13, (0.772, 1)),
        (0.5, 100, (0.404, 0.596)),
    ],
)
def test_the_interval_of_a_share(rate, total, expected):
    """Wilson's interval, by published values; never empty at 0 or 1."""
    found = share_interval(rate, total)
    assert found == (None if expected is None else pytest.approx(expected, abs=0.001))
