"""Hedges: openings by which a speaker says how sure he is, before he says something."""

import re
from typing import Final

_INTERJECTION: Final = r"(?:(?:well|oh|hmm|um|sorry|honestly|actually|unfortunately)\W+)*"
_DOUBT: Final = r"(?:i'?m|i am|we'?re|we are) not (?:\w+ )?(?:sure|certain)\b|not (?:\w+ )?sure\b"
_IGNORANCE: Final = (
    r"(?:i|we) (?:really |honestly )?(?:don'?t|do not|can'?t|cannot|could not|couldn'?t)"
    r" (?:know|say|tell|remember|recall)\b|(?:i|we) have no idea\b"
)
# After "I don't know how it works" more may follow that is doubted, so a "but" must part the two.
_HEDGE: Final = re.compile(
    rf"^\W*{_INTERJECTION}"
    rf"(?:(?:{_DOUBT})[^,.;]{{0,80}}?(?:[,;]\s*(?:but|however)?|\bbut\b)"
    rf"|(?:{_IGNORANCE})[^.;]{{0,80}}?(?:[,;]\s*|\s)(?:but|however)\b)[\s,]*(?=\w)",
    re.IGNORECASE,
)


def without_hedge(sentence: str) -> str:
    """Return what a sentence says behind its hedge: "I'm not sure, but it is red" says "it is red".

    A sentence that says nothing more is returned as it is.
    """
    match = _HEDGE.match(sentence.replace("\u2019", "'"))
    return sentence[match.end() :] if match else sentence
