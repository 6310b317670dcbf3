"""README tells the truth: its code runs and prints what it shows."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TEXT = re.findall(r"```text\n(.*?)```", README, re.DOTALL)


def run(code):
    names = {}
    exec(compile(code, "README.md", "exec"), names)  # noqa: S102 - our own README
    return names


def test_the_first_example_prints_what_readme_shows(capsys):
    """The output under README's first example is the output of that example."""
    run(PYTHON[0])
    assert capsys.readouterr().out == TEXT[0]


def test_the_handler_example_prints_what_readme_shows(capsys):
    """The output under README's example of the handler is the output of that example."""
    (number,) = [n for n, code in enumerate(PYTHON) if "DriftCallbackHandler(" in code]
    run(PYTHON[number])
    assert capsys.readouterr().out == TEXT[number]


def test_the_scorer_example_runs():
    """README's example of the pure scorer runs and leaves a result on purpose."""
    (example,) = [code for code in PYTHON if "DriftScorer(" in code]
    assert run(example)["result"].drift.verdict == "fresh"


def test_the_examples_of_sessions_print_what_readme_shows(capsys):
    """The outputs under README's examples of the file and of the graph are theirs."""
    for sign in ("persist_path", "make_score_node("):
        (code,) = [code for code in PYTHON if sign in code]
        run(code)
        assert capsys.readouterr().out in TEXT


def test_the_measuring_example_runs(tmp_path, monkeypatch, capsys):
    """README's example of fitting and evaluating runs on the labelled chats of the repository."""
    (example,) = [code for code in PYTHON if "read_labelled(" in code]
    chats = (ROOT / "tests/data/conversations_c.jsonl").read_text(encoding="utf-8")
    (tmp_path / "labelled.jsonl").write_text("\n".join(chats.splitlines()[:6]), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    run(example)
    assert "tpr=" in capsys.readouterr().out


def test_the_guard_example_prints_what_readme_shows(capsys):
    """The output under README's example of the guard is the output of that example."""
    (example,) = [code for code in PYTHON if "guard_step(" in code]
    run(example)
    shown = README.split(example)[1].split("```text\n")[1].split("```")[0]
    assert capsys.readouterr().out == shown


def test_the_agent_example_prints_what_readme_shows(capsys, optional_package):
    """The output under README's example of an agent is the output of that example."""
    optional_package("langchain")
    (example,) = [code for code in PYTHON if "DriftMiddleware(" in code]
    run(example)
    shown = README.split(example)[1].split("```text\n")[1].split("```")[0]
    assert capsys.readouterr().out == shown
