"""Wording: the one sentence in which a report tells its reason."""

from collections.abc import Sequence

from langchain_drift.retrieval.report import UNDECIDED, SentenceSupport

NO_CONTEXT = "Nothing was retrieved, so nothing can carry the answer."

_MOST_TERMS = 4
_LONGEST = 80


def scored_reason(score: float, threshold: float, sentences: Sequence[SentenceSupport]) -> str:
    """Say why an answer did or did not drift."""
    worst = max(sentences, key=lambda each: each.drift_score * each.weight)
    strict = [each for each in sentences if each.contradicted]
    if score <= threshold:
        return f"The chunks carry the answer (drift {score:.2f}, at most {threshold:.2f})."
    if strict:
        return f"“{_short(strict[0].text)}” contradicts “{_short(strict[0].support or '')}”."
    if not worst.unsupported:
        return f"No chunk says it this way: “{_short(worst.text)}”."
    terms = ", ".join(worst.unsupported[:_MOST_TERMS])
    return f"“{_short(worst.text)}”: no chunk holds {terms}."


def abstained_reason(*, is_empty: bool, fits: float | None) -> str:
    """Say that there was no answer to judge, and whether the chunks had one."""
    said = "The answer is empty" if is_empty else "The answer says that it has none"
    if fits is None:
        return f"{said}."
    if fits >= UNDECIDED:
        return f"{said}, although the chunks seem to answer the question."
    return f"{said}, and the chunks do not seem to answer the question either."


def language_reason(answer: str, chunks: str) -> str:
    """Say that the languages cannot be judged."""
    if answer == chunks:
        return (
            f"The embedder does not read the language ({answer}); use method='lexical', or pass "
            "a multilingual embedder."
        )
    return (
        f"The answer ({answer}) and the chunks ({chunks}) are in different languages; pass a "
        "multilingual embedder."
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
