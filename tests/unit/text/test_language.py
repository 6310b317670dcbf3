import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.text import Language, detect_language
from langchain_drift.text.function_words import FUNCTION_WORDS
from langchain_drift.text.scripts import detect_script

SAMPLES = json.loads((Path(__file__).parent / "language_samples.json").read_text("utf-8"))
FOREIGN = sorted(set(SAMPLES) - {"en", "dialect"})


@pytest.mark.parametrize("text", SAMPLES["en"])
def test_english_is_never_called_foreign(text):
    """Names, dishes, titles, code, lists and typing errors leave English English, or unsaid."""
    assert detect_language(text).code in {"en", None}


@pytest.mark.parametrize("code", FOREIGN)
def test_most_foreign_sentences_are_recognised(code):
    """At least two of three sentences of a language are told from English; most by their name."""
    found = [detect_language(text).code for text in SAMPLES[code]]
    assert "en" not in found
    assert sum(other is not None for other in found) >= 0.65 * len(found)


def test_all_languages_together():
    """Of all foreign sentences 85 in 100 are recognised, and 85 in 100 by their right code."""
    found = [(code, detect_language(text).code) for code in FOREIGN for text in SAMPLES[code]]
    assert sum(other not in {"en", None} for _, other in found) >= 0.85 * len(found)
    assert sum(code == other for code, other in found) >= 0.85 * len(found)


@pytest.mark.parametrize("text", SAMPLES["dialect"])
def test_a_dialect_is_not_english(text):
    """A dialect is taken for its neighbour or left open."""
    assert detect_language(text).code != "en"


@pytest.mark.parametrize(
    ("text", "code", "script"),
    [
        ("请详细说明这段历史的来龙去脉，不需要代码", "zh", "Hani"),
        ("请用 Python 写一个 function", "zh", "Hani"),
        ("カードを失くしました", "ja", "Jpan"),
        ("카드를 잃어버렸어요", "ko", "Hang"),
        ("Где мой заказ?", "ru", "Cyrl"),
        ("أين طلبي؟", "ar", "Arab"),
        ("मेरा कार्ड खो गया", "hi", "Deva"),
        ("บัตรของฉันหาย", "th", "Thai"),
        ("Πού είναι η κάρτα μου;", "el", "Grek"),
        ("איפה הכרטיס שלי", "he", "Hebr"),
        ("Fix 错误 in my code please", "en", "Latn"),
        ("42 19.99% 🎉", None, "Zyyy"),
        ("", None, "Zyyy"),
    ],
)
def test_scripts_tell_their_language(text, code, script):
    """The script of most letters decides; without letters nothing does."""
    language = detect_language(text)
    assert (language.code, language.script) == (code, script)


def test_confidence_by_hand():
    """Three English words that no other language has: 3 / (3 + 0 + 0.5)."""
    assert detect_language("where could they") == Language(
        "en", "Latn", pytest.approx(3 / 3.5), 3.0
    )
    assert detect_language("xyzzy plugh") == Language(None, "Latn", 0.0)


@given(st.text())
def test_any_text_has_a_language_or_none(text):
    """No text fails, and confidence is 0 exactly where there is no code."""
    language = detect_language(text)
    assert 0 <= language.confidence <= 1
    assert (language.code is None) == (language.confidence == 0)


@given(st.text())
def test_a_script_is_four_letters(text):
    """Any text has a script."""
    assert len(detect_script(text)) == 4


def test_function_words_are_folded():
    """Lists hold casefolded words, as they are looked up."""
    assert all(word == word.casefold() for known in FUNCTION_WORDS.values() for word in known)


def test_long_texts_cost_no_more_than_their_beginning():
    """A megabyte takes no longer than 4,000 characters."""
    start = time.process_time()
    detect_language("the word of the day " * 50_000)
    assert time.process_time() - start < 0.2
