"""The façade: one conversation, tracked turn by turn and session by session."""

import os
from collections.abc import Iterable, Sequence
from copy import deepcopy
from functools import partial
from typing import Literal
from uuid import uuid4

from langchain_core.messages import BaseMessage

from langchain_drift.conversation.published_contract import initial_context
from langchain_drift.conversation.refusal import MARKER
from langchain_drift.conversation.result import DriftReport, TurnResult
from langchain_drift.conversation.scorer import DriftScorer, ExplainFunction, ScorerState
from langchain_drift.conversation.strategy import Strategy
from langchain_drift.conversation.turn import FewShotExample
from langchain_drift.display import Table
from langchain_drift.errors import InvalidInputError, SummaryError
from langchain_drift.sessions.context_manager import ContextManager
from langchain_drift.sessions.file_keeper import FileKeeper
from langchain_drift.sessions.keeper import Keeper
from langchain_drift.sessions.summarize import Summarizer, asummarize, summarize
from langchain_drift.tracking.strategy import make_strategy
from langchain_drift.tracking.tracked import Tracked

_MODES = ("always", "ondemand")
_TRIES = 5
"""How often a session that others go on with is summarised anew."""
_NEVER_STILL = (
    f"Turns were recorded while the session was summarised, {_TRIES} times in a row; the session "
    "goes on. End it when nobody is recording, or with a summarizer that is quicker."
)


