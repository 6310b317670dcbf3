from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import DriftTracker
from langchain_drift.characters import whole_characters

ANY = st.text(st.characters(codec=None, exclude_categories=()), max_size=20)


@given(ANY)
def test_every_text_can_then_be_stored(text):
    """The result can be written, and is the text itself where that could be."""
    found = whole_characters(text)
    assert found.encode().decode() == found
    assert whole_characters(found) is found
    assert (found == text) == all(not 0xD800 <= ord(letter) <= 0xDFFF for letter in text)


def test_two_halves_make_a_character():
    """Halves that stand side by side in the right order are one character."""
    assert whole_characters("a\ud83d\ude00b") == "a😀b"
    assert whole_characters("\ude00\ud83d") == "\ufffd\ufffd"


def test_a_purpose_may_hold_half_a_character():
    """A system prompt cut in the middle of a character is read and can be stored."""
    tracker = DriftTracker("Freeze cards \ud83d")
    assert tracker.scorer.purpose.prompt == "Freeze cards \ufffd"
    assert tracker.record_turn("Freeze my card", "It is frozen.").model_dump_json()
