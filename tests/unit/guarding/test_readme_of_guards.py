"""README's section on guards tells the truth."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent.parent
SECTION = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Guard a graph")[2]
PYTHON = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
TEXT = re.findall(r"```text\n(.*?)```", SECTION, re.DOTALL)


def run(code, **names):
    exec(compile(code, "README.md", "exec"), names)  # noqa: S102 - our own README
    return names


def test_the_example_of_the_graph_prints_what_readme_shows(capsys):
    """The output under the example is the output of that example."""
    run(PYTHON[0])
    assert capsys.readouterr().out == TEXT[0]


def test_the_example_of_the_agent_runs(agents, kit, tmp_path, monkeypatch):
    """The agent and the tool node of README can be made as they stand there."""
    monkeypatch.setenv("DRIFTGUARD_SQLITE_FILEPATH", str(tmp_path / "memory.sqlite3"))
    made = run(PYTHON[1], model=kit.FakeModel("done"), tools=[])
    assert made["agent"].invoke({"messages": [("user", "q")]})["messages"][-1].text == "done"
    assert made["wrapper"].errors == {}
    made["guard"].close()
