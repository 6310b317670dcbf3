"""`langchain-drift evaluate drift`, run in this process."""

import json

import pytest
from typer.testing import CliRunner

from langchain_drift.cli.app import app
from langchain_drift.errors import InvalidInputError

PURPOSE = "Help customers of a bank with savings accounts, credit cards and loans."
TURNS = [
    {"user": "My card is lost.", "assistant": "I block the card.", "label": "on"},
    {"user": "Who won the football match?", "assistant": "The home team.", "label": "off"},
]


@pytest.fixture
def labelled(tmp_path):
    path = tmp_path / "[red]chats.jsonl"
    rows = [{"id": f"c{i}", "purpose": PURPOSE, "turns": TURNS} for i in range(4)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def figures(*arguments):
    done = CliRunner().invoke(app, ["evaluate", "drift", *map(str, arguments), "--format", "json"])
    assert done.exit_code == 0
    return json.loads(done.stdout)


def test_figures_come_by_file(labelled):
    """JSON holds every figure of the evaluation under the short name of the file."""
    found = figures(labelled)["[red]chats"]
    assert (found["dialogues"], found["on"], found["off"]) == (4, 4, 4)
    assert found["auroc"] == 1
    assert {"auroc_interval", "alarm_without_ack", "departures", "recovery"} <= set(found)


def test_the_filter_can_be_left_out(labelled):
    """`--without-filter` ranks by the evidence of each turn alone."""
    assert figures(labelled, "--without-filter") != figures(labelled)


def test_files_of_the_same_name_are_told_apart(labelled, tmp_path):
    """Two files of one name in two folders are both measured."""
    other = tmp_path / "other" / labelled.name
    other.parent.mkdir()
    other.write_bytes(labelled.read_bytes())
    assert list(figures(labelled, other)) == [str(labelled), str(other)]
    assert len(figures(labelled, labelled)) == 1


def test_a_limit_bounds_the_conversations(labelled):
    """`--limit` measures on so many conversations, 0 on all, and is not negative."""
    assert figures(labelled, "--limit", "3")["[red]chats"]["dialogues"] == 3
    assert figures(labelled, "--limit", "9")["[red]chats"]["dialogues"] == 4
    assert figures(labelled, "--limit", "0")["[red]chats"]["dialogues"] == 4
    refused = CliRunner().invoke(app, ["evaluate", "drift", str(labelled), "--limit", "-1"])
    assert refused.exit_code == 2


def test_the_table_shows_names_as_they_are(labelled):
    """A file name is no markup."""
    done = CliRunner().invoke(app, ["evaluate", "drift", str(labelled)])
    assert done.exit_code == 0
    assert "[red]chats" in done.stdout


@pytest.mark.parametrize("kind", ["drift", "grounding", "memory"])
def test_a_file_without_rows_is_an_error(kind, tmp_path):
    """Figures of nothing are not written; what a row should hold is said."""
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["evaluate", kind, str(tmp_path / "empty.jsonl")])
    assert isinstance(done.exception, InvalidInputError)
    assert "holds no row; write" in str(done.exception)
