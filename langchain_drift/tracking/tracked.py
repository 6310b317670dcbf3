"""What a tracker does while it holds the lock of its conversation."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_drift.conversation.result import DriftReport, DriftScore, TurnResult
from langchain_drift.conversation.scorer import DriftScorer, ScorerState
from langchain_drift.errors import FrozenContextError
from langchain_drift.sessions.context_manager import ContextManager
from langchain_drift.sessions.exchange import Exchange, spoken
from langchain_drift.sessions.keeper import Keeper
from langchain_drift.sessions.memory_data import ExchangeRecord
from langchain_drift.sessions.summarize import Summarizer

_NOTHING = "No turn has been scored yet."
_SHOWN = 40
"""Turns kept to be shown, and to be live messages."""
_REPLAYED = 20
"""Turns scored again where a memory has no state, as those of the published packages."""
T = TypeVar("T")


class Standing(NamedTuple):
    """Where a conversation stands at one moment.

    Attributes:
        version: Another one after every change, here or in another process.
        turns: Exchanges of the running session.
        state: The scorer's.
        waiting: The exchanges that are not scored.
    """

    version: int
    turns: int
    state: ScorerState
    waiting: list[ExchangeRecord]


class Tracked:
    """One conversation: its scorer, its keeper, and what makes its managed context.

    Args:
        scorer: Scores its turns.
        keeper: Keeps its sessions.
        context: Its parameters are used; its summaries are the keeper's.
        session_id: Its name.
    """

    def __init__(
        self, scorer: DriftScorer, keeper: Keeper, context: ContextManager, session_id: str
    ) -> None:
        self.scorer = scorer
        self.keeper = keeper
        self.context = context
        self.session_id = session_id
        self.recent: deque[TurnResult] = deque(maxlen=_SHOWN)
        self._line: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None
        self._line_lock = threading.Lock()

    def in_line(self) -> asyncio.Lock:
        """Return the lock at which coroutines wait, so that each turn is embedded once.

        It belongs to one event loop; another loop gets another one, as a thread has none.
        """
        loop = asyncio.get_running_loop()
        with self._line_lock:
            if self._line is None or self._line[0] is not loop:
                self._line = loop, asyncio.Lock()
            return self._line[1]

    def do(self, task: Callable[[], T]) -> T:
        """Run a task while everybody else is kept out."""
        with self.keeper.locked():
            return task()

    def do_if(self, standing: Standing, task: Callable[[], T]) -> T | None:
        """Run a task if nothing has changed; None if something has."""
        with self.keeper.locked():
            return task() if standing.version == self.keeper.version else None

    async def ado(self, task: Callable[[], T]) -> T:
        """Run a task without blocking the event loop; see `do`."""
        return await asyncio.to_thread(self.do, task) if self.keeper.blocks else self.do(task)

    async def ado_if(self, standing: Standing, task: Callable[[], T]) -> T | None:
        """Run a task without blocking the event loop; see `do_if`."""
        if self.keeper.blocks:
            return await asyncio.to_thread(self.do_if, standing, task)
        return self.do_if(standing, task)

    def standing(self) -> Standing:
        """Return where the conversation stands."""
        keeper = self.keeper
        return Standing(keeper.version, keeper.turns, self.state(), list(keeper.waiting))

    def state(self) -> ScorerState:
        """Return the scorer's state; found again from the exchanges if it is not kept."""
        state = self.keeper.state
        if self.scorer.can_go_on_from(state):
            return state
        new = self.scorer.start()
        scored = [record for record in self.keeper.records if record["score"] is not None]
        for record in scored[-_REPLAYED:]:
            new, _ = self.scorer.step(new, record["user"], record["assistant"])
        new["turns"] = len(scored)
        return new

    def wait(self, user_message: object, assistant_response: object) -> TurnResult:
        """Record a turn that is to be scored later."""
        turn = self.scorer.read(user_message, assistant_response)
        result = TurnResult(
            user_message=turn.user,
            assistant_response=turn.assistant,
            managed_context=self.manager().build_managed_context(),
        )
        self.keeper.append(self._record(result), self.keeper.state)
        return result

    def keep(self, state: ScorerState, result: TurnResult) -> TurnResult:
        """Record a scored turn."""
        result = self._named(result)
        self.keeper.append(self._record(result), cast("dict[str, object]", state))
        self.recent.append(result)
        return result

    def fill(
        self, state: ScorerState, waiting: Sequence[ExchangeRecord], results: Sequence[TurnResult]
    ) -> DriftReport:
        """Record that the first waiting turns were scored, and report."""
        named = [self._named(result) for result in results]
        scored = [
            self._record(result, record["exchange"])
            for record, result in zip(waiting, named, strict=False)
        ]
        if scored:
            self.keeper.fill(scored, cast("dict[str, object]", state))
            self.recent.extend(named)
        return self.report()

    def report(self) -> DriftReport:
        """Report where the conversation stands."""
        state, manager = self.state(), self.manager()
        scored = [record for record in self.keeper.records if record["score"] is not None]
        last = self.recent[-1] if self.recent else None
        drift = last.drift if last and last.drift else self._score_of(scored)
        explanation = last.explanation if last else scored[-1]["explanation"] if scored else None
        return DriftReport(
            drift=drift,
            explanation=explanation or _NOTHING,
            session_number=self.keeper.number,
            total_turns=state["turns"],
            departures=tuple(state["departures"]),
            returns=tuple(state["returns"]),
            managed_context=manager.build_managed_context(),
            context_token_estimate=manager.estimate_token_count(),
        )

    def closing(self) -> tuple[Standing, list[Exchange]]:
        """Return where it stands and what is to be summarised: nothing while it is frozen."""
        said = [] if self.keeper.frozen else spoken(self.keeper.exchanges())
        return self.standing(), said

    def end(self, summary: str | None) -> DriftReport:
        """End the running session; return the report of it."""
        report = self.report()
        has_score = report.drift.turn_number > 0
        self.keeper.end(summary, report.drift.score if has_score else None)
        self.recent.clear()
        manager = self.manager()
        return report.model_copy(
            update={
                "summary": summary,
                "managed_context": manager.build_managed_context(),
                "context_token_estimate": manager.estimate_token_count(),
            }
        )

    def clear(self) -> None:
        """Forget the summaries."""
        self._check_frozen("the history cannot be cleared")
        self.keeper.clear_summaries()

    def reset(self) -> None:
        """Forget everything."""
        self._check_frozen("it cannot be reset")
        self.keeper.reset()
        self.recent.clear()

    def manager(self) -> ContextManager:
        """Return what makes the managed context, with the summaries there are."""
        context = self.context
        manager = ContextManager(
            context.original_context,
            context.max_summary_sessions,
            context.summarize_fn,
            self.keeper.frozen,
            max_tokens=context.max_tokens,
            counter=context.count,
        )
        manager.load_summaries(self.keeper.summaries)
        return manager

    def live(self) -> list[BaseMessage]:
        """Return the last turns of the running session as messages."""
        exchanges = self.keeper.exchanges()[-_SHOWN:]
        pairs = [(HumanMessage(one.user), AIMessage(one.assistant)) for one in exchanges]
        return [message for pair in pairs for message in pair if message.content]

    @property
    def summarizer(self) -> Summarizer | None:
        """Who summarises."""
        return self.context.summarize_fn

    def __getstate__(self) -> dict[str, Any]:
        """Leave the locks behind."""
        with self.keeper.locked():
            left = {"_line": None, "_line_lock": None, "recent": self.recent.copy()}
            return {**vars(self), **left}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Start with a lock of its own."""
        vars(self).update(state, _line_lock=threading.Lock())

    def _record(self, result: TurnResult, number: int | None = None) -> ExchangeRecord:
        drift = result.drift
        return ExchangeRecord(
            exchange=self.keeper.turns + 1 if number is None else number,
            user=result.user_message,
            assistant=result.assistant_response,
            score=float(drift.score) if drift else None,
            verdict=drift.verdict.value if drift else None,
            explanation=result.explanation,
        )

    def _named(self, result: TurnResult) -> TurnResult:
        """Return a result with what the scorer does not know of."""
        drift = result.drift
        named = drift.model_copy(update={"session_id": self.session_id}) if drift else None
        context = self.manager().build_managed_context()
        return result.model_copy(update={"drift": named, "managed_context": context})

    def _score_of(self, scored: Sequence[ExchangeRecord]) -> DriftScore:
        score = scored[-1]["score"] if scored else None
        return DriftScore(
            score=100.0 if score is None else score,
            turn_number=len(scored),
            session_id=self.session_id,
        )

    def _check_frozen(self, doing: str) -> None:
        if self.keeper.frozen:
            message = f"The context is frozen, so {doing}; call unfreeze_context() first."
            raise FrozenContextError(message)
