"""The guides for those who move tell the truth: no published name is missing, all of ours exist.

`tests/data/published_names_1_2.json` lists the public names of context-drift-analyzer 0.5.0, and
those that context-decay-drift 0.3.0 has besides; `published_names_3.json` those of
context-drift-detector-py, `published_names_4.json` those of driftguard-ai.
"""

import inspect
import json
import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import is_typeddict

import pytest
import typer.main

import langchain_drift
from langchain_drift.cli.app import app

ROOT = Path(__file__).parents[2]
GUIDES = {
    "migration.md": "published_names_1_2.json",
    "migration_context_drift_detector.md": "published_names_3.json",
    "migration_driftguard_ai.md": "published_names_4.json",
}
TEXTS = {guide: (ROOT / "docs" / guide).read_text(encoding="utf-8") for guide in GUIDES}
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
PUBLISHED = {
    guide: json.loads((ROOT / "tests/data" / names).read_text(encoding="utf-8"))
    for guide, names in GUIDES.items()
}
PACKAGES = [(guide, package) for guide, packages in PUBLISHED.items() for package in packages]
SPAN = re.compile(r"`([^`]+)`")
PYTHON = re.compile(r"([A-Za-z_][\w.]*)(?:\(([\w, ]*)\))?")
ROWS = {
    guide: [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| `")
    ]
    for guide, text in TEXTS.items()
}
OURS = {span for rows in ROWS.values() for row in rows for span in SPAN.findall(row[1])}
TALKED_OF = {
    span
    for text in TEXTS.values()
    for span in SPAN.findall(text)
    if span.startswith(("langchain_drift.", "langchain-drift"))
}
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


MEMORY = langchain_drift.DriftGuardSettings(storage_backend="memory")
SAMPLES |= {
    "DriftGuardRuntime": langchain_drift.DriftGuardRuntime(MEMORY),
    "DriftGuard": langchain_drift.DriftGuard(settings=MEMORY),
}


def member(found, name):
    """Return a module's or a class's member; None for a field, which only an object has.

    Raises:
        AttributeError: If there is no such member.
    """
    fields = {
        *getattr(found, "__dataclass_fields__", {}),
        *getattr(found, "model_fields", {}),
        *(found.__annotations__ if is_typeddict(found) else {}),
    }
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


@pytest.mark.parametrize(("guide", "package"), PACKAGES)
def test_every_published_name_is_in_a_table(guide, package):
    """A user of a published package finds each of its names in a first column."""
    told = {span for row in ROWS[guide] for span in SPAN.findall(row[0])}
    names = {name for group in PUBLISHED[guide][package].values() for name in group}
    assert names
    assert names - told == set()


@pytest.mark.parametrize("guide", GUIDES)
def test_no_table_tells_of_a_name_that_was_not_published(guide):
    """The first columns hold published names only, and each once."""
    told = [span for row in ROWS[guide] for span in SPAN.findall(row[0])]
    packages = PUBLISHED[guide].values()
    names = {name for groups in packages for group in groups.values() for name in group}
    assert set(told) - names == set()
    assert len(told) == len(set(told))


@pytest.mark.parametrize("row", [row for rows in ROWS.values() for row in rows])
def test_every_name_has_an_answer(row):
    """A name is ours, or is gone for a reason."""
    _, here, note = row
    assert SPAN.findall(here) or here == "gone"
    assert note or here != "gone"


@pytest.mark.parametrize("span", sorted({*OURS, *TALKED_OF}))
def test_what_the_guide_points_to_exists(span, optional_package):
    """Every name, parameter, command, option and extra of the second column is there."""
    if span.removeprefix("langchain_drift.") in {"PostgresStore", "mistakes.stores.postgres"}:
        optional_package("psycopg")
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


def run(code):
    """Run an example of a guide and return its names."""
    names = {}
    exec(compile(code, "guide", "exec"), names)  # noqa: S102 - our own guides
    return names


def examples(guide):
    return re.findall(r"```python\n(.*?)```", TEXTS[guide], re.DOTALL)


@pytest.mark.parametrize("code", examples("migration.md"))
def test_the_code_of_the_guide_leaves_a_tracker(code):
    """Each example of the guide runs and leaves a tracker that scores."""
    trackers = [x for x in run(code).values() if isinstance(x, langchain_drift.DriftTracker)]
    assert trackers
    for tracker in trackers:
        assert tracker.record_turn(
            "Which loans are there?", "Home loans and car loans."
        ).explanation


@pytest.mark.parametrize("code", examples("migration_driftguard_ai.md"))
def test_the_code_of_the_guide_leaves_a_warning(code):
    """Each example of the guide for driftguard-ai runs and warns."""
    (warning,) = run(code)["review"].warnings
    assert warning.risk == "server returned 422 again"


@pytest.mark.parametrize("code", examples("migration_context_drift_detector.md"))
def test_the_code_of_the_guide_leaves_reports(code):
    """The published call works, and the method `jaccard` gives the published number."""
    names = run(code)
    assert not names["report"].drift
    assert names["report"].signals["answer_to_context"] > 0.5
    assert (names["same"].drift, names["same"].drift_score) == (True, 0.9)
