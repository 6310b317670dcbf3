"""Attempts of a user to change the assistant's instructions."""

import re

_WHAT = (
    r"(?:instructions?|rules?|prompts?|guidelines?|restrictions?|guardrails|programming|polic(?:y|ies)"
    r"|directives?|role|purpose|system prompt|constraints?|limitations?)"
)
_INJECTION = re.compile(
    rf"\b(?:ignore|disregard|forget|bypass|override|drop|discard|skip|set aside)\b[^.!?\n]{{0,40}}?\b"
    rf"(?:previous|prior|above|earlier|all|your|the|any|these|those|system|original|initial)\b"
    rf"[^.!?\n]{{0,30}}?\b{_WHAT}\b"
    r"|\bforget (?:(?:that |about )?(?:you(?:['’]re| are| were)|being)\b|(?:about )?(?:the|your|all|all the|that|this) "
    r"(?!(?:pin|password|code|date|order|appointment|card|other|last|first|one|idea)s?\b)[\w-]+(?: (?:stuff|thing|things|talk|job|bot))?)"
    r"(?=[^.!?\n]{0,40}(?:\band\b|[,;:.–—-]|$))"  # noqa: RUF001 - a dash
    r"|\byou are (?:now|no longer)\b|\bfrom now on,? (?:you|act|be|behave|pretend|respond|answer|ignore)"
    r"|\b(?:pretend|act as if|imagine)(?: that)? you (?:have no|are not|aren['’]t|don['’]t have|had no)\b"
    r"|\bnew (?:system )?(?:prompt|instructions?|role)\s*:|\b(?:developer|god|jailbreak|dan) mode\b|\bjailbreak\b"
    rf"|\boverride your\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[.!?\n;:,–—]|\s-\s|\band\b", re.IGNORECASE)  # noqa: RUF001 - a dash


def without_injection(text: str) -> tuple[str, bool]:
    """Take attempts to change the assistant's instructions out of a user's text.

    What they name (`forget the bank`) says nothing about what the turn is about.

    Args:
        text: What the user said.

    Returns:
        The text without the clauses that make such an attempt, and whether there was one.
    """
    kept: list[str] = []
    start = 0
    for found in _INJECTION.finditer(text):
        if found.start() < start:
            continue
        kept.append(text[start : found.start()])
        end = _CLAUSE_END.search(text, found.end())
        start = end.end() if end else len(text)
    kept.append(text[start:])
    if len(kept) == 1:
        return text, False
    return " ".join(" ".join(kept).split()), True
