"""`langchain-drift evaluate memory` on a real file."""

import json
import sys
from pathlib import Path

from langchain_drift.cli import program

WRITTEN = Path(__file__).parents[2] / "data" / "steps_a.jsonl"


def run(monkeypatch, capsys, *arguments):
    """Run the command and return its exit code and output."""
    monkeypatch.setattr(sys, "argv", ["langchain-drift", "evaluate", "memory", *arguments])
    return program.run(), *capsys.readouterr()


def test_the_figures_are_written_as_table_and_json(monkeypatch, capsys):
    """Both formats tell the same, beside what plain memories would reach."""
    code, text, _ = run(monkeypatch, capsys, str(WRITTEN), "--format", "json")
    found = json.loads(text)["steps_a"]
    assert code == 0
    assert found["warnings"]["n_pos"] == 26
    _, table, _ = run(monkeypatch, capsys, str(WRITTEN))
    assert f"{found['warnings']['tpr']:.3f}" in table
    assert f"{found['word_overlap']['tpr']:.3f} / {found['word_overlap']['fpr']:.3f}" in table


def test_settings_and_limit_count(monkeypatch, capsys):
    """The environment sets thresholds; `--limit` takes the first steps."""
    monkeypatch.setenv("DRIFTGUARD_RETRIEVAL_MIN_CONFIDENCE", "1")
    _, text, _ = run(monkeypatch, capsys, str(WRITTEN), "--format", "json", "--limit", "20")
    found = json.loads(text)["steps_a"]
    assert (found["steps"], found["warnings"]["tpr"]) == (20, 0)
    monkeypatch.setenv("DRIFTGUARD_RETRIEVAL_MIN_CONFIDENCE", "2")
    code, _, said = run(monkeypatch, capsys, str(WRITTEN))
    assert code == 2
    assert "DRIFTGUARD_RETRIEVAL_MIN_CONFIDENCE is '2'" in said
