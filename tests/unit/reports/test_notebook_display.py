"""How results show themselves in a notebook."""

import pytest

from langchain_drift import DriftReport, DriftScore, ThreadReport, TurnRecord, detect

KNOWN = {"div", "strong", "code", "table", "thead", "tbody", "tr", "th", "td"}


def shown(result, read_page):
    return read_page(result._repr_html_())


def test_a_turn_shows_its_score_and_why(chat, read_page):
    """A result says where the conversation stands and what happened at the turn."""
    fresh, off, back = chat(95, 10, 80, user="A <loan>?")
    page = shown(off, read_page)
    assert "Turn 2: 10, critical" in page.text
    assert "left its purpose at this turn" in page.text
    assert "A <loan>?" in page.text
    assert "came back" in shown(back, read_page).text
    assert "purpose" not in shown(fresh, read_page).text


def test_a_turn_without_a_score_shows_itself(chat, read_page):
    """A turn that waits for its score says that it has none."""
    (waiting,) = chat(None, why=None)
    assert "Turn ?: not scored" in shown(waiting, read_page).text


def test_a_report_shows_where_a_conversation_stands(read_page):
    """A report says the score and where the conversation left and came back."""
    drift = DriftScore(score=40, turn_number=9)
    report = DriftReport(drift=drift, explanation="so", total_turns=9, departures=(2, 8))
    text = shown(report, read_page).text
    assert "40, severe" in text
    assert "left at2, 8" in text
    assert "came back atnever" in text


def test_a_thread_shows_its_turns(chat, read_page):
    """A thread of a handler is the table of its turns."""
    (turn,) = chat(20)
    record = TurnRecord(**dict(turn), thread_id="42", run_id="r")
    text = shown(ThreadReport(thread_id="42", turns=(record,), total_turns=5), read_page).text
    assert "42: 5 turns" in text
    assert "critical" in text


def test_a_review_shows_what_failed_and_what_worked(guard, read_page):
    """A review is a table of what is remembered, or says that nothing is."""
    guard.record("delete the temp directory", "build cache was wiped", "40 minutes lost")
    guard.record_success("list the temp directory", "12 files")
    text = shown(guard.review("delete the temp directory"), read_page).text
    assert "failed, 1 times" not in text
    assert "failed once" in text
    assert "build cache was wiped" in text
    nothing = shown(guard.review("compose a letter"), read_page).text
    assert "Nothing like it is remembered." in nothing
    skipped = shown(guard.before_step("x", policy="record_only"), read_page).text
    assert "not to look" in skipped


def test_a_retrieval_report_shows_its_sentences(read_page):
    """A retrieval report says its verdict and what carries each sentence."""
    chunks = ["The daily limit is 500 euros.", "Cards cost 12 euros."]
    report = detect("What is the limit?", chunks, "The daily limit is 5000 euros.")
    text = shown(report, read_page).text
    assert "of at most 0.50: drift" in text
    assert "5000" in text
    assert "abstained" in shown(detect("What?", chunks, "I don't know."), read_page).text


@pytest.mark.parametrize("kind", ["turn", "report", "thread", "review", "retrieval"])
def test_hostile_text_stays_text(kind, chat, guard, hostile, read_page):
    """Whatever was said or stored becomes no tag, no event and no control character."""
    (turn,) = chat(20, user=hostile, assistant=hostile, why=hostile)
    record = TurnRecord(**dict(turn), thread_id=hostile, run_id="r")
    guard.record(hostile, hostile, hostile)
    found = {
        "turn": turn,
        "report": DriftReport(drift=turn.drift, explanation=hostile),
        "thread": ThreadReport(thread_id=hostile, turns=(record,)),
        "review": guard.review(hostile),
        "retrieval": detect(hostile, [hostile, "other"], hostile),
    }[kind]
    page = shown(found, read_page)
    assert set(page.tags) <= KNOWN
    assert {name for name, _ in page.attributes} <= {"scope"}
    assert not set(page.text) & set("\x1b\x00\u202e")
    assert "<script>" in page.text
