"""README's section on shared memory tells the truth."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTION = README.partition("## One memory for a fleet")[2].partition("\n## ")[0]


def test_the_example_prints_what_readme_shows(capsys, tmp_path, monkeypatch):
    """The output under the example is the output of that example."""
    monkeypatch.setenv("DRIFTGUARD_SQLITE_FILEPATH", str(tmp_path / "never"))
    (code,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
    (text,) = re.findall(r"```text\n(.*?)```", SECTION, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own README
    assert capsys.readouterr().out == text
    assert not list(tmp_path.iterdir())
