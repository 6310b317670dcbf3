"""The repository keeps its own rules."""

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_test_files_have_names_of_their_own():
    """A failing `test_x.py` can be found by its name: no two test files share one."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert names
    assert [name for name, count in names.items() if count > 1] == []
