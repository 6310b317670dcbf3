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
        "Not judged: the turn or the prompt is not clearly in a language that the embedder "
        "reads. Pass multilingual embeddings to score it."
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
    nearer = f"nearer to {_topic(evidence.rival, evidence.rival_similarity)} than to {nearest}"
    is_nearer = evidence.rival_similarity > evidence.similarity
    is_alarm = verdict in (DriftVerdict.SEVERE, DriftVerdict.CRITICAL)
    if evidence.on_purpose >= _EVEN:
        return _fitting(evidence, nearest, is_late_alarm=is_alarm and turn_number > 1)
    if not is_alarm:
        alone = f"is {nearer}" if is_nearer else f"is no clear case, nearest to {nearest}"
        before = "one turn is little to go by"
        if turn_number > 1:
            before = "it follows turns that were on purpose"
        return f"this turn alone {alone}, but {before}"
    if is_nearer:
        return nearer
    words = ", ".join(evidence.new_words[:5])
    lacks = f"; words that it lacks: {words}" if words else ""
    return f"far from the nearest statement, {nearest}{lacks}"


def _fitting(evidence: TurnEvidence, nearest: str, *, is_late_alarm: bool) -> str:
    """Say what a turn fits that is on purpose by itself."""
    if is_late_alarm:
        return f"this turn is nearer to the purpose, {nearest}, but the turns before it were not"
    is_related = evidence.similarity < evidence.rival_similarity <= evidence.related_similarity
    if is_related and not evidence.known_words:
        related = _topic(evidence.related, evidence.related_similarity)
        return f"sounds like {related}, which is near the purpose"
    return f"nearest to {nearest}"


def _topic(about: str, similarity: float) -> str:
    return f"{_quoted(about)} ({similarity:.2f})"


def _quoted(text: str) -> str:
    text = " ".join(text.split()).rstrip(".")
    return f"“{text}”" if len(text) <= _LONGEST else f"“{text[: _LONGEST - 1]}…”"