class DriftTracker:
    """Tracks one conversation: record each turn, read where it stands, end a session.

    Safe to share between threads; turns are scored in the order they are recorded. With `persist`
    it goes on where the file left off, and processes with the same file share the conversation.

    Args:
        system_prompt: The system prompt that says what the conversation is for.
        few_shot_examples: Exchanges that show the purpose in practice.
        mode: `always` scores every recorded turn; `ondemand` scores when `check` is called.
        strategies: How turns are judged; several are averaged. By default `PurposeStrategy`.
        decay_rate: Only for `PublishedFormulaStrategy`; refused with any other.
        window_size: Only for `PublishedFormulaStrategy`; refused with any other.
        persist: Whether to keep the conversation in a file.
        persist_path: Of that file.
        max_summary_sessions: How many summaries of past sessions the managed context has.
        summarize_fn: Who summarises a session that ends: a function of its text, a chat model, or
            None for the built-in extract.
        strip_md: Whether Markdown marks are removed before judging.
        frozen: Whether summaries may not be changed; see `freeze_context`.
        off_topic_marker: Words the assistant is told to say when it declines; None for none. Given
            beside `strategies` it replaces theirs, and is refused if none looks for refusals.
        explain_fn: Makes the explanation of a turn of its result and the purpose.
        session_id: A name for the conversation; random if not given.
        max_tokens: The budget of the managed context; None for no limit.
        token_counter: What counts tokens: a function of messages or a model; by default an
            approximate count.

    Raises:
        InvalidInputError: If a parameter has a value it cannot take.
        StoreError: If the file cannot be used or is damaged; it is left as it is.

    Example:
        ```python
        tracker = DriftTracker(system_prompt="You are a banking assistant.")
        result = tracker.record_turn("What is my balance?", "It is 12 euros.")
        result.drift.score, result.drift.verdict, result.explanation
        tracker.end_session()
        tracker.get_managed_context()  # the prompt and what was said before
        ```
    """

    def __init__(  # noqa: PLR0913 - the published parameters
        self,
        system_prompt: str,
        few_shot_examples: Iterable[FewShotExample] | None = None,
        *,
        mode: Literal["always", "ondemand"] = "always",
        strategies: Sequence[Strategy] | None = None,
        decay_rate: float | None = None,
        window_size: int | None = None,
        persist: bool = False,
        persist_path: str | os.PathLike[str] = ".session_memory",
        max_summary_sessions: int = 3,
        summarize_fn: Summarizer | None = None,
        strip_md: bool = True,
        frozen: bool = False,
        off_topic_marker: str | None = MARKER,
        explain_fn: ExplainFunction | None = None,
        session_id: str | None = None,
        max_tokens: int | None = None,
        token_counter: object = None,
    ) -> None:
        if mode not in _MODES:
            message = f"mode must be one of {', '.join(_MODES)}, not {mode!r}."
            raise InvalidInputError(message)
        strategy = make_strategy(
            strategies, off_topic_marker, decay_rate=decay_rate, window_size=window_size
        )
        self.mode = mode
        scorer = DriftScorer(
            system_prompt,
            few_shot_examples or (),
            strategy=strategy,
            strip_md=strip_md,
            explain_fn=explain_fn,
        )
        context = ContextManager(
            initial_context(scorer.purpose),
            max_summary_sessions,
            summarize_fn,
            max_tokens=max_tokens,
            counter=token_counter,
        )
        # A prompt beyond the budget is told now.
        original = context.build_managed_context()
        keeper = FileKeeper(original, persist_path) if persist else Keeper(original)
        self._tracked = Tracked(scorer, keeper, context, session_id or uuid4().hex[:12])
        self._keeper = keeper
        if frozen and not self.is_frozen:
            self.freeze_context()

    @property
    def scorer(self) -> DriftScorer:
        """What scores the turns."""
        return self._tracked.scorer

    @property
    def session_id(self) -> str:
        """The name of the conversation."""
        return self._tracked.session_id

    @property
    def session_number(self) -> int:
        """The running session, from 1."""
        with self._keeper.locked():
            return self._keeper.number

    @property
    def turn_count(self) -> int:
        """Recorded turns of the running session, scored or waiting."""
        with self._keeper.locked():
            return self._keeper.turns

    @property
    def is_frozen(self) -> bool:
        """Whether summaries may not be changed."""
        with self._keeper.locked():
            return self._keeper.frozen

    @property
    def state(self) -> ScorerState:
        """A copy of the state of the running session, as plain JSON."""
        with self._keeper.locked():
            return deepcopy(self._tracked.state())

    @property
    def context_manager(self) -> ContextManager:
        """A copy of what makes the managed context; to change it use the tracker's methods."""
        with self._keeper.locked():
            return self._tracked.manager()

    @property
    def recent(self) -> tuple[TurnResult, ...]:
        """The last turns scored here in the running session, at most 40, oldest first."""
        with self._keeper.locked():
            return tuple(self._tracked.recent)

    def record_turn(self, user_message: object, assistant_response: object) -> TurnResult:
        """Record a turn and, in mode `always`, score it.

        Args:
            user_message: What the user said: a string, None or a list of content blocks.
            assistant_response: What the assistant answered, likewise. An empty or missing reply
                is not judged and leaves the score as it is.

        Raises:
            InvalidInputError: If a message is of another kind; nothing is recorded then.
            EmbeddingError: If the embedder fails; nothing is recorded then.
            StoreError: If the file cannot be written; nothing is recorded then.
        """
        tracked = self._tracked
        with self._keeper.locked():
            if self.mode == "ondemand":
                return tracked.wait(user_message, assistant_response)
            return tracked.keep(
                *self.scorer.step(tracked.state(), user_message, assistant_response)
            )

    async def arecord_turn(self, user_message: object, assistant_response: object) -> TurnResult:
        """Record a turn without blocking the event loop; see `record_turn`.

        Concurrent calls on one tracker are scored in turn; each is scored from the state that
        the one before left.
        """
        tracked = self._tracked
        if self.mode == "ondemand":
            return await tracked.ado(lambda: tracked.wait(user_message, assistant_response))
        async with tracked.in_line():
            while True:  # again if a thread or a process has changed something meanwhile
                standing = await tracked.ado(tracked.standing)
                scored = await self.scorer.astep(standing.state, user_message, assistant_response)
                kept = await tracked.ado_if(standing, partial(tracked.keep, *scored))
                if kept is not None:
                    return kept

    def check(self) -> DriftReport:
        """Score the turns that wait, if any, and report where the conversation stands."""
        tracked = self._tracked
        with self._keeper.locked():
            _, _, state, waiting = tracked.standing()
            results: list[TurnResult] = []
            try:
                for record in waiting:
                    state, result = self.scorer.step(state, record["user"], record["assistant"])
                    results.append(result)
            finally:
                report = tracked.fill(state, waiting, results)
            return report

    async def acheck(self) -> DriftReport:
        """Report without blocking the event loop; see `check`."""
        async with self._tracked.in_line():
            return await self._acheck()

    def end_session(self) -> DriftReport | None:
        """End the running session: summarise it, and begin the next one.

        While the context is frozen, and if no text was said, the session ends without a summary.

        Returns:
            The report of the session that ended; None if it had no turns, and then it goes on.

        Raises:
            SummaryError: If the summary is empty, or turns were recorded during each of five
                attempts; the session goes on, as it does with whatever the summarizer raises.
        """
        tracked = self._tracked
        for _ in range(_TRIES):
            self.check()
            standing, said = tracked.do(tracked.closing)
            if not standing.turns:
                return None
            summary = summarize(said, tracked.summarizer) if said else None
            report = tracked.do_if(standing, partial(tracked.end, summary))
            if report is not None:
                return report
        raise SummaryError(_NEVER_STILL)

    async def aend_session(self) -> DriftReport | None:
        """End the running session without blocking the event loop; see `end_session`."""
        tracked = self._tracked
        async with tracked.in_line():
            for _ in range(_TRIES):
                await self._acheck()
                standing, said = await tracked.ado(tracked.closing)
                if not standing.turns:
                    return None
                summary = await asummarize(said, tracked.summarizer) if said else None
                report = await tracked.ado_if(standing, partial(tracked.end, summary))
                if report is not None:
                    return report
        raise SummaryError(_NEVER_STILL)

    def get_managed_context(self) -> str:
        """Return the system message to use: the prompt and examples as given, then the summaries.

        Raises:
            BudgetError: If the prompt alone is more than the budget.
        """
        return self.context_manager.build_managed_context()

    def get_managed_messages(self) -> list[BaseMessage]:
        """Return that system message and the last 40 turns of the running session, in the budget.

        Turns recorded by another process or before a restart have the first 500 characters of
        their answers.

        Raises:
            BudgetError: If what must be in it is more than the budget.
        """
        with self._keeper.locked():
            manager, live = self._tracked.manager(), self._tracked.live()
        return list(manager.manage(live).messages)

    def freeze_context(self) -> None:
        """Refuse changes of the summaries: sessions end without one, nothing is cleared."""
        with self._keeper.locked():
            self._keeper.set_frozen(frozen=True)

    def unfreeze_context(self) -> None:
        """Allow changes of the summaries again."""
        with self._keeper.locked():
            self._keeper.set_frozen(frozen=False)

    def clear_history(self) -> None:
        """Forget the summaries of past sessions; the running one goes on.

        Raises:
            FrozenContextError: If the context is frozen; nothing is forgotten.
        """
        self._tracked.do(self._tracked.clear)

    def reset(self) -> None:
        """Forget everything, the file included, and start again with the same purpose.

        Raises:
            FrozenContextError: If the context is frozen; nothing is forgotten.
        """
        self._tracked.do(self._tracked.reset)

    def __repr__(self) -> str:
        """Show the last turns as a table."""
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()

    async def _acheck(self) -> DriftReport:
        tracked = self._tracked
        while True:
            standing = await tracked.ado(tracked.standing)
            state, results = standing.state, list[TurnResult]()
            try:
                for record in standing.waiting:
                    state, result = await self.scorer.astep(
                        state, record["user"], record["assistant"]
                    )
                    results.append(result)
            finally:
                fill = partial(tracked.fill, state, standing.waiting, results)
                report = await tracked.ado_if(standing, fill)
            if report is not None:
                return report

    def _table(self) -> Table:
        with self._keeper.locked():
            total = self._tracked.state()["turns"]
            return Table.of(type(self).__name__, tuple(self._tracked.recent), total=total)
