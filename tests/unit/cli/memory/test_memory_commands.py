"""Every memory command, on real files of both kinds."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from langchain_drift import DriftGuard, DriftGuardSettings
from langchain_drift.mistakes.exchange import import_events

ACTION = "delete the temp directory"
COMMAND = "tar xzf dist.tar.gz -C /opt/app"
PUBLISHED = Path(__file__).parents[3] / "data" / "driftguard_graph.json"
OLD = "2020-01-01T00:00:00+00:00"


def told(memory, action=ACTION, feedback="cache was wiped", *more):
    """Add a mistake and return the id of the event."""
    done = memory("add", action, "--feedback", feedback, *more, "--format", "json")
    assert done.returncode == 0, done.stderr
    return done.json["event_id"]


def test_what_is_added_is_listed_and_shown(memory):
    """A mistake told on the command line is in the list, with all its events below it."""
    first = told(memory, ACTION, "cache was wiped", "--source", "run-1")
    told(memory, ACTION, "cache was wiped again")
    memory("add", ACTION, "--success", "--feedback", "freed 3 GB")
    told(memory, COMMAND, "tar: /opt/app: Cannot open: No such file or directory")
    found = {row["action"]: row for row in memory("list", "--format", "json").json}
    assert (found[ACTION]["mistakes"], found[ACTION]["successes"]) == (2, 1)
    assert found[ACTION]["feedback"] == "cache was wiped again"
    table = memory("list").stdout
    assert ACTION in table
    assert found[COMMAND]["id"][:10] in table
    shown = memory("show", found[ACTION]["id"][:6], "--format", "json").json
    assert [event["kind"] for event in shown["events"]] == ["mistake", "mistake", "success"]
    assert memory("show", first, "--format", "json").json == shown
    assert memory("show", ACTION, "--format", "json").json == shown
    assert "Blamed: /opt/app" in memory("show", COMMAND).stdout


def test_what_python_wrote_the_command_reads(memory):
    """The command line and a guard in Python work on one memory."""
    backend = "sqlite" if memory.path.suffix == ".sqlite3" else "json"
    field = "sqlite_filepath" if backend == "sqlite" else "graph_filepath"
    guard = DriftGuard(settings=DriftGuardSettings(storage_backend=backend, **{field: memory.path}))
    guard.record(ACTION, "cache was wiped")
    told(memory)
    assert guard.review(ACTION).warnings[0].frequency == 2
    assert memory("list", "--format", "json").json[0]["mistakes"] == 2
    guard.close()


def test_a_review_warns_and_says_so_by_its_exit_code(memory):
    """A paraphrase warns; `--fail-on warning` exits with 3, `block` only if it is sure enough."""
    told(memory)
    asked = "remove everything under the tmp folder"
    done = memory("review", asked)
    assert done.returncode == 0
    assert "paraphrase" in done.stdout
    assert memory("review", asked, "--fail-on", "warning").returncode == 3
    assert memory("review", asked, "--fail-on", "block").returncode == 0
    told(memory)
    told(memory)
    assert memory("review", ACTION, "--fail-on", "block").returncode == 3
    calm = memory("review", "read the mail", "--fail-on", "warning")
    assert (calm.returncode, calm.stdout.strip()) == (0, "No warning.")
    warned = memory("review", "-", "--format", "json", stdin=f"{asked}\n").json
    assert warned["query"] == asked
    assert warned["warnings"][0]["frequency"] == 3


def test_a_success_clears_and_is_told(memory):
    """What worked since is shown in the place of the warning."""
    told(memory)
    for _ in range(2):
        memory("add", ACTION, "--success", "--feedback", "freed 3 GB")
    done = memory("review", ACTION)
    assert "No warning." in done.stdout
    assert "freed 3 GB" in done.stdout


def test_tool_calls_are_actions(memory):
    """A tool call is given as JSON and found whatever the order of its arguments."""
    told(memory, '{"name": "refund", "args": {"order": 7, "amount": 30}}', "Error: order 7")
    found = memory("review", 'refund {"amount": 30, "order": 7}', "--format", "json").json
    assert found["warnings"][0]["evidence"] == "same"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--feedback", "503 upstream"], "passes by itself"),
        (["--feedback", "503 upstream", "--no-transient"], "Kept as mistake"),
        (["--feedback", "maybe the API changed"], "Kept as guess"),
        (["--feedback", "maybe the API changed", "--no-guess"], "Kept as mistake"),
        (["--success"], "Kept as success"),
    ],
)
def test_add_tells_what_became_of_the_event(memory, options, said):
    """Passing failures are not kept, guesses are marked; options have the last word."""
    assert said in memory("add", ACTION, *options).stdout


def test_an_event_told_twice_counts_once(memory):
    """`--event-id` makes a repeated call harmless."""
    told(memory, ACTION, "gone", "--event-id", "run-7")
    assert "told before" in memory("add", ACTION, "--event-id", "run-7").stdout
    assert memory("stats", "--format", "json").json["mistakes"]["events"] == 1


@pytest.mark.parametrize(
    "scope", ["production", "tenant=acme,user=ann", "user=a,b", "environment=tenant=x"]
)
def test_scopes_are_kept_apart(memory, scope):
    """What is told in a scope is seen there only, and `stats` names it as it is written."""
    told(memory, ACTION, "gone", "--scope", scope)
    assert memory("list", "--format", "json").json == []
    assert len(memory("list", "--scope", scope, "--format", "json").json) == 1
    assert memory("review", ACTION, "--fail-on", "warning").returncode == 0
    assert memory("review", ACTION, "--scope", scope, "--fail-on", "warning").returncode == 3
    assert memory("stats", "--format", "json").json["scopes"] == {scope: 1}
    assert scope in memory("stats").stdout


def test_hiding_pruning_and_purging(memory, tmp_path):
    """Stale memories are hidden, can come back, and are deleted only with `--yes`."""
    fresh = told(memory, "read the mail", "it was empty")
    event = {"event_id": "old-event", "action": ACTION, "feedback": "gone", "at": OLD}
    (tmp_path / "old.jsonl").write_text(json.dumps(event))
    memory("import", tmp_path / "old.jsonl")
    assert memory("prune", "--dry-run", "--format", "json").json["hidden_events"] == 1
    assert "weak events" in memory("prune", "--dry-run").stdout
    assert len(memory("list", "--format", "json").json) == 2
    assert "memory unhide" in memory("prune").stdout
    assert ACTION in memory("list", "--hidden").stdout
    assert "(hidden)" in memory("show", "old-event").stdout
    assert "1 event back in sight" in memory("unhide", "old-").stdout
    assert "1 event hidden" in memory("hide", ACTION).stdout
    assert "would be deleted" in memory("purge").stdout
    assert memory("purge", "--format", "json").json["dry_run"]
    assert "deleted for good" in memory("purge", "--yes").stdout
    assert "Nothing is hidden" in memory("purge").stdout
    assert memory("show", fresh).returncode == 0
    assert memory("show", ACTION).returncode == 2


def test_a_memory_moves_by_export_and_import(memory, run, tmp_path):
    """Events go out as ASCII lines and come in again, all scopes, each once."""
    told(memory, ACTION, "wörk \x1b[31m \u202e \x9b", "--scope", "a")
    told(memory, COMMAND, "gone", "--scope", "b")
    file, other = tmp_path / "events.jsonl", tmp_path / "other.sqlite3"
    assert memory("export", "-o", file).returncode == 0
    assert file.read_text(encoding="utf-8").isascii()
    assert memory("export").stdout == file.read_text(encoding="ascii")
    assert len(memory("export", "--scope", "a").stdout.splitlines()) == 1
    assert "2 new, 0 known" in run("memory", "import", file, "--path", other).stdout
    assert "0 new, 2 known" in run("memory", "import", file, "--path", other).stdout
    assert list(import_events(other)) == list(import_events(memory.path))
    assert memory("export", "-o", file).returncode == 2


def test_a_file_of_driftguard_ai_comes_in(memory, run):
    """Its chains become events; of successes if it is told so."""
    assert "4 new" in memory("import", PUBLISHED).stdout
    assert "4 new" in memory("import", PUBLISHED, "--kind", "success", "--scope", "ok").stdout
    assert memory("stats", "--scope", "ok", "--format", "json").json["successes"]["events"] == 4
    file = memory.path.with_name(PUBLISHED.name)
    file.write_bytes(PUBLISHED.read_bytes())
    refused = run("memory", "list", "--path", file)
    assert refused.returncode == 2
    assert "import" in refused.stderr


def test_reembed_takes_over_a_memory_of_another_embedder(memory):
    """A changed embedder is told with the way out, and that way works."""
    told(memory)
    told(memory, COMMAND, "gone")
    if memory.path.suffix == ".sqlite3":
        with sqlite3.connect(memory.path) as database:
            database.execute("UPDATE meta SET value = 'other' WHERE name = 'fingerprint'")
        database.close()
    else:
        text = memory.path.read_text(encoding="utf-8")
        own = json.loads(text.splitlines()[1])["fingerprint"]
        memory.path.write_text(text.replace(own, "other"), encoding="utf-8")
    asked = memory("review", ACTION)
    assert asked.returncode == 2
    assert "langchain-drift memory reembed" in asked.stderr
    assert "1 event embedded again" in memory("reembed").stdout
    assert "cache was wiped" in memory("review", ACTION).stdout


def test_hostile_text_is_harmless_in_a_terminal(memory):
    """Markup and what steers a terminal is shown as text, in every command."""
    evil = "rm \x1b[31m[bold]x[/bold] \x9b2J \u202etxt.exe\r\n{{7*7}}"
    name = told(memory, evil, evil, "--outcome", evil, "--source", evil, "--scope", "e\x1b[2J")
    for verb in (["list"], ["show", name], ["review", evil], ["stats"]):
        text = memory(*verb, "--scope", "e\x1b[2J").stdout
        assert not {"\x1b", "\x9b", "\u202e", "\r"} & set(text)
    assert "[bold]x[/bold]" in memory("list", "--scope", "e\x1b[2J").stdout
    assert memory("list", "--scope", "e\x1b[2J", "--format", "json").stdout.isascii()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "nothing-like-it"], "shows the ids"),
        (["hide", "ab"], "shows the ids"),
        (["list", "--scope", "user=a,user=b"], "names a part twice"),
        (["import", "/nowhere/at/all.jsonl"], "cannot be read"),
        (["review", "x" * 1_000_001], "at most 1000000"),
        (["add", "x", "--event-id", " "], "blank"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_sentence(memory, arguments, said):
    """The exit code is 2 and the sentence names the way out."""
    told(memory)
    done = memory(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_must_mean_one_memory(memory):
    """The beginning of two ids is refused, with both of them."""
    for number in ("1", "2"):
        told(memory, f"run[{number}]", "gone", "--event-id", f"same-{number}")
    done = memory("hide", "same")
    assert done.returncode == 2
    assert "may mean" in done.stderr


@pytest.mark.parametrize("verb", ["list", "stats", "review", "prune", "purge", "reembed", "export"])
def test_a_mistyped_path_is_no_empty_memory(run, tmp_path, verb):
    """A file that is not there is an error, and is not made: else every review would pass."""
    path = tmp_path / "typo.sqlite3"
    done = run("memory", verb, *(["x"] if verb == "review" else []), "--path", path)
    assert done.returncode == 2
    assert "There is no memory at" in done.stderr
    assert not path.exists()


def test_a_damaged_file_is_told_and_left(memory):
    """A broken memory is an error that names it, and is not written to."""
    memory.path.write_bytes(b"SQLite format 3\x00 broken" if "sqlite" in memory.path.name else b"{")
    content = memory.path.read_bytes()
    for verb in (["list"], ["add", ACTION], ["review", ACTION]):
        done = memory(*verb)
        assert done.returncode == 2
        assert str(memory.path) in done.stderr
    assert memory.path.read_bytes() == content


def test_the_settings_of_the_environment_count(run, monkeypatch, tmp_path):
    """Place, scope and thresholds come from `DRIFTGUARD_*`; a wrong value is named."""
    assert "Kept" in run("memory", "add", COMMAND, "--feedback", "gone").stdout
    assert str(tmp_path / "home/langchain-drift") in run("memory", "stats").stdout
    monkeypatch.setenv("DRIFTGUARD_SCOPE", "elsewhere")
    assert "Nothing is remembered" in run("memory", "list").stdout
    assert "Nothing is hidden" in run("memory", "list", "--hidden").stdout
    monkeypatch.setenv("DRIFTGUARD_SQLITE_FILEPATH", str(tmp_path / "mine.sqlite3"))
    run("memory", "add", COMMAND, "--feedback", "gone")
    assert (tmp_path / "mine.sqlite3").exists()
    monkeypatch.setenv("DRIFTGUARD_RETRIEVAL_MIN_CONFIDENCE", "0.9")
    assert run("memory", "review", COMMAND, "--fail-on", "warning").returncode == 0
    monkeypatch.setenv("DRIFTGUARD_GUARD_POLICY", "blok")
    done = run("memory", "list")
    assert (done.returncode, "DRIFTGUARD_GUARD_POLICY is 'blok'" in done.stderr) == (2, True)
    monkeypatch.setenv("DRIFTGUARD_GUARD_POLICY", "block")
    monkeypatch.setenv("DRIFTGUARD_STORAGE_BACKEND", "memory")
    assert "--path" in run("memory", "list").stderr


def test_a_long_list_says_what_is_left_out(memory):
    """`--limit` shows the newest, and how many older ones there are."""
    for number in range(3):
        told(memory, f"run[{number}]", "gone")
    done = memory("list", "--limit", 2)
    assert "run[2]" in done.stdout
    assert "run[0]" not in done.stdout
    assert "1 older" in done.stdout


def test_the_demo_runs_offline_as_a_program(tmp_path):
    """The demo warns of a paraphrase, not of the opposite, and is cleared by successes."""
    program = [sys.executable, "-c", "from langchain_drift.cli import main; main()"]
    done = subprocess.run(
        [*program, "memory", "demo"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[4])},
    )
    assert done.returncode == 0, done.stderr
    asked = done.stdout.split("> before_step(")[1:]
    assert ["Failed before" in part for part in asked] == [True, True, False, False]
    assert "Worked before" in asked[-1]
    assert not list(tmp_path.iterdir())
