"""Attempts of a user to change the assistant's instructions."""

import re

_WHAT = (
    r"(?:instructions?|rules?|prompts?|guidelines?|restrictions?|guardrails|programming"
    r"|polic(?:y|ies)|directives?|role|purpose|system prompt|constraints?|limitations?)"
)
_DROP = r"(?:ignore|disregard|forget|bypass|override|drop|discard|skip|set aside)"
_WHOSE = r"(?:previous|prior|above|earlier|all|your|the|any|these|those|system|original|initial)"
_ORDINARY = (
    r"(?:pin|password|code|date|order|appointment|card|other|last|first|one|idea|time|name|address)"
)
_PARTS = (
    rf"\b{_DROP}\b[^.!?\n]{{0,40}}?\b{_WHOSE}\b[^.!?\n]{{0,30}}?\b{_WHAT}\b",
    r"\bforget (?:that |about )?(?:you(?:'re| are| were)|being)\b",
    # "forget the bank and …": what is forgotten is what the assistant is for.
    rf"\bforget (?:about )?(?:the|your|all|all the|that|this) (?!{_ORDINARY}s?\b)[\w-]+"
    r"(?: (?:stuff|things?|talk|job|bot))?(?=[^.!?\n]{0,40}(?:\band\b|[,;:.-]|$))",
    r"\byou are (?:now (?:an?|the|my|in|(?-i:[A-Z]{2,}))|no longer (?:an?|the|bound|limited))\b",
    r"\bfrom now on,? (?:you|act|be|behave|pretend|respond|answer|ignore)\b",
    r"\b(?:pretend|act as if|imagine)(?: that)? you"
    r" (?:have no|are not|aren't|don't have|had no) (?:\w+ ){0,3}(?:rules?|limits?|restrictions?"
    r"|guidelines?|an? (?:\w+ )?(?:assistant|bot))\b",
    r"\bnew (?:system )?(?:prompt|instructions?|role)\s*:",
    r"\b(?:developer|god|jailbreak|dan) mode\b|\bjailbreak\b",
)
_INJECTION = re.compile("|".join(_PARTS), re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.!?\n;:,]|\s-\s|\band\b", re.IGNORECASE)
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
    start = 0
    for found in _INJECTION.finditer(plain):
        if found.start() < start:
            continue
        kept.append(text[start : found.start()])
        end = _CLAUSE_END.search(plain, found.end())
        start = end.end() if end else len(text)
    if not kept:
        return text, False
    kept.append(text[start:])
    return " ".join(" ".join(kept).split()), True
