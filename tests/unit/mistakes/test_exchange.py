"""Events go out as JSON lines and come in from those, from stores, and from driftguard-ai."""

import json
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding

from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.event import Event
from langchain_drift.mistakes.exchange import export_lines, import_events, import_into
from langchain_drift.mistakes.scope import Scope

# Written by driftguard-ai 0.2.1 itself, both from the same graph.
DATA = Path(__file__).parents[2] / "data"
PUBLISHED = [DATA / "driftguard_graph.json", DATA / "driftguard_graph.sqlite3"]
OTHER = Scope(user="ann", environment="staging")


def chains(events):
    return [(event.action, event.feedback, event.outcome) for event in events]


def test_what_was_exported_is_imported(tmp_path, make_record):
    """Events survive going out and in: scopes, ids, times, any text."""
    records = [
        make_record(scope=OTHER.key, action="löschen\n日本 \u2028", hypothesis=True, at=1.5),
        make_record(kind="success", feedback="", vector=b"\x00\x3c"),
    ]
    lines = list(export_lines(records))
    assert not [line for line in lines if "\n" in line]
    (tmp_path / "events.jsonl").write_text("\n".join(lines), encoding="utf-8")
    events = list(import_events(tmp_path / "events.jsonl"))
    assert events == [record.to_event() for record in records]
    moved = list(import_events(tmp_path / "events.jsonl", scope=Scope()))
    assert {event.scope for event in moved} == {Scope()}
    assert [event.event_id for event in moved] == [event.event_id for event in events]


def test_a_store_can_be_imported(file_store, tmp_path, make_record):
    """The file of either store is read as well; hidden events stay behind."""
    store = file_store(tmp_path / "memory")
    store.append([make_record("a"), make_record("b"), make_record("c", scope=OTHER.key)], "")
    store.hide("", ["b"])
    store.close()
    events = list(import_events(tmp_path / "memory"))
    assert [(event.event_id, event.scope) for event in events] == [("a", Scope()), ("c", OTHER)]


def test_hand_written_lines_need_an_action_only(tmp_path):
    """Whoever writes lines by hand writes what was done; the rest is as for a new event."""
    path = tmp_path / "events.jsonl"
    path.write_text('{"action": "a"}\n\n{"action": "b", "kind": "success", "at": "2026-03-01Z"}\n')
    with pytest.raises(InvalidInputError, match=r"events\.jsonl, line 3 is no event: at: "):
        list(import_events(path))
    path.write_text('{"action": "a"}\n{"action": "b", "kind": "success"}\n')
    first, second = import_events(path)
    assert (first.kind, second.kind) == ("mistake", "success")
    assert first.event_id != second.event_id


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"feedback": "x"}', "action: Field required"),
        ('{"action": "x", "event_id": " "}', "blank"),
        ('{"action": "x", "scope": {"team": "y"}}', "scope.team"),
        ("3", "no event"),
        ("{", "not JSON"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path, line, fault):
    """The error tells which line and what of it."""
    path = tmp_path / "events.jsonl"
    path.write_text('{"action": "a"}\n' + line + "\n")
    with pytest.raises(InvalidInputError, match=rf"events\.jsonl, line 2 .*{fault}"):
        list(import_events(path))


def test_imported_events_are_recorded_once(store):
    """What is imported is found like any other event, prose with its vector; twice counts once."""
    embeddings = DeterministicFakeEmbedding(size=8)
    assert import_into(store, import_events(PUBLISHED[0]), embeddings) == [True] * 4
    assert import_into(store, import_events(PUBLISHED[1]), embeddings) == [False] * 4
    found = list(store.read())
    assert chains(record.to_event() for record in found) == chains(import_events(PUBLISHED[0]))
    assert {len(record.vector) for record in found} == {16}
    assert len({record.key for record in found}) == 2
    assert store.fingerprint() == fingerprint(embeddings)


def test_many_events_are_imported_step_by_step(store):
    """More events than one step holds come in, in order; code has no vector."""
    events = [Event(action=f"cat /var/log/app-{n}.log | grep -c ERROR") for n in range(1_200)]
    assert all(import_into(store, events, DeterministicFakeEmbedding(size=8)))
    found = list(store.read())
    assert [record.to_event() for record in found] == events
    assert {record.vector for record in found} == {None}


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.suffix)
def test_a_published_graph_becomes_its_events(path):
    """Every chain comes as often as it was seen, with its outcomes, between its sightings."""
    events = list(import_events(path))
    assert chains(events) == [
        ("increase oven temp", "dish burn", "throw dish away"),
        ("increase oven temp", "dish burn", "throw dish away"),
        ("increase oven temp", "dish burn", "restart server"),
        ("restart server", "port use", "outage"),
    ]
    assert [event.at for event in events] == [
        datetime(2026, 3, day, 12, tzinfo=UTC) for day in (1, 3, 5, 7)
    ]
    assert {(event.kind, event.source) for event in events} == {("mistake", "driftguard-ai")}


