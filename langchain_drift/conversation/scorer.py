"""The pure heart: a turn and a state in, a result and a new state out."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeGuard

from pydantic import Field, StrictBool, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from langchain_drift.conversation.explanation import explain
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.result import Cause, DriftScore, TurnEvidence, TurnResult
from langchain_drift.conversation.strategy import Judgement, State, Strategy, check_complete
from langchain_drift.conversation.turn import FewShotExample, Turn
from langchain_drift.errors import InvalidInputError

SCHEMA = 1

ExplainFunction = Callable[[TurnResult, Purpose], str]
"""Makes the explanation of a turn of its result and the purpose."""


class ScorerState(TypedDict):
    """The state of a conversation as plain JSON; see `DriftScorer.start`."""

    schema: int
    turns: Annotated[int, Field(ge=0)]
    score: Annotated[float, Field(ge=0, le=100)]
    alarmed: StrictBool
    departures: list[int]
    returns: list[int]
    strategy_name: str
    strategy: dict[str, Any]


_STATE = TypeAdapter(ScorerState)


class DriftScorer:
    """Scores turns against a purpose; holds no conversation, so it serves any number of threads.

    Args:
        system_prompt: The system prompt that says what the conversation is for.
        few_shot_examples: Exchanges that show the purpose in practice.
        strategy: How turns are judged; by default `PurposeStrategy()`.
        strip_md: Whether Markdown marks are removed before judging.
        explain_fn: Makes the explanation; by default the built-in one.

    Raises:
        InvalidInputError: If the prompt or an example is of the wrong kind.

    Example:
        ```python
        scorer = DriftScorer("You are a banking assistant.")
        state = scorer.start()
        state, result = scorer.step(state, "What is my balance?", "It is 12 euros.")
        ```
    """

    def __init__(
        self,
        system_prompt: str,
        few_shot_examples: Iterable[FewShotExample] = (),
        *,
        strategy: Strategy | None = None,
        strip_md: bool = True,
        explain_fn: ExplainFunction | None = None,
    ) -> None:
        self.purpose = Purpose.of(system_prompt, few_shot_examples)
        if strategy is not None and not isinstance(strategy, Strategy):
            message = f"strategy must be a Strategy object, not {strategy!r}."
            raise InvalidInputError(message)
        if explain_fn is not None and not callable(explain_fn):
            message = f"explain_fn must be a function, not {explain_fn!r}."
            raise InvalidInputError(message)
        self.strategy = strategy or PurposeStrategy()
        self.strip_md = strip_md
        self.explain_fn = explain_fn

    def start(self) -> ScorerState:
        """Return the state of a conversation before its first turn."""
        return ScorerState(
            schema=SCHEMA,
            turns=0,
            score=100.0,
            alarmed=False,
            departures=[],
            returns=[],
            strategy_name=self.strategy.name,
            strategy=self.strategy.start(),
        )

    def step(
        self, state: ScorerState, user: object, assistant: object
    ) -> tuple[ScorerState, TurnResult]:
        """Score one turn.

        Args:
            state: What `start` or the step before returned; it is not changed.
            user: What the user said: a string, None or a list of content blocks.
            assistant: What the assistant answered, likewise.

        Returns:
            The state after the turn, and its result.

        Raises:
            InvalidInputError: If a message is of another kind or the state of another version.
            EmbeddingError: If the embedder fails.
        """
        turn = self._begin(state, user, assistant)
        inner, judgement = self.strategy.step(self.purpose, state["strategy"], self._prose(turn))
        return self._finish(state, turn, inner, judgement)

    async def astep(
        self, state: ScorerState, user: object, assistant: object
    ) -> tuple[ScorerState, TurnResult]:
        """Score one turn without blocking the event loop; see `step`."""
        turn = self._begin(state, user, assistant)
        inner, judgement = await self.strategy.astep(
            self.purpose, state["strategy"], self._prose(turn)
        )
        return self._finish(state, turn, inner, judgement)

    def can_go_on_from(self, state: object) -> TypeGuard[ScorerState]:
        """Return whether a state that was kept somewhere is whole, and of this strategy."""
        try:
            found = _STATE.validate_python(state, strict=True)
        except ValidationError:
            return False
        known = (found["schema"], found["strategy_name"]) == (SCHEMA, self.strategy.name)
        return known and self.strategy.start().keys() <= found["strategy"].keys()

    def read(self, user: object, assistant: object) -> Turn:
        """Return a turn of message contents, as given; see `step` for what they may be."""
        return Turn.of(user, assistant)

    def _begin(self, state: ScorerState, user: object, assistant: object) -> Turn:
        if not isinstance(state, dict):
            message = f"The state must be what start() or step() gave, not {state!r:.60}."
            raise InvalidInputError(message)
        if state.get("schema") != SCHEMA:
            message = (
                f"The state has schema {state.get('schema')!r}, this version reads {SCHEMA}. "
                "Begin again with start()."
            )
            raise InvalidInputError(message)
        check_complete(state, ScorerState.__required_keys__)
        if state["strategy_name"] != self.strategy.name:
            message = (
                f"The state is of the strategy {state['strategy_name']!r}, not of "
                f"{self.strategy.name!r}. Pass that strategy, or begin again with start()."
            )
            raise InvalidInputError(message)
        return self.read(user, assistant)

    def _prose(self, turn: Turn) -> Turn:
        return turn.to_prose() if self.strip_md else turn

    def _finish(
        self, state: ScorerState, turn: Turn, inner: State, judgement: Judgement
    ) -> tuple[ScorerState, TurnResult]:
        number = state["turns"] + 1
        drift = DriftScore(
            score=judgement.score,
            turn_number=number,
            strategy_scores=judgement.parts or {self.strategy.name: judgement.score},
            metadata=judgement.metadata,
        )
        alarmed = drift.is_alarm()
        departed, returned = alarmed and not state["alarmed"], state["alarmed"] and not alarmed
        result = TurnResult(
            user_message=turn.user,
            assistant_response=turn.assistant,
            drift=drift,
            evidence=judgement.evidence,
            abstained=judgement.abstained,
            refused=judgement.refused,
            cause=_cause(judgement.evidence, refused=judgement.refused, alarmed=alarmed),
            departed=departed,
            returned=returned,
        )
        result = result.model_copy(update={"explanation": self._explain(result)})
        return self._after(state, inner, result, number), result

    def _after(
        self, state: ScorerState, inner: State, result: TurnResult, number: int
    ) -> ScorerState:
        score = result.drift.score if result.drift else state["score"]
        departures = [*state["departures"], *([number] if result.departed else [])]
        returns = [*state["returns"], *([number] if result.returned else [])]
        alarmed = state["alarmed"] != (result.departed or result.returned)
        return ScorerState(
            schema=SCHEMA,
            turns=number,
            score=score,
            alarmed=alarmed,
            departures=departures[-_KEPT:],
            returns=returns[-_KEPT:],
            strategy_name=self.strategy.name,
            strategy=inner,
        )

    def _explain(self, result: TurnResult) -> str:
        if self.explain_fn:
            explanation: object = self.explain_fn(result, self.purpose)
            if isinstance(explanation, str):
                return explanation
            message = f"explain_fn must return a text, not {explanation!r:.80}."
            raise InvalidInputError(message)
        assert result.drift is not None  # noqa: S101 - set just above
        return explain(
            result.drift.verdict,
            evidence=result.evidence,
            abstained=result.abstained,
            cause=result.cause,
            refused=result.refused,
            turn_number=result.drift.turn_number,
        )


_KEPT = 100
"""Departures and returns kept in the state; the oldest go first."""

_EVEN = 0.5
_CLEARLY_ON = 0.85


def _cause(evidence: TurnEvidence | None, *, refused: bool, alarmed: bool) -> Cause | None:
    if evidence is None:
        return None
    user_left = evidence.user_on_purpose < _EVEN
    if refused:
        return Cause.USER if user_left else None
    if not alarmed or evidence.on_purpose >= _EVEN:
        return None
    user_stayed = evidence.user_on_purpose >= _CLEARLY_ON and not evidence.is_injection
    return Cause.ASSISTANT if user_stayed else Cause.BOTH
