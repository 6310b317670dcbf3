"""Whether two texts count as one, would be recalled for one another, or neither."""

from typing import Literal

from langchain_core.embeddings import Embeddings
from pydantic import BaseModel, ConfigDict

from langchain_drift.embeddings.default import default_embeddings
from langchain_drift.embeddings.vectors import embed
from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.action import MEANING, Action, ActionLike, read_action
from langchain_drift.mistakes.confidence import confidence
from langchain_drift.mistakes.evidence import NEAR
from langchain_drift.mistakes.messages import read_message, share
from langchain_drift.mistakes.settings import DriftGuardSettings, load_settings
from langchain_drift.mistakes.terms import words_of
from langchain_drift.mistakes.veto import find_conflicts
from langchain_drift.text.conflicts import Conflict
from langchain_drift.text.terms import CriticalTerms, critical_terms

Compared = Literal["action", "feedback", "outcome"]
_KINDS = ("action", "feedback", "outcome")
_CONFLICT_COSTS = 0.3
_SAME_WORDS = 0.8
_RELATED_WORDS = 0.5


class Comparison(BaseModel):
    """How two texts compare.

    Attributes:
        score: How alike they are, 0 to 1; it ranks, the rules decide.
        merges: Whether they are one memory: strict, so that no two mistakes become one.
        recalls: Whether one is warned about after the other failed once: generous.
        reason: Why, in a sentence.
        conflicts: What they contradict one another in, such as `numbers: 1 / 2`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    score: float
    merges: bool
    recalls: bool
    reason: str
    conflicts: tuple[str, ...] = ()


def compare_actions(
    a: ActionLike,
    b: ActionLike,
    kind: Compared = "action",
    *,
    settings: DriftGuardSettings | None = None,
    embeddings: Embeddings | None = None,
) -> Comparison:
    """Compare two actions, two pieces of feedback or two outcomes as a guard would.

    Args:
        a: A string; or for actions also a tool call `{"name": …, "args": {…}}`.
        b: The other one.
        kind: What the texts are.
        settings: The thresholds; by default those of a new guard.
        embeddings: Embedder for prose; by default the bundled one.

    Raises:
        InvalidInputError: If a text is of another kind or too long, or `kind` is unknown.
        EmbeddingError: If the embedder gives vectors that cannot be used.

    Example:
        ```python
        compare_actions("enable TLS", "disable TLS").merges  # False
        ```
    """
    if kind not in _KINDS:
        message = f"kind is {kind!r}, but must be one of {', '.join(_KINDS)}."
        raise InvalidInputError(message)
    settings = settings or load_settings()
    left, right = read_action(a), read_action(b)
    if left.key == right.key:
        reason = "They are the same but for spelling."
        return Comparison(score=1.0, merges=True, recalls=True, reason=reason)
    embeddings = embeddings or default_embeddings()
    if kind == "action":
        return _compare_actions(left, right, settings, embeddings)
    return _compare_messages(left.text, right.text, kind, settings, embeddings)


def _compare_actions(
    left: Action, right: Action, settings: DriftGuardSettings, embeddings: Embeddings
) -> Comparison:
    if left.is_code and right.is_code:
        return _compare_code(left, right, settings)
    if left.is_code == right.is_code:
        return _compare_prose(
            left.text, right.text, settings.similarity_threshold_action, settings, embeddings
        )
    found = _find_conflicts(left.text, right.text)
    score = _score(_cosine(left.text, right.text, embeddings), found)
    reason = "One is prose and the other code; they are not compared by meaning."
    return Comparison(
        score=score, merges=False, recalls=False, reason=reason, conflicts=_describe(found)
    )


def _compare_code(left: Action, right: Action, settings: DriftGuardSettings) -> Comparison:
    alike = share(words_of(left.terms), words_of(right.terms))
    weight = alike**NEAR
    recalls = confidence(weight, weight, 0) >= settings.retrieval_min_confidence
    reason = f"They share {alike:.0%} of their words; code means what it spells."
    # Only the very same call scores 1.
    return Comparison(score=min(alike, 0.99), merges=False, recalls=recalls, reason=reason)


def _compare_prose(
    left: str, right: str, threshold: float, settings: DriftGuardSettings, embeddings: Embeddings
) -> Comparison:
    cosine = _cosine(left, right, embeddings)
    found = _find_conflicts(left, right)
    merges = cosine >= threshold and not found and _name_the_same(left, right)
    sure = confidence(cosine, cosine, 0)
    recalls = (
        not found
        and cosine >= settings.retrieval_min_similarity
        and sure >= settings.retrieval_min_confidence
    )
    return Comparison(
        score=_score(cosine, found),
        merges=merges,
        recalls=merges or recalls,
        reason=_explain(cosine, found),
        conflicts=_describe(found),
    )


def _compare_messages(
    left: str, right: str, kind: str, settings: DriftGuardSettings, embeddings: Embeddings
) -> Comparison:
    mine, theirs = read_message(left), read_message(right)
    if not mine.names and not theirs.names:
        outcome = settings.similarity_threshold_outcome
        threshold = settings.similarity_threshold_feedback if kind == "feedback" else outcome
        return _compare_prose(left, right, threshold, settings, embeddings)
    names, words = share(mine.names, theirs.names), share(mine.words, theirs.words)
    merges = names == 1 and words >= _SAME_WORDS
    return Comparison(
        score=names * (1 + words) / 2,
        merges=merges,
        recalls=merges or (names > 0 and words >= _RELATED_WORDS),
        reason=f"They share {names:.0%} of the names and {words:.0%} of the other words.",
    )


def _cosine(left: str, right: str, embeddings: Embeddings) -> float:
    vectors = embed(embeddings, [left[:MEANING], right[:MEANING]])
    return float(vectors[0] @ vectors[1])


def _find_conflicts(left: str, right: str) -> tuple[Conflict, ...]:
    left, right = left[:MEANING], right[:MEANING]
    return find_conflicts(critical_terms(left), critical_terms(right), left, right)


def _name_the_same(left: str, right: str) -> bool:
    """Tell whether two texts name the same numbers, units, identifiers, paths and quotations."""
    return _named(critical_terms(left[:MEANING])) == _named(critical_terms(right[:MEANING]))


def _named(terms: CriticalTerms) -> tuple[frozenset[str], ...]:
    return terms.numbers, terms.units, terms.identifiers, terms.paths, terms.quoted


def _score(cosine: float, found: tuple[Conflict, ...]) -> float:
    return min(1.0, max(0.0, cosine - _CONFLICT_COSTS * bool(found)))


def _describe(found: tuple[Conflict, ...]) -> tuple[str, ...]:
    return tuple(f"{c.kind}: {', '.join(c.left)} / {', '.join(c.right)}" for c in found)


def _explain(cosine: float, found: tuple[Conflict, ...]) -> str:
    if found:
        return f"They contradict one another in {_describe(found)[0]} (cosine {cosine:.2f})."
    return f"Their meanings have a cosine of {cosine:.2f}, and nothing contradicts."
