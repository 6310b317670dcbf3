"""Attempts of a user to change the assistant's instructions."""

import re
from collections.abc import Iterator

_DROP = (
    r"(?:ignore|disregard|forget|bypass|override|overrule|drop|discard|skip|abandon|neglect|break"
    r"|violate|set aside|do not follow|don't follow|stop (?:following|obeying))"
)
_WHAT = (
    r"(?:instructions?|rules?|prompts?|guidelines?|restrictions?|guardrails|safeguards|filters"
    r"|programming|training|directives?|roles?|purpose|constraints?|limit(?:ation)?s|system prompt"
    r"|system message|(?:safety|content|usage) polic(?:y|ies))"
)
_WHICH = (
    r"(?:all|any|every|each|of|the|these|those|this|that|previous|prior|above|earlier|preceding"
    r"|initial|original|existing|current|system|safety|ethical|content|developer|internal)"
)
_FREE = r"(?:DAN|uncensored|unrestricted|unfiltered|jailbroken)"
_MODE = r"(?:developer|god|jailbreak|dan|debug|admin|unrestricted|sudo) mode"
# What an assistant can be for; to forget a coffee or a PIN is an order of another kind.
_PLACE = (
    r"(?:(?:bank(?:ing)?|pharmacy|museum|library|clinic|company|insurance|cooking|customer service)"
    r"(?: (?:stuff|things?|talk|job|bot|role|topics?|business))?"
    r"|[\w-]+ (?:stuff|talk|job|bot|assistant|topics?))"
)
_ELSE = (
    r"(?:(?:just|please|now|then|instead|let's) )*(?:write|tell|sing|play|pretend|act|talk|compose"
    r"|recite|rap|chat|explain|teach|be my)\b"
)
_ORDINARY = (
    r"(?:pins?|passwords?|codes?|dates?|orders?|appointments?|cards?|others?|last|first|second|one"
    r"|idea|times?|names?|address|it|that|what|how|to|my)\b"
)
_PARTS = (
    # Of the rules of something else ("the instructions in my letter") anyone may speak.
    rf"{_DROP} (?:(?:{_WHICH} ){{1,6}}(?:your )?|(?:all )?(?:of )?your (?:[\w-]+ ){{0,2}}){_WHAT}\b"
    r"(?! (?:in|on|of|from|for|by|about|with) (?!your|this|now|once|a (?:moment|minute|while)))"
    rf"(?:,? (?:and|or) (?:(?:{_WHICH}|your) ){{0,4}}{_WHAT}\b)*",
    rf"{_DROP} (?:everything|anything|all|whatever|what) (?:(?:that )?(?:was |is |comes |came )?"
    r"(?:above|before this)|(?:that )?you(?:'ve| have| were| are| know)\b|your \w+ (?:said|told))",
    r"forget (?:that |about )?(?:you(?:'re| are| were)|being)\b",
    rf"forget (?:about )?(?:(?:the|your|this|that|all|any) ){{0,2}}{_PLACE}\b",
    rf"forget (?:about )?(?:(?:the|your|this|all) ){{0,2}}(?!{_ORDINARY})[\w-]+"
    rf"(?=(?:,| and|;|\.| -) {_ELSE})",
    rf"(?:you(?:'re| are)|u are) now (?:{_FREE}|(?-i:[A-Z]{{3,}})|in \w+ mode|(?:an?|the|my) "
    r"(?!hour|day|week|minute|few|bit|little|branch|part|member|partner|customer|new)\w+)",
    r"you(?:'re| are) no longer (?:an?|the|bound|limited|restricted|required|obliged)\b",
    rf"you (?:now )?(?:have no|don't have(?: any)?|need no|(?:don't|do not) (?:have|need) to follow"
    rf"(?: any| the| your)?) (?:\w+ )?{_WHAT}\b",
    r"from now on,? (?:please )?(?:you(?:'re| are| act| behave| obey| have no)|you (?:will|must"
    r"|shall|should) (?:act|be|behave|obey|ignore|pretend)|act|behave|pretend|ignore|obey"
    r"|be (?:an?|my|the)|(?:answer|respond|speak|talk|reply) (?:like|as|without|with no))\b",
    r"(?:pretend|imagine|act as if|act as though|act like|suppose)(?: that)? you (?:have no|had no"
    r"|(?:are not|aren't|were not|weren't) (?:an?|the|bound|limited|restricted|subject)|don't have"
    r"|are without|can do anything|don't (?:need|have) to)\b",
    rf"(?:pretend to be|act as|be|roleplay as|you are) (?:an? )?(?:\w+ )?{_FREE}\b",
    r"new (?:system )?(?:prompt|instructions?|role)\s*:|system (?:prompt|message|override)\s*:",
    rf"your new (?:{_WHAT}|task|job|identity) (?:is|are)\b",
    rf"(?:enable|activate|enter|engage|start|switch to|go into|turn on) (?:the |your )?{_MODE}\b"
    r"(?! (?:on|in|for|of) )",
    rf"{_MODE} (?:on|enabled|activated|engaged)\b|do anything now\b|jailbreak (?:yourself|mode)\b"
    r"|here is a jailbreak\b|jailbreak(?=\s*(?:[.!]|$))",
)
_INJECTION = re.compile(rf"\b(?:{'|'.join(_PARTS)})", re.IGNORECASE)
# An attempt orders: it opens a sentence or a clause. "I forget …" and "don't forget …" do not.
_OPENING = re.compile(
    r"(?:^|[.!?;:,\n(\[\"'*#>-]|\b(?:and|or|but|so|then|also|you (?:must|should|can|may|will|shall)"
    r"|you (?:need|have) to|you to|let's|(?:can|could|would|will) you|that|because|instead))\s*"
    r"(?:\b(?:please|now|just|first|ok|okay|hey|hi|hello|kindly|simply|well|assistant)\b\W*)*$",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"(?:\b(?:please|now|just|first|kindly|simply|i (?:want|need|order) you to|you (?:must|should"
    r"|can|may|will|shall|need to|have to))\s+)+$",
    re.IGNORECASE,
)
_LINK = re.compile(r",?\s*\b(?:and|but|so|then)\s*$", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.!?\n;:,]+|\s-\s|\band\b", re.IGNORECASE)
_SENTENCE_ENDS = frozenset(".!?\n")
_WINDOW = 60
_MARKS = str.maketrans("\u2019\u2013\u2014", "',,")


