import json

import pytest

from langchain_drift import DriftTracker, KeywordStrategy
from langchain_drift.sessions.memory_data import read_data

PROMPT = "Help with cards and accounts."
V5 = {
    "original_context": PROMPT,
    "session_count": 3,
    "context_frozen": True,
    "sessions": [
        {
            "session_number": 1,
            "status": "completed",
            "exchanges": [
                {
                    "exchange": 1,
                    "user": "Which cards?",
                    "assistant": "Acme Rewards.",
                    "score": 95.0,
                    "verdict": "fresh",
                    "explanation": "Context well-preserved.",
                }
            ],
            "summary": "Topics discussed: Which cards?.",
            "final_drift_score": 88.3,
        },
        {"session_number": 2, "status": "active", "exchanges": [], "summary": None},
        {
            "session_number": 3,
            "status": "active",
            "exchanges": [
                {"exchange": 1, "user": "My accounts?", "assistant": "Two accounts."}
                | {"score": 91.2, "verdict": "fresh", "explanation": "Fine."}
            ],
            "summary": None,
            "final_drift_score": None,
        },
    ],
}
V3 = {
    "original_context": PROMPT,
    "original_vector": None,
    "checkpoint_vector": None,
    "checkpoint_text": "",
    "last_response_vector": None,
    "last_response_text": "Two accounts.",
    "session_summaries": [
        {"session_number": 1, "summary": "Cards.", "turn_count": 4, "final_drift_score": 80.0}
    ],
    "session_count": 3,
    "total_turns": 2,
    "context_frozen": False,
    "drift_history": [
        {"turn": 2, "session": 1, "score": 85.0, "verdict": "mild", "explanation": "a"},
        {"turn": 4, "session": 1, "score": 80.0, "verdict": "mild", "explanation": "b"},
        {"turn": 4, "session": 1, "score": 80.0, "verdict": "mild", "explanation": "b"},
        {"turn": 0, "session": 2, "score": 100.0, "verdict": "fresh", "explanation": "-"},
        {"turn": 2, "session": 3, "score": 70.0, "verdict": "moderate", "explanation": "c"},
    ],
}


@pytest.fixture
def track(tmp_path):
    path = tmp_path / ".session_memory"

    def make(content=None):
        if content:
            path.write_text(json.dumps(content, indent=2), encoding="utf-8")
        return DriftTracker(PROMPT, strategies=[KeywordStrategy()], persist=True, persist_path=path)

    make.path = path
    return make


def test_a_file_of_analyzer_is_gone_on_with(track):
    """Sessions, summaries, scores and the frozen flag are taken over; the last session goes on."""
    tracker = track(V5)
    assert (tracker.session_number, tracker.turn_count, tracker.is_frozen) == (3, 1, True)
    assert "Topics discussed" in tracker.get_managed_context()
    assert tracker.check().drift.score == 91.2
    assert tracker.record_turn("A card?", "A card.").drift.turn_number == 2
    kept = json.loads(track.path.read_bytes())
    assert [each["status"] for each in kept["sessions"]] == ["completed", "completed", "active"]
    assert kept["sessions"][0] == V5["sessions"][0]
    assert [each["exchange"] for each in kept["sessions"][2]["exchanges"]] == [1, 2]


def test_a_file_of_decay_is_gone_on_with(track):
    """Scores become exchanges without texts, once each; summaries become their sessions'."""
    tracker = track(V3)
    assert (tracker.session_number, tracker.turn_count) == (3, 1)
    assert "[Session 1 | 4 exchanges | drift: 80/100]: Cards." in tracker.get_managed_context()
    tracker.record_turn("A card?", "A card.")
    first = json.loads(track.path.read_bytes())["sessions"][0]
    assert [each["score"] for each in first["exchanges"]] == [85.0, 80.0]
    assert first["final_drift_score"] == 80.0
    assert track().turn_count == 2


def test_a_session_of_which_no_text_is_known_ends_without_a_summary(track):
    """With no text there is nothing to summarise; the session ends all the same."""
    tracker = track(V3)
    assert tracker.end_session().summary is None
    assert tracker.session_number == 4


def test_reading_changes_nothing(track):
    """A published file is written in our format with the first change, not before."""
    tracker = track(V5)
    before = track.path.read_bytes()
    tracker.check()
    tracker.get_managed_context()
    assert track.path.read_bytes() == before


def test_a_memory_is_read_as_it_was_written():
    """What our format holds is read back as it is."""
    data = read_data(json.loads(json.dumps(V5)))
    assert read_data(json.loads(json.dumps(data))) == data


@pytest.mark.parametrize(
    "content", [{"drift_history": []}, {"session_summaries": [], "session_count": 1}]
)
def test_a_published_file_of_nothing_is_a_memory_that_has_not_begun(content):
    """Files in which nothing was recorded are read."""
    data = read_data(content)
    assert data["session_count"] == 1
    assert data["sessions"][-1]["exchanges"] == []
