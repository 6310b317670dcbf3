"""One or two sentences that say why a turn got its score."""

from langchain_drift.conversation.result import Abstention, Cause, TurnEvidence
from langchain_drift.conversation.verdict import DriftVerdict

_EVEN = 0.5
_LONGEST = 90

_ABSTAINED = {
    Abstention.NO_REPLY: "Not judged: the assistant gave no text.",
    Abstention.NO_TOPIC: (
        "Not judged: the system prompt names no topic. Say what the assistant is for, "
        "or pass few_shot_examples."
    ),
    Abstention.NOTHING_TO_JUDGE: "Not judged: too little text to have a topic; the score stays.",
    Abstention.UNSUPPORTED_LANGUAGE: (
        "Not judged: the embedder does not read this language. "
        "Pass multilingual embeddings to score it."
    ),
}

_BANDS = {
    DriftVerdict.FRESH: "On purpose",
    DriftVerdict.MILD: "On purpose, with a little doubt",
    DriftVerdict.MODERATE: "Doubtful",
    DriftVerdict.SEVERE: "Off purpose",
    DriftVerdict.CRITICAL: "Clearly off purpose",
}


def explain(  # noqa: PLR0913 - what an explanation is made of
    verdict: DriftVerdict,
    *,
    evidence: TurnEvidence | None,
    abstained: Abstention | None,
    cause: Cause | None,
    refused: bool,
    turn_number: int,
) -> str:
    """Return the explanation of a turn, from what its verdict stands on."""
    if abstained:
        return _ABSTAINED[abstained]
    if evidence is None:
        return f"{_BANDS[verdict]}."
    if refused:
        return _refusal(evidence, cause)
    said = f"{_BANDS[verdict]}: {_reason(verdict, evidence, turn_number)}."
    if evidence.is_injection:
        said += " The user tried to change the instructions."
    if cause is Cause.ASSISTANT:
        said += " The user kept to the purpose; the reply did not."
    return said


def _refusal(evidence: TurnEvidence, cause: Cause | None) -> str:
    asked = "an off-purpose request" if cause is Cause.USER else "the request"
    return f"The assistant declined or steered back ({_quoted(evidence.cue)}) from {asked}."


def _reason(verdict: DriftVerdict, evidence: TurnEvidence, turn_number: int) -> str:
    nearest = f"{_quoted(evidence.nearest)} ({evidence.similarity:.2f})"
    rival = f"{_quoted(evidence.rival)} ({evidence.rival_similarity:.2f})"
    is_on = evidence.on_purpose >= _EVEN
    is_alarm = verdict in (DriftVerdict.SEVERE, DriftVerdict.CRITICAL)
    if is_on and is_alarm and turn_number > 1:
        return f"this turn is nearer to the purpose, {nearest}, but the turns before it were not"
    if is_on:
        return f"nearest to {nearest}"
    if not is_alarm:
        before = "one turn is little to go by"
        if turn_number > 1:
            before = "it follows turns that were on purpose"
        return f"this turn alone is far from {nearest}, but {before}"
    if evidence.rival_similarity > evidence.similarity:
        return f"nearer to {rival} than to {nearest}"
    words = ", ".join(evidence.new_words[:5])
    lacks = f"; words that it lacks: {words}" if words else ""
    return f"far from the nearest statement, {nearest}{lacks}"


def _quoted(text: str) -> str:
    text = " ".join(text.split()).rstrip(".")
    return f"“{text}”" if len(text) <= _LONGEST else f"“{text[: _LONGEST - 1]}…”"
