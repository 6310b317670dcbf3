"""Refusals: whether a reply declines or steers back, by what it does and not by "sorry"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from langchain_drift.text import content_words, sentences

MARKER = "This is off-topic"
"""The default of every `off_topic_marker`."""

_LONGEST_ANSWER = 9
"""Content words of a reply, refusal and offers aside, from which it answers all the same."""

_LONGEST_REST = 7
"""Content words behind a "but" or a colon in a declining sentence from which it answers."""

_HELP = (
    r"(?:help|assist|do|provide|give|offer|discuss|answer|talk|speak|advise|cover|handle|judge"
    r"|write|recommend|support|share|comment|engage|diagnose|whip up|go (?:in|there)|weigh in"
    r"|take (?:on|that|this|sides)|tell|say|pick|choose|solve|speculate|predict)"
)
_HELPER = r"(?:assistant|guide|bot|helper|tutor|agent|desk|coach|expert|clerk)"
_WE = r"(?:I|we)"
_CUE_PARTS = (
    # Not able, not willing, not allowed.
    r"\b(?:can(?:not|'?t| not)|won'?t|wouldn'?t|unable to|not able to|no position to"
    r"|not (?:allowed|permitted|in a position|(?:really )?set up|equipped|trained|qualified"
    rf"|authori[sz]ed|meant|designed|made) to)\b[^.!?]{{0,20}}?\b{_HELP}\b",
    rf"\b{_WE}(?:'m| am|'re| are)? (?:must|have to|'ll have to|will have to|need to|rather|prefer)"
    r" (?:not|decline|pass|leave|skip|stop|refrain)\b",
    rf"\b{_WE}'(?:ll|d) (?:have to|rather|prefer to|better|best)? ?"
    r"(?:not|decline|pass|leave|skip|stop|refrain|keep)\b",
    rf"\b{_WE} (?:don'?t|do not) (?:really )?(?:do|handle|cover|deal|give|offer|discuss|write)\b",
    r"\b(?:not (?:give|offer|provide)|refrain from|must decline|steer clear of|pass on"
    r"|stay (?:away|out)|no (?:\w+ )?(?:advice|answers?|help|opinion) (?:from|here))\b",
    # Only something else.
    rf"\b(?:only|solely|exclusively|strictly|purely|limited to|restricted to) (?:(?:be )?able to "
    rf"|here (?:to|for) |trained (?:to|for|on) )?(?:{_HELP}|deal|know|stir|here|for|focus|work)\b",
    r"\b(?:limited|restricted|confined|dedicated) to\b",
    r"\b(?:keep(?:s|ing)?|stick(?:s|ing)?|stay) (?:me )?(?:away|to|with|on)\b",
    r"\bleave (?:that|this|it|the|\w+)(?: \w+){0,3} (?:to|for)\b",
    r"\bhand (?:that|this) (?:one )?(?:over )?to\b",
    rf"\b{_WE}(?:'m|'re| am| are) (?:just |only )?here (?:for|to)\b",
    rf"\b{_WE}(?:'m|'re| am| are) (?:just |only )?(?:an?|the|your) [\w -]{{3,30}}{_HELPER}\b",
    rf"\bas (?:an?|the|your|our) [\w' -]{{3,40}}{_HELPER}\b",
    r"\b(?:my|our) (?:job|role|purpose|business|expertise|knowledge|specialty|field) (?:is|ends)\b",
    # Not part of what this is.
    r"\b(?:outside|beyond|out of|far(?: away)? from) (?:of )?(?:what|my|our|me|the scope|scope)\b",
    r"\b(?:falls?|is|are|lies?|goes?|that's|it's)(?: \w+){0,2} (?:outside|beyond)\b",
    r"(?:n't|\bnot) (?:\w+ )?(?:something|anything|among|one of|part of|covered|(?:my|our|a)"
    r" (?:field|area|department|job|place|topic|subject|thing|special\w+|strength|strong"
    r"|forte|call)|our"
    r"|what (?:I'm|we're|I|we)|on (?:my|our)|within|in my|for me|mine)\b",
    rf"\bnothing {_WE} (?:do|can|cover)\b",
    r"\b(?:off[- ]limits|off[- ]topic|confidential|not a (?:topic|subject|matter|question))\b",
    r"\b(?:our|my|the|by) (?:\w+ )?(?:policy|policies|rules|guidelines)\b",
    # Back to what it is for.
    r"\b(?:let's|let us|shall we|can we|could we|we should|how about we) (?:please )?"
    r"(?:get back|go back|return|stay|stick|focus|come back|keep|turn|get on)\b",
    r"\bback to (?:your|the|our|work|business|what)\b",
    # Somebody else.
    r"\b(?:better|best) (?:off )?(?:asking|ask|put|asked|answered|left|directed|with|speaking)\b",
    r"\b(?:right|best|better) (?:person|people|place|one|address) (?:to|for)\b",
    r"\b(?:one|place|person|people) to (?:see|ask|turn to|talk to|contact)\b",
    r"\b(?:needs?|needed) to come from\b|\bshould be (?:seen|answered|checked|handled) by\b",
    r"\b(?:need|needs|use|try|ask|contact|see|consult) (?:an?|the|your|another|some) (?:\w+ )?"
    r"(?:different|other|another|doctor|lawyer|attorney|specialist|professional|service desk"
    r"|helpdesk)\b",
    # The same in other languages.
    r"\b(?:leider nicht|nicht helfen|kann ich nicht|nur (?:für|bei|zu)|no puedo ayudar|solo puedo"
    r"|ne peux pas|uniquement|non posso|posso solo|não posso|só posso|kan ik niet"
    r"|alleen helpen)\b",
)
_CUES = re.compile("|".join(_CUE_PARTS), re.IGNORECASE)
_OFFER = re.compile(
    r"^(?:(?:and |but |so |though |when|if|what|once)[^,]*, )?(?:what )?"
    rf"{_WE}(?:'d be (?:glad|happy)|'m (?:happy|glad)|(?:'ll| can| could| do| know| will)\b)"
    r"|\b(?:I can|I could|I'll gladly|happy to|glad to|feel free|ask away|I know)\b",
    re.IGNORECASE,
)
_TURN = re.compile(r"[,;:] ?(?:but|though|still|however|that said)?\b|\bbut\b", re.IGNORECASE)
_ORDER = re.compile(r"```|^\s*(?:\d+[.)]|[-*])\s", re.MULTILINE)
_QUOTES = str.maketrans("\u2019\u2018\u2013\u2014", "'',,")


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


def find_refusal(user: str, assistant: str, *, marker: str | None = MARKER) -> Refusal | None:
    """Return where a reply declines the request or steers back from it, or None if it does not.

    A reply that answers all the same is no refusal, whatever it says before: what counts is how
    much is left when the declining sentences, the offers and the questions are taken out.

    Args:
        user: What was asked.
        assistant: The reply.
        marker: Words the assistant is told to say when it declines; None or empty for none.
    """
    reply = assistant.translate(_QUOTES)
    found = _marked(reply, marker) or _CUES.search(reply)
    if not found or _answers(user, reply, marker):
        return None
    start, end = found.span()
    return Refusal(assistant[start:end].strip(), start, end)


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
