"""Have we failed at this before? The answer from a list of events, without a store."""

import time
from collections.abc import Iterable

from langchain_core.embeddings import Embeddings

from langchain_drift.embeddings.default import default_embeddings
from langchain_drift.mistakes.action import ActionLike, read_action
from langchain_drift.mistakes.event import Event
from langchain_drift.mistakes.evidence import Question
from langchain_drift.mistakes.index import ScopeIndex
from langchain_drift.mistakes.recording import embed_action, make_records
from langchain_drift.mistakes.review import GuardReview
from langchain_drift.mistakes.reviewing import make_review
from langchain_drift.mistakes.settings import DriftGuardSettings, load_settings


def match(
    action: ActionLike,
    events: Iterable[Event],
    *,
    settings: DriftGuardSettings | None = None,
    embeddings: Embeddings | None = None,
    now: float | None = None,
) -> GuardReview:
    """Review an action by events, in the order they happened; a pure function.

    The prose of the events is embedded in one call.

    Args:
        action: The action.
        events: Mistakes and successes; their scopes are not looked at.
        settings: By default from the environment.
        embeddings: Embedder for prose; by default the bundled one.
        now: The present in seconds since 1970; by default the clock's.

    Raises:
        InvalidInputError: If the action cannot be used.
        EmbeddingError: If the embedder gives vectors that cannot be used.
    """
    settings = settings or load_settings()
    embeddings = embeddings or default_embeddings()
    asked = read_action(action)
    question = Question(
        action=asked,
        vector=embed_action(asked, embeddings),
        index=ScopeIndex(make_records(events, embeddings)),
        now=time.time() if now is None else now,
        least_similarity=settings.retrieval_min_similarity,
        recency_weight=settings.retrieval_recency_weight,
    )
    return make_review(question, settings)
