"""The list of examples: whole, and true."""

import re
from pathlib import Path

EXAMPLES = Path(__file__).parents[3] / "examples"
EXTRAS = {
    "langchain": "langchain",
    "langgraph.checkpoint.sqlite": "sqlite",
    "openai": "openai-sdk",
    "pyarrow": "tables",
    "spacy": "spacy",
}
"""What comes with an extra, and with which."""


def test_the_list_names_every_example():
    """Every example is in the list, and every link leads to one."""
    linked = set(re.findall(r"\]\(([^)]+)\)", (EXAMPLES / "README.md").read_text("utf-8")))
    there = {str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*.py")}
    assert linked == there - {"banking_assistant/bank.py"}


def test_ci_runs_every_example():
    """No example lies deeper than where CI looks for it."""
    assert "examples/*.py examples/*/*.py" in (EXAMPLES.parent / ".ci" / "run").read_text("utf-8")
    assert all(len(path.relative_to(EXAMPLES).parts) <= 2 for path in EXAMPLES.rglob("*.py"))


def test_who_needs_an_extra_reads_so_first():
    """The first lines of an example name the extra of what it imports."""
    for path in EXAMPLES.glob("*.py"):
        text = path.read_text("utf-8")
        first = text.split('"""')[1]
        for package, extra in EXTRAS.items():
            if re.search(rf"^(from|import) {re.escape(package)}[ .\n]", text, re.MULTILINE):
                assert f"`{extra}`" in first, f"{path.name} needs {extra}"