def without_injection(text: str) -> tuple[str, bool]:
    """Take attempts to change the assistant's instructions out of a user's text.

    What they name (`forget the bank`) says nothing about what the turn is about.

    Args:
        text: What the user said.

    Returns:
        The text without the clauses that make such an attempt, and whether there was one.
    """
    plain = text.translate(_MARKS)
    kept: list[str] = []
    position = 0
    for start, end in _attempts(plain):
        # Nothing follows in the sentence that its last "and" could link to.
        is_last = end == len(text) or plain[end - 1] in _SENTENCE_ENDS
        link = _LINK.search(plain, max(position, start - _WINDOW), start) if is_last else None
        kept.append(text[position : link.start() if link else start])
        position = end
    if not position:
        return text, False
    kept.append(text[position:])
    return " ".join(filter(None, (part.strip() for part in kept))), True


def _attempts(plain: str) -> Iterator[tuple[int, int]]:
    """Yield where the clauses that make an attempt start and end, in order and apart."""
    last = 0
    for found in _INJECTION.finditer(plain):
        before = plain[max(last, found.start() - _WINDOW) : found.start()]
        if found.start() < last or not _OPENING.search(before):
            continue
        polite = _POLITE.search(before)
        start = found.start() - (len(polite[0]) if polite else 0)
        end = _CLAUSE_END.search(plain, found.end())
        last = end.end() if end else len(plain)
        yield start, last
