"""The report of a mistake memory as one HTML page."""

import re

import pytest

from langchain_drift import InvalidInputError, Scope, report_html


def test_the_overview_counts(guard, read_page):
    """Actions, failures, successes, hidden events and scopes are counted."""
    guard.record("delete the temp directory", "build cache was wiped")
    guard.record("delete the temp directory", "build cache was wiped", event_id="hide me")
    guard.record_success("list files", "12 files", scope=Scope(tenant="acme"))
    guard.hide(["hide me"])
    text = read_page(report_html(guard)).words
    assert "2 actions, 2 events" in text
    assert "times failed 1 times worked 1 hidden by pruning 1" in text
    assert "acme/-/-" in text


def test_what_failed_most_comes_first(guard):
    """Actions are ordered by their failures."""
    guard.record_success("list files")
    guard.record("push to main", "protected branch")
    for _ in range(3):
        guard.record("delete the temp directory", "build cache was wiped")
    names = re.findall(r"<h3><bdi>(.*?)</bdi>", report_html(guard))
    assert names == ["delete the temp directory", "push to main", "list files"]


def test_every_event_is_told_up_to_twenty(guard, read_page):
    """An action has a row for each event, the newest first, and says what is left out."""
    for number in range(23):
        guard.record("push to main", f"refused {number}", source=f"run {number}")
    page = report_html(guard)
    assert re.findall(r"<td>refused (\d+)</td>", page) == [str(n) for n in range(22, 2, -1)]
    assert "3 earlier events left out." in read_page(page).text


def test_hostile_text_stays_text(guard, hostile, read_page):
    """Whatever is remembered becomes no tag and no attribute."""
    guard.record(hostile, hostile, hostile, scope=hostile, source=hostile)
    guard.record("push to main", "refused", hypothesis=True)
    page = report_html(guard, title=hostile)
    found = read_page(page)
    assert not {"script", "img"} & set(found.tags)
    assert not any(
        name.startswith("on") or name in ("src", "style") for name, _ in found.attributes
    )
    assert not set(page) & set("\x1b\x00\u202e")
    ids = found.values("id")
    assert {value.removeprefix("#") for value in found.values("href")} <= set(ids)
    assert "failed (a guess)" in found.text


def test_a_big_memory_keeps_its_size(guard):
    """A page takes what it may at most, keeps what failed most and says what it left out."""
    for number in range(400):
        guard.record(f"make step-{number} --plan=a", f"error {number}: " + "no such thing " * 40)
    for _ in range(3):
        guard.record("make step-7 --plan=a", "error 7")
    page = report_html(guard, max_bytes=200_000)
    assert 150_000 < len(page.encode()) <= 200_000
    assert "<h3><bdi>make step-7 --plan=a</bdi>" in page
    assert re.search(r"the \d+ actions that failed least are left out", page)


def test_an_empty_memory_is_refused(guard):
    """There is no report of nothing."""
    with pytest.raises(InvalidInputError, match="holds no visible event"):
        report_html(guard)
