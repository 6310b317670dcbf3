"""Failures that say try again later, and nothing about the action."""

import re

_READ = 4000
_STATUS = r"(?:408|425|429|500|502|503|504|529)"
_TRANSIENT = re.compile(
    rf"""
    \b(?:timed[ -]?out|time-?out[ ](?:error|exceeded|expired|after|while|waiting|reached)
        |(?:request|read|write|connect(?:ion)?|gateway|socket|server|operation)[ _-]?time-?out
        |TimeoutError|ReadTimeout|ConnectTimeout|deadline[ ]exceeded)\b
    |\b(?:rate[ -]?limit(?:s|ed|ing)?|too[ ]many[ ]requests|throttl(?:ed|ing)|overloaded
        |quota[ ]exceeded|resource[ ]exhausted)\b
    |\b(?:service[ ](?:is[ ])?(?:temporarily[ ])?unavailable|temporarily[ ]unavailable
        |temporary[ ]failure|bad[ ]gateway|internal[ ]server[ ]error|upstream[ ]error
        |try[ ]again[ ](?:later|in[ ]\d|after)|please[ ]retry)\b
    |\b(?:connection[ ](?:was[ ])?(?:reset|refused|aborted|closed|lost)
        |network[ ](?:is[ ])?unreachable|ECONNRESET|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN
        |ConnectionResetError|deadlock[ ]found|database[ ]is[ ]locked)\b
    |\b(?:https?|status(?:[ ]code)?|error(?:[ ]code)?|returned|responded[ ]with|got|code)
        [ :=]{{1,3}}{_STATUS}\b
    |^\s*{_STATUS}\b(?=\s*(?:$|[:;,.(-]|upstream|error|from|bad|service|too|gateway|internal))
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_transient(feedback: str) -> bool:
    """Tell whether feedback speaks of a passing failure: a timeout, a rate limit, a 5xx.

    Such a failure says nothing about the action, so it is not learnt. The first 4,000 characters
    are read.
    """
    return bool(_TRANSIENT.search(feedback[:_READ]))
