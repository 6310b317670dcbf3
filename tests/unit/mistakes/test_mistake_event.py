from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from langchain_drift import Event
from langchain_drift.mistakes.event import LONGEST_REPLY, storable


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=50))
def test_every_text_can_be_stored(text):
    """Whatever a tool says becomes UTF-8 without NUL, and ordinary text stays as it is."""
    stored = storable(text)
    assert "\x00" not in stored
    assert stored.encode().decode() == stored
    if "\x00" not in text and not any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        assert stored == text


def test_long_feedback_keeps_its_head_and_its_end():
    """The middle of a long reply is left out, and how much is said."""
    event = Event(action="a", feedback="START" + "x" * 50_000 + "THE ERROR")
    assert event.feedback.startswith("START")
    assert event.feedback.endswith("THE ERROR")
    assert "30014 characters left out" in event.feedback
    assert len(event.feedback) < LONGEST_REPLY + 100


def test_newlines_and_control_characters_stay():
    """Original wording is kept, line breaks and all."""
    assert Event(action="a\n\tb\x07", feedback="c\r\nd").action == "a\n\tb\x07"


def test_each_event_has_an_identity_and_a_moment():
    """Two events made alike are two observations."""
    one, other = Event(action="a"), Event(action="a")
    assert one.event_id != other.event_id
    assert one.at.tzinfo is UTC


@pytest.mark.parametrize(
    "fields",
    [
        {"event_id": " "},
        {"kind": "guess"},
        {"at": datetime(2026, 1, 1)},  # noqa: DTZ001 - a moment without a zone is refused
        {"action": "x" * 1_000_001},
        {"reward": 1},
        {"feedback": None},
    ],
)
def test_what_is_no_event_is_refused(fields):
    """A blank id, an unknown kind, a naive moment, a huge action and unknown fields are refused."""
    with pytest.raises(ValidationError):
        Event(**{"action": "a", **fields})
