import runpy
from collections import Counter
from pathlib import Path

import pytest

from langchain_drift import DriftTracker, InvalidInputError, KeywordStrategy, explain_with
from langchain_drift.text import DefaultTextAnalyzer

BANK = "You are an assistant for Harbour Bank. Help with accounts, cards and loans."
BREAD = ("How do I bake bread?", "Mix flour, water and yeast and bake the dough for an hour.")
CARD = ("Is my card blocked?", "The Gold Card is **blocked**; a new card is on its way.")
EXAMPLE = Path(__file__).parents[3] / "examples" / "spacy_analyzer.py"


class Counting(DefaultTextAnalyzer):
    """Counts what it is asked about."""

    def __init__(self):
        self.asked = Counter()

    def lemmas(self, text):
        self.asked[text] += 1
        return super().lemmas(text)


def explained(*turns, analyzer=None, **given):
    """Return the built-in and the analyzed explanation of the last turn."""
    explain_fn = explain_with(analyzer or DefaultTextAnalyzer())
    plain, own = DriftTracker(BANK, **given), DriftTracker(BANK, explain_fn=explain_fn, **given)
    for turn in turns:
        found = plain.record_turn(*turn).explanation, own.record_turn(*turn).explanation
    return found


def test_words_and_names_are_added():
    """The built-in explanation stays, and shared words, new words and names follow it."""
    built_in, found = explained(CARD)
    assert found.startswith(built_in)
    added = found.removeprefix(built_in)
    assert "Words of the purpose: card;" in added
    assert "new words: block, gold" in added
    assert "named: Gold Card." in added


def test_what_is_not_there_is_not_announced():
    """Without shared words or names only the new words are told, and once."""
    _, found = explained(BREAD)
    assert "Words of the purpose" not in found
    assert "named" not in found
    assert found.count("dough") == 1


@pytest.mark.parametrize(
    "turn", [("Thanks!", "You're welcome."), (BREAD[0], "I can only help with banking."), ("a", "")]
)
def test_a_turn_that_was_not_judged_is_explained_as_ever(turn):
    """Abstentions and refusals keep the built-in explanation."""
    built_in, found = explained(turn)
    assert built_in == found


def test_a_strategy_without_evidence_gets_words_too():
    """The verdict of a strategy that gives no evidence is followed by the words."""
    built_in, found = explained(CARD, strategies=[KeywordStrategy()])
    assert found.startswith(f"{built_in} Words of the purpose: card")


def test_a_purpose_is_analysed_once():
    """However many turns there are, a statement of the purpose is analysed once."""
    analyzer = Counting()
    explained(CARD, BREAD, CARD, analyzer=analyzer)
    assert analyzer.asked[BANK] == 1


def test_a_long_reply_is_analysed_in_bounded_pieces():
    """Of a very long reply the analyzer sees the passages that an embedder would read."""
    analyzer = Counting()
    explained((CARD[0], "Your card is blocked. " * 10_000), analyzer=analyzer)
    assert max(map(len, analyzer.asked)) < 5000


@pytest.mark.parametrize("analyzer", [None, "en", object()])
def test_what_is_no_analyzer_is_refused(analyzer):
    """The error names what was passed and what to pass."""
    with pytest.raises(InvalidInputError, match="SpacyTextAnalyzer") as caught:
        explain_with(analyzer)
    assert repr(analyzer)[:40] in str(caught.value)


def test_the_example_shows_what_spacy_changes(optional_package, capsys):
    """With lemmas and names of a blank pipeline, inflections meet and products are named."""
    optional_package("spacy")
    runpy.run_path(str(EXAMPLE))
    with_spacy = [line for line in capsys.readouterr().out.splitlines() if "with spaCy" in line]
    assert "Words of the purpose: card; new words: best, travel" in with_spacy[0]
    assert "named: Gold Card." in with_spacy[0]
    assert "New words: break, oven, bake" in with_spacy[1]
