"""The façade: one conversation, tracked turn by turn."""

import asyncio
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any, Literal
from uuid import uuid4

from langchain_drift.conversation.composite import CompositeStrategy
from langchain_drift.conversation.marker import with_marker
from langchain_drift.conversation.published import with_parameters
from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.refusal import MARKER
from langchain_drift.conversation.result import DriftReport, DriftScore, TurnResult
from langchain_drift.conversation.scorer import DriftScorer, ExplainFunction, ScorerState
from langchain_drift.conversation.strategy import Strategy
from langchain_drift.conversation.turn import FewShotExample
from langchain_drift.display import Table
from langchain_drift.errors import InvalidInputError

_MODES = ("always", "ondemand")
_NOTHING = "No turn has been scored yet."
_SHOWN = 40
"""Turns kept to be shown."""


class DriftTracker:
    """Tracks one conversation: record each turn, read where it stands.

    Safe to share between threads; turns are scored in the order they are recorded.

    Args:
        system_prompt: The system prompt that says what the conversation is for.
        few_shot_examples: Exchanges that show the purpose in practice.
        mode: `always` scores every recorded turn; `ondemand` scores when `check` is called.
        strategies: How turns are judged; several are averaged. By default `PurposeStrategy`.
        decay_rate: Only for `PublishedFormulaStrategy`; refused with any other.
        window_size: Only for `PublishedFormulaStrategy`; refused with any other.
        strip_md: Whether Markdown marks are removed before judging.
        off_topic_marker: Words the assistant is told to say when it declines; None for none. Given
            beside `strategies` it replaces theirs, and is refused if none looks for refusals.
        explain_fn: Makes the explanation of a turn of its result and the purpose.
        session_id: A name for the conversation; random if not given.

    Raises:
        InvalidInputError: If a parameter has a value it cannot take.

    Example:
        ```python
        tracker = DriftTracker(system_prompt="You are a banking assistant.")
        result = tracker.record_turn("What is my balance?", "It is 12 euros.")
        result.drift.score, result.drift.verdict, result.explanation
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
        strip_md: bool = True,
        off_topic_marker: str | None = MARKER,
        explain_fn: ExplainFunction | None = None,
        session_id: str | None = None,
    ) -> None:
        if mode not in _MODES:
            message = f"mode must be one of {', '.join(_MODES)}, not {mode!r}."
            raise InvalidInputError(message)
        strategy = _one(strategies, off_topic_marker)
        strategy = with_parameters(strategy, decay_rate=decay_rate, window_size=window_size)
        self.mode = mode
        self.session_id = session_id or uuid4().hex[:12]
        self.scorer = DriftScorer(
            system_prompt,
            few_shot_examples or (),
            strategy=strategy,
            strip_md=strip_md,
            explain_fn=explain_fn,
        )
        self._lock = threading.Lock()
        self._line: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None
        self._state = self.scorer.start()
        self._waiting: list[tuple[object, object]] = []
        self._last: TurnResult | None = None
        self._recent: deque[TurnResult] = deque(maxlen=_SHOWN)

    @property
    def turn_count(self) -> int:
        """Recorded turns, scored or waiting."""
        with self._lock:
            return self._state["turns"] + len(self._waiting)

    @property
    def state(self) -> ScorerState:
        """A copy of the state of the conversation, as plain JSON."""
        with self._lock:
            return deepcopy(self._state)

    @property
    def recent(self) -> tuple[TurnResult, ...]:
        """The last scored turns, at most 40, oldest first."""
        with self._lock:
            return tuple(self._recent)

    def record_turn(self, user_message: object, assistant_response: object) -> TurnResult:
        """Record a turn and, in mode `always`, score it.

        Args:
            user_message: What the user said: a string, None or a list of content blocks.
            assistant_response: What the assistant answered, likewise. An empty or missing reply
                is not judged and leaves the score as it is.

        Raises:
            InvalidInputError: If a message is of another kind; nothing is recorded then.
            EmbeddingError: If the embedder fails; nothing is recorded then.
        """
        with self._lock:
            if self.mode == "ondemand":
                return self._wait(user_message, assistant_response)
            return self._score(user_message, assistant_response)

    async def arecord_turn(self, user_message: object, assistant_response: object) -> TurnResult:
        """Record a turn without blocking the event loop; see `record_turn`.

        Concurrent calls on one tracker are scored in turn; each is scored from the state that
        the one before left.
        """
        if self.mode == "ondemand":
            with self._lock:
                return self._wait(user_message, assistant_response)
        async with self._in_line():
            while True:  # again if a thread has recorded a turn meanwhile
                state = self._state
                new, result = await self.scorer.astep(state, user_message, assistant_response)
                with self._lock:
                    if self._state is state:
                        return self._keep(new, result)

    def check(self) -> DriftReport:
        """Score the turns that wait, if any, and report where the conversation stands."""
        with self._lock:
            while self._waiting:
                self._score(*self._waiting[0])
                self._waiting.pop(0)
            return self._report()

    async def acheck(self) -> DriftReport:
        """Report without blocking the event loop; see `check`."""
        async with self._in_line():
            while True:
                with self._lock:
                    if not self._waiting:
                        return self._report()
                    state, turn = self._state, self._waiting[0]
                new, result = await self.scorer.astep(state, *turn)
                with self._lock:
                    if self._state is state:
                        self._keep(new, result)
                        self._waiting.pop(0)

    def reset(self) -> None:
        """Forget all turns and start again with the same purpose."""
        with self._lock:
            self._state, self._waiting, self._last = self.scorer.start(), [], None
            self._recent.clear()

    def __repr__(self) -> str:
        """Show the last turns as a table."""
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()

    def _table(self) -> Table:
        with self._lock:
            return Table.of(type(self).__name__, tuple(self._recent), total=self._state["turns"])

    def __getstate__(self) -> dict[str, Any]:
        """Leave the locks behind."""
        with self._lock:
            return {**vars(self), "_lock": None, "_line": None, "_recent": self._recent.copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Start with a lock of its own."""
        vars(self).update(state, _lock=threading.Lock())

    def _in_line(self) -> asyncio.Lock:
        """Return the lock at which coroutines wait, so that each turn is embedded once.

        It belongs to one event loop; another loop gets another one, as a thread has none.
        """
        loop = asyncio.get_running_loop()
        with self._lock:
            if self._line is None or self._line[0] is not loop:
                self._line = loop, asyncio.Lock()
            return self._line[1]

    def _wait(self, user_message: object, assistant_response: object) -> TurnResult:
        turn = self.scorer.read(user_message, assistant_response)
        self._waiting.append((user_message, assistant_response))
        return TurnResult(user_message=turn.user, assistant_response=turn.assistant)

    def _score(self, user_message: object, assistant_response: object) -> TurnResult:
        return self._keep(*self.scorer.step(self._state, user_message, assistant_response))

    def _keep(self, state: ScorerState, result: TurnResult) -> TurnResult:
        if result.drift is not None:
            drift = result.drift.model_copy(update={"session_id": self.session_id})
            result = result.model_copy(update={"drift": drift})
        self._state, self._last = state, result
        self._recent.append(result)
        return result

    def _report(self) -> DriftReport:
        drift = self._last.drift if self._last else None
        explanation = self._last.explanation if self._last else None
        return DriftReport(
            drift=drift or DriftScore(score=100.0, session_id=self.session_id),
            explanation=explanation or _NOTHING,
            total_turns=self._state["turns"],
            departures=tuple(self._state["departures"]),
            returns=tuple(self._state["returns"]),
        )


def _one(strategies: Sequence[Strategy] | None, marker: str | None) -> Strategy:
    if strategies is None:
        return PurposeStrategy(off_topic_marker=marker)
    if isinstance(strategies, Strategy | str) or not isinstance(strategies, Sequence):
        message = f"strategies must be a list of strategies, not {strategies!r}."
        raise InvalidInputError(message)
    if not strategies:
        message = "strategies must not be empty; leave it out for the default."
        raise InvalidInputError(message)
    for strategy in strategies:
        if not isinstance(strategy, Strategy):
            message = f"strategies must hold Strategy objects, not {strategy!r}."
            raise InvalidInputError(message)
    strategies = with_marker(strategies, marker)
    return strategies[0] if len(strategies) == 1 else CompositeStrategy(strategies)
