"""Refusals: whether a reply declines or steers back, by what it does and not by "sorry"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from langchain_drift.text import content_words, sentences

_LONGEST_ANSWER = 9
"""Content words of a reply, refusal and offers aside, from which it answers all the same."""

_LONGEST_REST = 7
"""Content words behind a "but" or a colon in a declining sentence from which it answers."""

_HELP = (
    r"(?:help|assist|do|provide|give|offer|discuss|answer|talk|speak|advise|cover|handle|judge|write"
    r"|recommend|support|share|comment|engage|diagnose|whip up|go into|weigh in|take on)"
)
_CUES = re.compile(
    r"\b(?:can(?:not|['’]?t| not)|won['’]?t|wouldn['’]?t|unable to|not able to|not allowed to"
    r"|not permitted to|not in a position to|in no position to|not (?:really )?set up to"
    rf"|not equipped to|not (?:trained|qualified|authori[sz]ed|meant|designed) to)\b[^.!?]{{0,20}}?\b{_HELP}\b"
    r"|\b(?:can|could|may|must|will|['’]ll|do|I|we|just|knowledge is|remedies are|work is)? ?"
    r"(?:only|solely|exclusively) (?:(?:be )?able to |here (?:to|for) |trained (?:to|for|on) )?"
    rf"(?:{_HELP}|deal|know|stir|here|for|focus|work)\b"
    r"|\b(?:outside|beyond|out of|far(?: away)? from) (?:of )?(?:what|my|our|me|the scope|scope)\b"
    r"|\b(?:falls?|is|are|lies?|goes?|go|that['’]?s|it['’]?s)(?: \w+){0,2} (?:outside|beyond)\b"
    r"|(?:n['’]t|\bnot) (?:\w+ )?(?:something|anything|among|one of|part of|covered|my (?:field|area|department"
    r"|job|place|topic|subject|thing|speciality|specialty|strength)|our|what I['’]?m here|on (?:my|our)|within"
    r"|an? (?:topic|subject|area|question))\b"
    r"|\bnothing I (?:do|can|cover)\b"
    r"|\b(?:pass on|steer clear of|stay (?:away|out)|keep(?:s|ing)? (?:me )?(?:away|to)|stick(?:ing)? to|limited to"
    r"|hand (?:that|this) (?:one )?(?:over )?to|leave (?:that|this|it|the|\w+)(?: \w+){0,3} to)\b"
    r"|\b(?:our|my|the|by) (?:\w+ )?(?:policy|policies|rules|guidelines)\b"
    r"|\b(?:confidential|off[- ]limits|off[- ]topic)\b"
    r"|\bI['’]?m (?:just |only )?(?:here (?:for|to)|an? [\w -]{3,30}(?:assistant|guide|bot|helper|tutor|agent)\b)"
    r"|\bas (?:an?|the|your|our) [\w' -]{3,40}(?:assistant|guide|bot|helper|tutor|agent)\b"
    r"|\b(?:let['’]?s|let us|shall we|can we|could we|we should) (?:please )?"
    r"(?:get back|go back|return|stay|stick|focus|come back|keep|turn)\b"
    r"|\bback to (?:your|the|our|work|business)\b"
    r"|\b(?:better|best) (?:off )?(?:asking|ask|put|asked|answered|left|directed|with|speaking|served)\b"
    r"|\b(?:right|best) (?:person|people|place|one|address) to (?:ask|go|turn|see|call|contact)\b"
    r"|\b(?:one|place|person|people) to (?:see|ask|turn to|talk to|contact)\b"
    r"|\b(?:need(?:s|ed)? to come from|should be (?:seen|answered|checked|handled) by)\b"
    r"|\b(?:need|needs|use|try|ask|contact|see|consult) (?:an?|the|your|another|some) (?:\w+ )?"
    r"(?:different|other|another|doctor|lawyer|specialist|professional|service desk|helpdesk)\b"
    r"|\bnot (?:give|offer|provide)\b|\bno (?:\w+ )?(?:advice|answers?|help) from (?:me|us)\b"
    r"|\b(?:leider nicht|nicht helfen|kann ich nicht|nur (?:für|bei|zu)|no puedo ayudar|solo puedo"
    r"|ne peux pas|uniquement|non posso|posso solo|não posso|só posso|kan ik niet|alleen helpen)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"^(?:(?:and |but |so |though |when|if|what|once)[^,]*, )?(?:what )?"
    r"(?:I|we)(?:['’]d be (?:glad|happy)|['’]m (?:happy|glad)|(?:['’]ll| can| could| do| know| will)\b)"
    r"|\b(?:I can|I could|I['’]ll gladly|happy to|glad to|feel free|ask away|I know)\b",
    re.IGNORECASE,
)
_TURN = re.compile(r"[,;:–—] ?(?:but|though|still|however|that said)?\b|\bbut\b", re.IGNORECASE)  # noqa: RUF001 - a dash
_ORDER = re.compile(r"```|^\s*(?:\d+[.)]|[-*•])\s", re.MULTILINE)


class Refusal(NamedTuple):
    """Where a reply declines or steers back.

    Attributes:
        cue: The words that do.
        start: Where they start in the reply.
        end: Where they end.
    """

    cue: str
    start: int
    end: int


def find_refusal(
    user: str, assistant: str, *, marker: str | None = "This is off-topic"
) -> Refusal | None:
    """Return where a reply declines the request or steers back from it, or None if it does not.

    A reply that answers all the same is no refusal, whatever it says before: what counts is how
    much is left when the declining sentences, the offers and the questions are taken out.

    Args:
        user: What was asked.
        assistant: The reply.
        marker: Words the assistant is told to say when it declines; None or empty for none.
    """
    found = _marked(assistant, marker) or _CUES.search(assistant)
    if not found or _answers(user, assistant, marker):
        return None
    return Refusal(found.group().strip(), found.start(), found.end())


def _marked(assistant: str, marker: str | None) -> re.Match[str] | None:
    """Find the marker at the start of a sentence, not quoted within one."""
    if not marker or not marker.strip():
        return None
    pattern = rf"(?:^|[.!?]\s+){re.escape(marker.strip())}"
    return re.search(pattern, assistant, re.IGNORECASE)


def _answers(user: str, assistant: str, marker: str | None) -> bool:
    if _ORDER.search(assistant):
        return True
    left = [word for text in _rest(assistant, marker) for word in content_words(text)]
    asked = set(content_words(user))
    return len([word for word in left if word not in asked]) > _LONGEST_ANSWER


def _rest(assistant: str, marker: str | None) -> Iterator[str]:
    """Yield what a reply says beside declining, offering and asking."""
    for sentence in sentences(assistant):
        cue = _marked(sentence, marker) or _CUES.search(sentence)
        if cue:
            behind = sentence[cue.end() :]
            turn = _TURN.search(behind)
            rest = behind[turn.end() :] if turn else ""
            if len(content_words(rest)) >= _LONGEST_REST and not _OFFER.search(rest.strip()):
                yield rest
        elif not sentence.rstrip().endswith("?") and not _OFFER.search(sentence):
            yield sentence
