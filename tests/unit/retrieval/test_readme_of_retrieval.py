"""README's examples of retriever drift run and print what it shows."""

import re
from pathlib import Path

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
SECTION = README[README.index("## Does the answer stand") : README.index("## Use other embeddings")]
PYTHON = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
TEXT = re.findall(r"```text\n(.*?)```", SECTION, re.DOTALL)


def run(code):
    names = {}
    exec(compile(code, "README.md", "exec"), names)  # noqa: S102 - our own README
    return names


def test_the_example_of_detect_prints_what_readme_shows(capsys):
    """The output under the example is the output of that example."""
    run(PYTHON[0])
    assert capsys.readouterr().out == TEXT[0]


def test_the_example_of_the_evaluator_runs():
    """The evaluator of README's example scores a grounded answer low."""
    assert run(PYTHON[1])["result"]["score"] < 0.5