def test_both_published_formats_tell_the_same():
    """The ids depend on what was seen, not on the file, so that either counts once."""
    assert list(import_events(PUBLISHED[0])) == list(import_events(PUBLISHED[1]))
    assert len({event.event_id for event in import_events(PUBLISHED[0])}) == 4


def test_importing_a_grown_graph_adds_what_is_new(tmp_path):
    """A chain seen once more gives one new event; the others keep their ids."""
    value = json.loads(PUBLISHED[0].read_text())
    value["graph"]["edges"][0]["frequency"] += 1
    (tmp_path / "grown.json").write_text(json.dumps(value))
    before = {event.event_id for event in import_events(PUBLISHED[0])}
    after = list(import_events(tmp_path / "grown.json"))
    assert before < {event.event_id for event in after}
    assert len(after) == 5


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.suffix)
def test_a_graph_of_successes_is_told_by_its_name_or_by_you(path, tmp_path):
    """The published file does not say what it is about; its usual name does."""
    copy = tmp_path / path.name.replace("driftguard", "driftguard_success")
    shutil.copy(path, copy)
    assert {event.kind for event in import_events(copy)} == {"success"}
    assert {event.kind for event in import_events(copy, kind="mistake")} == {"mistake"}
    assert {event.scope for event in import_events(path, scope=OTHER)} == {OTHER}


def test_older_published_files_are_read(tmp_path):
    """Unnumbered files with `links`, roles as one string, and no times or zone come in too."""
    value = {
        "nodes": [
            {"id": "a", "type": "action", "embedding": [0.1, 0.2]},
            {"id": "f", "type": "feedback", "first_seen": "2026-03-01T12:00:00"},
        ],
        "links": [{"source": "a", "target": "f"}],
    }
    (tmp_path / "old.json").write_text(json.dumps(value, indent=2))
    (event,) = import_events(tmp_path / "old.json")
    assert chains([event]) == [("a", "f", "")]
    assert event.at == datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_published_file_is_not_written_to(tmp_path):
    """Importing leaves a file and its folder as they were."""
    copy = tmp_path / "driftguard_graph.sqlite3"
    shutil.copy(PUBLISHED[1], copy)
    content = copy.read_bytes()
    list(import_events(copy))
    assert copy.read_bytes() == content
    assert list(tmp_path.iterdir()) == [copy]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda value: value.update(format_version=3), "format_version is 3"),
        (lambda value: value.update(graph=None), "TypeError"),
        (lambda value: value["graph"]["nodes"][0].pop("id"), "KeyError"),
        (lambda value: value["graph"]["edges"][0].update(frequency="often"), "often"),
        (lambda value: value["graph"]["edges"][0].update(frequency=10**9), "1000000001 events"),
        (lambda value: value["graph"]["nodes"][0].update(first_seen="once"), "once"),
    ],
)
def test_a_damaged_published_file_is_told(tmp_path, change, fault):
    """The error says what is wrong, in bounded time, instead of importing half of it."""
    value = json.loads(PUBLISHED[0].read_text())
    change(value)
    (tmp_path / "graph.json").write_text(json.dumps(value))
    with pytest.raises(InvalidInputError, match=fault):
        list(import_events(tmp_path / "graph.json"))


def test_what_holds_no_events_is_told(tmp_path):
    """A missing file, another program's database and a broken one are errors that name them."""
    with pytest.raises(InvalidInputError, match="missing cannot be read"):
        list(import_events(tmp_path / "missing"))
    with sqlite3.connect(tmp_path / "other.db") as database:
        database.execute("CREATE TABLE meta (key TEXT, value TEXT)")
    database.close()
    with pytest.raises(InvalidInputError, match=r"other\.db cannot be imported: .*driftguard-ai"):
        list(import_events(tmp_path / "other.db"))
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 100)
    with pytest.raises(InvalidInputError, match=r"broken\.db cannot be imported"):
        list(import_events(tmp_path / "broken.db"))
