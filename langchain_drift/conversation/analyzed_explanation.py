"""The explanation of a turn, with the words and names that a text analyzer finds."""

from collections.abc import Iterable
from functools import lru_cache, partial

from langchain_drift.conversation.explanation import explain
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.scorer import ExplainFunction
from langchain_drift.conversation.turn import Turn
from langchain_drift.errors import InvalidInputError
from langchain_drift.text import TextAnalyzer, passages

_KEPT_PURPOSES = 64
_MOST_SHOWN = 5


def explain_with(analyzer: TextAnalyzer) -> ExplainFunction:
    """Return an `explain_fn` that adds an analyzer's words and names to the explanation.

    Of a turn that was judged it tells the lemmas that the purpose knows, those that it does not,
    and what the turn names, up to five of each. Scores do not change. Of a long text the same
    passages are analysed that an embedder reads.

    Args:
        analyzer: For example `SpacyTextAnalyzer`, or `DefaultTextAnalyzer`, which needs no extra.

    Raises:
        InvalidInputError: If it has no `lemmas` and `entities`.

    Example:
        ```python
        from langchain_drift.text import SpacyTextAnalyzer

        DriftTracker("…", explain_fn=explain_with(SpacyTextAnalyzer("en")))
        ```
    """
    if not all(callable(getattr(analyzer, name, None)) for name in ("lemmas", "entities")):
        message = (
            f"analyzer is {analyzer!r:.80}, which has no lemmas(text) and entities(text); pass "
            "SpacyTextAnalyzer() or DefaultTextAnalyzer()."
        )
        raise InvalidInputError(message)
    vocabulary = lru_cache(maxsize=_KEPT_PURPOSES)(partial(_vocabulary, analyzer))

    def explain_fn(result: TurnResult, purpose: Purpose) -> str:
        if result.abstained or result.refused:
            return _built_in(result)
        text = _text(result)
        lemmas, known = list(dict.fromkeys(analyzer.lemmas(text))), vocabulary(purpose)
        found = {
            "words of the purpose": [lemma for lemma in lemmas if lemma in known],
            "new words": [lemma for lemma in lemmas if lemma not in known],
            "named": analyzer.entities(text),
        }
        told = "; ".join(f"{name}: {_listed(these)}" for name, these in found.items() if these)
        return f"{_built_in(result)} {told[:1].upper()}{told[1:]}." if told else _built_in(result)

    return explain_fn


def _built_in(result: TurnResult) -> str:
    """Return the built-in explanation, without the new words, which are told apart."""
    assert result.drift is not None  # noqa: S101 - a turn is explained once it is scored
    evidence = result.evidence and result.evidence.model_copy(update={"new_words": ()})
    return explain(
        result.drift.verdict,
        evidence=evidence,
        abstained=result.abstained,
        cause=result.cause,
        refused=result.refused,
        turn_number=result.drift.turn_number,
    )


def _vocabulary(analyzer: TextAnalyzer, purpose: Purpose) -> frozenset[str]:
    return frozenset(lemma for text in purpose.statements for lemma in analyzer.lemmas(text))


def _text(result: TurnResult) -> str:
    turn = Turn(user=result.user_message, assistant=result.assistant_response).to_prose()
    return "\n".join((*passages(turn.user).texts, *passages(turn.assistant).texts))


def _listed(words: Iterable[str]) -> str:
    return ", ".join(list(words)[:_MOST_SHOWN])
