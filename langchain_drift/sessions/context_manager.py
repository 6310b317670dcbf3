"""The summaries of a conversation and the context they make, for one who keeps them himself."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage

from langchain_drift.counts import check_count
from langchain_drift.errors import FrozenContextError
from langchain_drift.sessions.exchange import Exchange
from langchain_drift.sessions.managed import ManagedContext, manage
from langchain_drift.sessions.summarize import Summarizer, check_summarizer, summarize
from langchain_drift.sessions.summary import SessionSummary, newest
from langchain_drift.sessions.tokens import check_budget, token_counter


class ContextManager:
    """Holds the summaries of past sessions and puts the managed context together.

    Not safe to change from several threads at once; `DriftTracker` is.

    Args:
        original_context: The system prompt, with its examples. It is never changed.
        max_summary_sessions: How many summaries to keep; 0 for none.
        summarize_fn: Who summarises: a function, a chat model, or None for the built-in extract.
        frozen: Whether the summaries may not be changed.
        max_tokens: The budget of the managed context; None for no limit.
        counter: What counts tokens: a function of messages or a model; None for an approximate
            count.

    Raises:
        InvalidInputError: If a parameter has a value it cannot take.
    """

    def __init__(  # noqa: PLR0913 - the published parameters and the budget
        self,
        original_context: str,
        max_summary_sessions: int = 3,
        summarize_fn: Summarizer | None = None,
        frozen: bool = False,  # noqa: FBT001, FBT002 - as published
        *,
        max_tokens: int | None = None,
        counter: object = None,
    ) -> None:
        check_summarizer(summarize_fn)
        self.original_context = original_context
        self.max_summary_sessions = check_count(
            "max_summary_sessions", max_summary_sessions, least=0, hint="0 keeps none"
        )
        self.summarize_fn = summarize_fn
        self.max_tokens = check_budget(max_tokens)
        self.count = token_counter(counter)
        self._frozen = bool(frozen)
        self._summaries: tuple[SessionSummary, ...] = ()

    @property
    def frozen(self) -> bool:
        """Whether the summaries may not be changed."""
        return self._frozen

    @property
    def summaries(self) -> list[SessionSummary]:
        """The summaries kept, oldest first."""
        return list(self._summaries)

    def freeze(self) -> None:
        """Refuse changes of the summaries from now on."""
        self._frozen = True

    def unfreeze(self) -> None:
        """Allow changes again."""
        self._frozen = False

    def add_session_summary(
        self,
        session_text: str | Sequence[Exchange],
        session_number: int,
        turn_count: int,
        final_drift_score: float | None = None,
    ) -> SessionSummary:
        """Summarise a session and keep the summary.

        Args:
            session_text: What was said: exchanges, or a text.
            session_number: The session, from 1.
            turn_count: How many turns it had.
            final_drift_score: The running score at its end, 0 to 100.

        Raises:
            FrozenContextError: If the context is frozen.
            SummaryError: If the summary is empty.
        """
        self._check_frozen("add a summary")
        exchanges = [Exchange(session_text, "")] if isinstance(session_text, str) else session_text
        summary = SessionSummary(
            session_number=session_number,
            summary=summarize(exchanges, self.summarize_fn),
            turn_count=turn_count,
            final_drift_score=final_drift_score,
        )
        self._summaries = newest([*self._summaries, summary], self.max_summary_sessions)
        return summary

    def clear_history(self) -> None:
        """Forget all summaries.

        Raises:
            FrozenContextError: If the context is frozen.
        """
        self._check_frozen("clear the history")
        self._summaries = ()

    def load_summaries(self, summaries_data: Iterable[SessionSummary | Mapping[str, Any]]) -> None:
        """Take over summaries, the newest `max_summary_sessions` of them, instead of those held.

        Raises:
            InvalidInputError: If one is no summary.
        """
        loaded = [SessionSummary.of(each) for each in summaries_data]
        self._summaries = newest(loaded, self.max_summary_sessions)

    def export_summaries(self) -> list[dict[str, Any]]:
        """Return the summaries as plain JSON."""
        return [summary.to_dict() for summary in self._summaries]

    def build_managed_context(self) -> str:
        """Return the original context and the summaries, as one system message.

        Raises:
            BudgetError: If the original context alone is more than the budget.
        """
        return self.manage().text

    def manage(self, live: Sequence[BaseMessage] = ()) -> ManagedContext:
        """Return the managed context with live messages, and what it cost; see `managed.manage`.

        Raises:
            BudgetError: If what must be in it is more than the budget.
        """
        return manage(
            self.original_context,
            live,
            self._summaries,
            max_tokens=self.max_tokens,
            max_summaries=self.max_summary_sessions,
            count=self.count,
        )

    def estimate_token_count(self) -> int:
        """Return how many tokens the managed context counts."""
        return self.count([SystemMessage(self.build_managed_context())])

    def _check_frozen(self, doing: str) -> None:
        if self._frozen:
            message = f"The context is frozen, so it cannot {doing}; call unfreeze() first."
            raise FrozenContextError(message)
