"""docs/migration.md tells the truth: no published name is missing, and what it points to exists.

`tests/data/published_names_1_2.json` lists the public names of context-drift-analyzer 0.5.0, and
those that context-decay-drift 0.3.0 has besides.
"""

import inspect
import json
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import typer.main

import langchain_drift
from langchain_drift.cli.app import app

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/migration.md").read_text(encoding="utf-8")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
PUBLISHED = json.loads((ROOT / "tests/data/published_names_1_2.json").read_text(encoding="utf-8"))
SPAN = re.compile(r"`([^`]+)`")
PYTHON = re.compile(r"([A-Za-z_][\w.]*)(?:\(([\w, ]*)\))?")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in GUIDE.splitlines()
    if line.startswith("| `")
]
OURS = sorted({span for row in ROWS for span in SPAN.findall(row[1])})
TALKED_OF = sorted(
    {
        span
        for span in SPAN.findall(GUIDE)
        if span.startswith(("langchain_drift.", "langchain-drift"))
    }
)
SAMPLES = {
    name: getattr(langchain_drift, name)(*given)
    for name, given in {
        "DriftTracker": ["Help with cards."],
        "DriftScorer": ["Help with cards."],
        "PurposeStrategy": [],
        "PublishedFormulaStrategy": [],
        "KeywordStrategy": [],
        "TokenOverlapStrategy": [],
        "CompositeStrategy": [[langchain_drift.KeywordStrategy()]],
        "ContextManager": ["Help with cards."],
        "SessionMemoryStore": [],
    }.items()
}


def member(found, name):
    """Return a module's or a class's member; None for a field, which only an object has.

    Raises:
        AttributeError: If there is no such member.
    """
    fields = getattr(found, "__dataclass_fields__", {}) | getattr(found, "model_fields", {})
    if name in fields:
        return None
    if inspect.ismodule(found) and not hasattr(found, name):
        return import_module(f"{found.__name__}.{name}")
    owner = found if hasattr(found, name) else SAMPLES.get(found.__name__)
    return getattr(owner, name)


def resolve(dotted):
    """Return what a dotted name of ours stands for."""
    found = langchain_drift
    for name in dotted.removeprefix("langchain_drift").strip(".").split("."):
        try:
            found = member(found, name) if name else found
        except (AttributeError, ModuleNotFoundError) as error:
            message = f"{dotted}: {found} has no {name}"
            raise AssertionError(message) from error
    return found


def check_command(words):
    """Check that each command exists and has the options named after it."""
    command, seen = typer.main.get_command(app), []
    for word in words:
        if word.startswith("--"):
            options = {option for parameter in command.params for option in parameter.opts}
            assert word in options, f"{command.name} has no option {word}"
        else:
            assert word in command.commands, f"{command.name} has no command {word}"
            command = command.commands[word]
        seen.append(word)
    assert seen == words


def check(span):
    """Check that a name, a parameter, a command or an extra of ours exists."""
    if span.startswith("langchain-drift["):
        assert span.removeprefix("langchain-drift[").rstrip("]") in EXTRAS
        return
    if span.startswith("langchain-drift"):
        check_command(span.split()[1:])
        return
    dotted, arguments = PYTHON.fullmatch(span).groups()
    found = resolve(dotted)
    if arguments is not None:
        assert callable(found), f"{span} cannot be called"
        parameters = inspect.signature(found).parameters if arguments else {}
        assert set(filter(None, arguments.split(", "))) <= set(parameters), span


@pytest.mark.parametrize("package", PUBLISHED)
def test_every_published_name_is_in_a_table(package):
    """A user of a published package finds each of its names in a first column."""
    told = {span for row in ROWS for span in SPAN.findall(row[0])}
    names = {name for group in PUBLISHED[package].values() for name in group}
    assert names
    assert names - told == set()


def test_no_table_tells_of_a_name_that_was_not_published():
    """The first columns hold published names only, and each once."""
    told = [span for row in ROWS for span in SPAN.findall(row[0])]
    names = {name for groups in PUBLISHED.values() for group in groups.values() for name in group}
    assert set(told) - names == set()
    assert len(told) == len(set(told))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:60])
def test_every_name_has_an_answer(row):
    """A name is ours, or is gone for a reason."""
    _, here, note = row
    assert SPAN.findall(here) or here == "gone"
    assert note or here != "gone"


@pytest.mark.parametrize("span", sorted({*OURS, *TALKED_OF}))
def test_what_the_guide_points_to_exists(span):
    """Every name, parameter, command, option and extra of the second column is there."""
    check(span)


@pytest.mark.parametrize(
    "span",
    [
        "DriftTracker.nothing",
        "DriftTracker(keep)",
        "Nothing",
        "langchain_drift.text.nothing()",
        "langchain-drift state",
        "langchain-drift score --file",
        "langchain-drift[semantic]",
        "DriftScore.score()",
    ],
)
def test_the_check_finds_what_is_missing(span):
    """What does not exist fails the check above."""
    with pytest.raises(AssertionError):
        check(span)


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL))
def test_the_code_of_the_guide_runs(code):
    """Each example of the guide runs and leaves a tracker that scores."""
    names = {}
    exec(compile(code, "migration.md", "exec"), names)  # noqa: S102 - our own guide
    trackers = [each for each in names.values() if isinstance(each, langchain_drift.DriftTracker)]
    assert trackers
    for tracker in trackers:
        assert tracker.record_turn(
            "Which loans are there?", "Home loans and car loans."
        ).explanation
