import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from langchain_drift import GuardReview, MistakeWarning

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def warning(**fields):
    """Return a warning."""
    given_fields = {
        "trigger": "a",
        "risk": "b",
        "outcome": "c",
        "frequency": 1,
        "confidence": 0.7,
        "evidence": "same",
        "similarity": 1.0,
        "wordings": ("a",),
        "risks": ("b",),
        "last_seen": NOW,
        "event_ids": ("1",),
    }
    return MistakeWarning(**{**given_fields, **fields})


@given(st.text(max_size=400), st.text(max_size=400), st.text(max_size=400))
def test_stored_text_stays_inside_its_quotes(action, feedback, outcome):
    """Whatever was stored, the block has one end, one line a record, and bounded length."""
    review = GuardReview(
        query="q",
        warnings=(warning(trigger=action, risk=feedback, outcome=outcome),),
        timestamp=NOW,
    )
    lines = review.to_prompt().split("\n")
    assert lines[0] == "<past_records>"
    assert lines[-1] == "</past_records>"
    assert len(lines) == 4
    assert "<" not in lines[2]
    told = json.loads(lines[2])
    assert told["times"] == 1
    assert all(len(text) <= 300 for text in told["failed"].values())


def test_nothing_to_say_is_nothing():
    """Without warnings and reinforcements there is no block."""
    assert GuardReview(query="q", timestamp=NOW).to_prompt() == ""


def test_a_review_is_plain_json_and_comes_back():
    """A review survives the way through JSON."""
    review = GuardReview(query="q", warnings=(warning(),), confidence=0.7, timestamp=NOW)
    assert GuardReview.model_validate(json.loads(json.dumps(review.to_dict()))) == review


@pytest.mark.parametrize(
    ("fields", "blocks"),
    [
        ({}, True),
        ({"evidence": "paraphrase"}, True),
        ({"evidence": "culprit"}, True),
        ({"evidence": "similar"}, False),
        ({"evidence": "tool"}, False),
        ({"hypothesis": True}, False),
    ],
)
def test_what_can_block(fields, blocks):
    """Only observed mistakes of this action, or of what it holds, can block."""
    review = GuardReview(query="q", warnings=(warning(**fields),), timestamp=NOW)
    assert bool(review.blocking(0.5)) == blocks
    assert not review.blocking(0.8)


def test_reviews_are_frozen():
    """A review does not change after it is given."""
    with pytest.raises(ValidationError):
        GuardReview(query="q", timestamp=NOW).confidence = 1
