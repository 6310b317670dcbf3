import pytest

from langchain_drift import DriftScorer
from langchain_drift.conversation.readable import is_readable, tells

ENGLISH = frozenset({"en"})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Could you tell me what the weather will be?", True),
        ("Wie wird denn morgen das Wetter sein?", False),
        ("明日の天気は?", False),
        ("Miete 900", None),
        ("42", None),
    ],
)
def test_a_text_tells_its_language_or_nothing(text, told):
    """Function words and script tell; names, numbers and single words do not."""
    assert tells(ENGLISH, text) is told


@pytest.mark.parametrize("before", [True, False])
def test_what_does_not_tell_is_taken_for_what_was_told_before(before):
    """A name or a number has the language of the conversation."""
    assert is_readable(ENGLISH, "Anna Weber, 7 Mill Lane", before=before) is before


def test_words_without_a_trace_of_english_are_not_read():
    """Where nothing was told before, a short text is read and a longer one needs English."""
    assert is_readable(ENGLISH, "semi skimmed")
    assert not is_readable(ENGLISH, "zoag mir olle Wecker leschn")


def test_a_foreign_conversation_stays_unread_at_a_name():
    """Once a conversation is foreign, a turn of names does not raise an alarm."""
    scorer = DriftScorer("You are a banking assistant for accounts, cards and transfers.")
    state, _ = scorer.step(scorer.start(), "Wie wird denn das Wetter heute?", "Es wird schön sein.")
    _, result = scorer.step(state, "Helene Fischer Atemlos", "Helene Fischer Atemlos")
    assert result.abstained == "unsupported_language"
    assert result.drift.score == 100
