"""docs/tuning_the_guard.md tells the truth: all settings, their defaults, and what they cost."""

import json
import re
from pathlib import Path

import pytest

from langchain_drift import DriftGuard, DriftGuardSettings
from langchain_drift.evaluation import evaluate_memory, read_labelled_steps
from langchain_drift.mistakes.confidence import confidence

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs/tuning_the_guard.md").read_text(encoding="utf-8")
STEPS = list(read_labelled_steps(ROOT / "tests/data/steps_a.jsonl"))
DEFAULTS = dict(re.findall(r"^\| `([a-z_]+)` \| (`[^`]+`|empty) \|", GUIDE, re.MULTILINE))
ROWS = re.findall(
    r"^\| (as shipped|`DRIFTGUARD_\w+=[^`]+`)((?: \| \d\.\d\d){4}) \|$", GUIDE, re.MULTILINE
)


def test_every_setting_is_told_with_its_default():
    """The table of settings has all of them, with the defaults in use."""
    fields = DriftGuardSettings.model_fields
    assert set(DEFAULTS) == set(fields)
    for name, told in DEFAULTS.items():
        default = fields[name].default
        assert told == ("empty" if default == "" else f"`{default}`")


@pytest.mark.parametrize(("environment", "figures"), ROWS)
def test_the_figures_are_measured(monkeypatch, environment, figures):
    """Each row of the table of costs is what the settings of its environment give."""
    if "=" in environment:
        monkeypatch.setenv(*environment.strip("`").split("="))
    found = evaluate_memory(STEPS)
    shares = (found.warnings.tpr, found.warnings.fpr, found.blocks.tpr, found.blocks.fpr)
    assert [f"{share:.2f}" for share in shares] == figures.split(" | ")[1:]


def test_there_are_rows_to_measure():
    """The pattern finds the table."""
    assert len(ROWS) == 9


def test_the_number_of_sightings_that_block():
    """One sighting blocks from 0.66 down; 0.9 wants six."""
    assert confidence(1, 1, 0) > 0.66
    assert confidence(5, 5, 0) < 0.9 < confidence(6, 6, 0)


def test_the_example_lines_are_labelled_steps(tmp_path):
    """The three lines that the guide shows can be measured, and the repeat is caught."""
    lines = re.search(r"```json\n(.*?)```", GUIDE, re.DOTALL)[1]
    (tmp_path / "steps.jsonl").write_text(lines)
    found = evaluate_memory(read_labelled_steps(tmp_path / "steps.jsonl"))
    assert (found.steps, found.warnings.tpr, found.warnings.fpr) == (3, 1, 0)
    assert all(json.loads(line)["env"] == "shop-db" for line in lines.splitlines())


def test_a_changed_setting_changes_a_guard(monkeypatch):
    """A variable that the guide names acts on a guard in Python as well."""
    monkeypatch.setenv("DRIFTGUARD_STORAGE_BACKEND", "memory")
    monkeypatch.setenv("DRIFTGUARD_GUARD_MIN_CONFIDENCE", "0.6")
    guard = DriftGuard()
    guard.record("run[x]", "failed")
    assert guard.review("run[x]").blocking(guard.settings.guard_min_confidence)
