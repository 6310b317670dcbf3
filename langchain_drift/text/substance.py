"""How much there is in a text to judge its topic by."""

import math
import re

from langchain_drift.text.negation import NEGATIONS
from langchain_drift.text.words import content_words

_SCALE = 1.6
# Hiragana mostly writes grammar, as function words do, and counts nothing.
_HAN_OR_KATAKANA = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u30a1-\u30fa]")
_CHARACTERS_PER_WORD = 2
_THAI_LAO_MYANMAR_KHMER = re.compile(r"[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]")
_LETTERS_PER_WORD = 6
_UNSPACED = re.compile(r"[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff]")
_FUNCTION_CHARACTERS = frozenset(
    "的了是在我你他她它们們这這那吗嗎呢吧啊和与與也就都不没沒有好谢謝请請可以"
)
# As `content_words` gives them: stems.
_SMALL_TALK = """
    absolut absolutely afternoon alright anyth anything appreciat ask assist assistanc assistance
    awesome back bedankt bit bitte bonjour bye certain certainly cheer cheers ciao claro come cool
    correct cours course danke day else even evening everyth everything exact exactly excellent
    feel fine first free give glad go going good goodbye got gracias grazie great gut hallo happen
    happy hello help hey hi hola hope ja keep kind know last let like look lot make mean merci
    morn morning need next nice night nope obrigada obrigado ok okay one ones oui perfect pleas
    question right said say see sim someth something soon sorry sort sound super sure take tell
    thank thanks thing thought thx today told vale want way welcom welcome well wonderful ye yeah
    yep yup
"""
_TOPICLESS = NEGATIONS | frozenset(_SMALL_TALK.split())


def substance(text: str) -> float:
    """Return how much there is in a text to judge its topic by.

    The value is `1 - exp(-(n / 1.6)²)`, where `n` counts the different content words of the text
    that hold a letter and are no small talk. Two different Han or katakana characters, or six
    letters of Thai, Lao, Myanmar or Khmer, count as one word. So no word gives 0, one gives 0.32,
    two 0.79 and three 0.97.

    Args:
        text: Any text, in any script.

    Returns:
        0 (`Yes.`, `19.99%.`, `Thanks!`) to 1 (a sentence about something).
    """
    count = float(len({word for word in content_words(text) if _carries_topic(word)}))
    if not text.isascii():
        characters = set(_HAN_OR_KATAKANA.findall(text)) - _FUNCTION_CHARACTERS
        count += len(characters) / _CHARACTERS_PER_WORD
        count += len(_THAI_LAO_MYANMAR_KHMER.findall(text)) / _LETTERS_PER_WORD
    return 1 - math.exp(-((count / _SCALE) ** 2))


def _carries_topic(word: str) -> bool:
    if word in _TOPICLESS or len(word) == 1 or _UNSPACED.match(word):
        return False
    return any(map(str.isalpha, word))
