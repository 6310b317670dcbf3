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


@pytest.mark.parametrize(
    "prompt",
    [
        "Banking assistant: savings, loans, credit cards",
        "<company>Brightpath Bank</company><tasks>accounts, cards, loans</tasks>",
    ],
)
def test_a_prompt_that_only_lists_topics_is_read_in_an_english_chat(prompt):
    """A list of nouns tells no language; a chat held against it is judged all the same."""
    scorer = DriftScorer(prompt)
    state, kept = scorer.step(scorer.start(), "How do I get a loan?", "Apply for it in the app.")
    _, left = scorer.step(state, "What's a good pasta recipe?", "Try it with eggs and parmesan.")
    assert kept.abstained is None
    assert kept.drift.is_effective
    assert not left.drift.is_effective


def test_a_foreign_prompt_is_not_read_in_an_english_chat():
    """English turns cannot be held against a purpose that the embedder does not read."""
    scorer = DriftScorer("Du bist der Assistent einer Bank und hilfst bei Konten und Krediten.")
    _, result = scorer.step(scorer.start(), "How do I get a loan?", "Apply for it in the app.")
    assert result.abstained == "unsupported_language"
