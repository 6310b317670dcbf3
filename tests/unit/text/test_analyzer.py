import importlib
import subprocess
import sys
import threading

import pytest

import langchain_drift.text
from langchain_drift.errors import InvalidInputError, MissingExtraError
from langchain_drift.text import DefaultTextAnalyzer, TextAnalyzer

PARAGRAPHS = {
    "en": ("I lost two cards. Please do not block Ana.", 2, "cards"),
    "de": ("Ich habe zwei Karten verloren. Bitte nicht sperren.", 2, "karten"),
    "es": ("He perdido dos tarjetas. No las bloquee.", 2, "tarjetas"),
    "ru": ("Я потерял две карты. Не блокируйте их.", 2, "карты"),
    "hi": ("मैंने कार्ड खो दिया। कृपया मदद करें।", 2, "कार्ड"),
    "zh": ("我丢了卡。请帮忙！", 2, "卡"),
}


@pytest.fixture
def spacy(optional_package):
    """SpaCy, or a skip."""
    return optional_package("spacy")


def make(pipeline="en"):
    """Return a spaCy analyzer, loaded lazily as a user does."""
    return langchain_drift.text.SpacyTextAnalyzer(pipeline)


def test_the_default_analyzer_answers_without_a_model():
    """Sentences, lemmas and entities come from the functions of this package."""
    analyzer: TextAnalyzer = DefaultTextAnalyzer()
    text = "Cancel the cards of Ana Lopez. It costs $1,000 in user_1, see /tmp/a."
    assert analyzer.sentences(text) == [text[:30], text[31:]]
    assert analyzer.lemmas("Cancel the cards") == ["cancel", "card"]
    assert analyzer.entities(text) == ["Ana Lopez", "user_1", "/tmp/a", "1000"]  # noqa: S108 - a name


@pytest.mark.parametrize("language", PARAGRAPHS)
def test_a_blank_pipeline_needs_no_model(spacy, language):
    """Six languages, one without spaces, give sentences and lowercase content words."""
    text, count, word = PARAGRAPHS[language]
    analyzer = make(language)
    assert len(analyzer.sentences(text)) == count
    assert "".join(analyzer.sentences(text)).replace(" ", "") == text.replace(" ", "")
    assert word in analyzer.lemmas(text)
    assert analyzer.lemmas(text) == [lemma.lower() for lemma in analyzer.lemmas(text)]


def test_stop_words_go_and_negations_stay(spacy):
    """Negations are kept, though the stop list of spaCy holds them."""
    assert make().lemmas("Do not block the card, never!") == ["not", "block", "card", "never"]
    assert "n't" in make().lemmas("Don't block it")


def test_entities_fall_back_to_the_default(spacy):
    """A pipeline without an entity recogniser gives names, identifiers and numbers."""
    assert make().entities("Please call Ana at 5 pm") == ["Ana", "5"]


def test_a_pipeline_of_the_user_is_asked_and_left_as_it_is(spacy):
    """Its lemmas and entities count; what it lacks comes from the default; nothing is added."""
    pipeline = spacy.blank("en")
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "ORG", "pattern": "lost cards"}])
    lemmatizer = pipeline.add_pipe("attribute_ruler")
    lemmatizer.add([[{"LOWER": "cards"}]], {"LEMMA": "Card"})
    analyzer = make(pipeline)
    text = "The lost cards.\nAll lost cards"
    assert analyzer.entities(text) == ["lost cards"]
    assert analyzer.lemmas(text) == ["lost", "card", "lost", "card"]
    assert analyzer.sentences(text) == ["The lost cards.", "All lost cards"]
    assert pipeline.pipe_names == ["entity_ruler", "attribute_ruler"]


def test_a_text_longer_than_the_pipeline_allows_is_read_in_pieces(spacy):
    """`max_length` bounds a piece, not the text."""
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.max_length = 40
    assert make(pipeline).sentences("The card is lost. " * 10) == ["The card is lost."] * 10


def test_a_blank_text_has_nothing(spacy):
    """No text, no answer."""
    analyzer = make()
    assert analyzer.sentences(" ") == analyzer.lemmas("") == analyzer.entities("\n") == []


def test_threads_share_an_analyzer(spacy):
    """Calls from many threads give what one call gives."""
    analyzer = make()
    text = PARAGRAPHS["en"][0]
    expected = analyzer.lemmas(text)
    found = []
    threads = [
        threading.Thread(target=lambda: found.extend(analyzer.lemmas(text) for _ in range(20)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 80


def test_an_unknown_language_is_refused(spacy):
    """The message names the language."""
    with pytest.raises(InvalidInputError, match="'xx1'"):
        make("xx1")


def test_missing_spacy_names_its_extra(monkeypatch):
    """Without spaCy one sentence says how to install it."""
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"langchain-drift\[spacy\]"):
        make()


def test_spacy_is_not_loaded_before_it_is_asked_for():
    """Importing the package loads neither spaCy nor the markdown parser nor numpy."""
    code = (
        "import sys, langchain_drift.text as t;"
        "assert not {'spacy', 'markdown_it', 'numpy'} & set(sys.modules);"
        "assert 'SpacyTextAnalyzer' not in t.__all__ and t.__all__ == sorted(t.__all__)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_public_names_exist():
    """Every name in `__all__` resolves, and an unknown one fails as usual."""
    module = importlib.import_module("langchain_drift.text")
    assert all(getattr(module, name) for name in module.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = module.no_such_name
