"""Uses the public API as a typed program would; this file is checked by mypy, never run."""

from collections.abc import Coroutine, Sequence
from typing import Any, Literal, assert_type

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.embeddings import Embeddings
from mcp.server.lowlevel import Server

from langchain_drift import (
    Abstention,
    CallableEmbeddingStrategy,
    Cause,
    Comparison,
    CompositeStrategy,
    DriftCallbackHandler,
    DriftError,
    DriftGuard,
    DriftGuardMetrics,
    DriftGuardRuntime,
    DriftGuardSettings,
    DriftReport,
    DriftScore,
    DriftScorer,
    DriftTracker,
    DriftVerdict,
    EmbedderChangedError,
    EmbeddingError,
    Event,
    FewShotExample,
    GuardrailAcknowledgementRequired,
    GuardrailTriggered,
    GuardReview,
    InvalidInputError,
    KeywordStrategy,
    MemoryStore,
    MiniLMEmbeddings,
    MissingExtraError,
    MistakeWarning,
    OpenAIEmbeddingStrategy,
    PublishedFormulaStrategy,
    PurposeStrategy,
    Reinforcement,
    Scope,
    SentenceTransformerStrategy,
    StoreError,
    Strategy,
    ThreadReport,
    TokenOverlapStrategy,
    TurnEvidence,
    TurnRecord,
    TurnResult,
    __version__,
    build_runtime,
    compare_actions,
    create_mcp_server,
    explain_with,
    get_drift_callback,
    guard_step,
    review_payload,
    score_table,
)
from langchain_drift.callbacks import Dropped
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.scorer import ScorerState
from langchain_drift.conversation.strategy import Judgement, State
from langchain_drift.conversation.turn import Turn
from langchain_drift.text import DefaultTextAnalyzer


class Own(Strategy):
    """A strategy of a user."""

    name = "own"

    def start(self) -> State:
        """Return the state before the first turn."""
        return {}

    def step(self, purpose: Purpose, state: State, turn: Turn) -> tuple[State, Judgement]:
        """Judge every turn alike."""
        return state, Judgement(score=float(len(turn.user + purpose.prompt) % 100))


def explain(result: TurnResult, purpose: Purpose) -> str:
    """Explain a turn."""
    return f"{result.assistant_response} in {purpose.prompt}"


def embed(text: str) -> Sequence[float]:
    """Embed a text."""
    return [float(len(text)), 1.0]


def track() -> None:
    """Record a conversation."""
    mode: Literal["always", "ondemand"] = "ondemand"
    tracker = DriftTracker(
        "You are a banking assistant.",
        [FewShotExample(user="a", assistant="b")],
        mode=mode,
        strategies=[Own(), PurposeStrategy(MiniLMEmbeddings())],
        explain_fn=explain,
        off_topic_marker=None,
        session_id="one",
    )
    assert_type(tracker.record_turn("a", None), TurnResult)
    assert_type(tracker.record_turn([{"type": "text", "text": "a"}], "b"), TurnResult)
    assert_type(tracker.check(), DriftReport)
    assert_type(tracker.turn_count, int)
    assert_type(tracker.state, ScorerState)
    assert_type(tracker.session_id, str)
    assert_type(tracker.check().departures, tuple[int, ...])
    assert_type(tracker.check().to_dict(), dict[str, Any])
    tracker.reset()
    DriftTracker("You are a banking assistant.", explain_fn=explain_with(DefaultTextAnalyzer()))


async def track_async() -> None:
    """Record a conversation on an event loop."""
    tracker = DriftTracker("You are a banking assistant.", decay_rate=0.9, window_size=5)
    assert_type(await tracker.arecord_turn("a", "b"), TurnResult)
    assert_type(await tracker.acheck(), DriftReport)


async def score() -> None:
    """Score turns from state to state."""
    scorer = DriftScorer("You are a banking assistant.", strategy=Own())
    state = scorer.start()
    assert_type(state, ScorerState)
    assert_type(scorer.step(state, "a", "b"), tuple[ScorerState, TurnResult])
    assert_type(await scorer.astep(state, "a", "b"), tuple[ScorerState, TurnResult])
    assert_type(state["departures"], list[int])


def read(result: TurnResult) -> None:
    """Read a result."""
    assert_type(result.drift, DriftScore | None)
    assert_type(result.explanation, str | None)
    assert_type(result.evidence, TurnEvidence | None)
    assert_type(result.abstained, Abstention | None)
    assert_type(result.cause, Cause | None)
    assert_type(result.refused, bool)
    assert_type(result.user_drift, bool)
    assert_type(result.to_dict(), dict[str, Any])
    if result.drift:
        assert_type(result.drift.score, float)
        assert_type(result.drift.verdict, DriftVerdict)
        assert_type(result.drift.is_alarm(70), bool)
        assert_type(result.drift.strategy_scores, dict[str, float])
    if result.evidence:
        assert_type(result.evidence.nearest, str)
        assert_type(result.evidence.new_words, tuple[str, ...])


def tell(turn: TurnRecord) -> None:
    """Use a turn as it ends."""
    assert_type(turn.thread_id, str)
    assert_type(turn.message_id, str | None)
    assert_type(turn.complete, bool)
    assert_type(turn.error, str | None)
    assert_type(turn.drift, DriftScore | None)
    assert_type(turn.to_event(), dict[str, Any])


def watch() -> list[BaseCallbackHandler]:
    """Watch chains with a handler and with a block."""
    handler = DriftCallbackHandler(
        system_prompt="You are a banking assistant.",
        few_shot_examples=[FewShotExample(user="a", assistant="b")],
        strategy=Own(),
        include_nodes=["answer"],
        exclude_tags={"internal"},
        on_turn=tell,
        publish=["stream"],
        max_turns=10,
    )
    assert_type(handler.turns, tuple[TurnRecord, ...])
    assert_type(handler.threads, tuple[str, ...])
    assert_type(handler.thread("42"), ThreadReport)
    assert_type(handler.thread(42).turns, tuple[TurnRecord, ...])
    assert_type(handler.errors, dict[str, int])
    assert_type(handler.dropped, Dropped)
    with get_drift_callback("You are a banking assistant.", thread_id="one") as drift:
        assert_type(drift, DriftCallbackHandler)
    with get_drift_callback(scorer=DriftScorer("You are a banking assistant.")):
        pass
    return [handler, DriftCallbackHandler(DriftScorer("You are a banking assistant."))]


def choose(embeddings: Embeddings) -> Sequence[Strategy]:
    """Make every strategy."""
    assert_type(DriftVerdict.from_score(40), DriftVerdict)
    assert_type(__version__, str)
    return [
        CallableEmbeddingStrategy(embed, strategy_name="own"),
        CompositeStrategy([KeywordStrategy(), TokenOverlapStrategy()], weights=[1, 2]),
        OpenAIEmbeddingStrategy(embeddings),
        PublishedFormulaStrategy(decay_rate=0.9, window_size=3),
        PurposeStrategy(embed),
        SentenceTransformerStrategy("all-MiniLM-L6-v2", "cpu"),
    ]


def catch(error: DriftError) -> str:
    """Tell the errors apart."""
    if isinstance(error, InvalidInputError):
        assert_type(error, InvalidInputError)
        return "input"
    if isinstance(error, EmbeddingError | MissingExtraError):
        return "embedder"
    return "other"


def guard_steps(settings: DriftGuardSettings, scope: Scope) -> None:
    """Ask and tell a guard."""
    guard = DriftGuard(settings=settings, store=MemoryStore(), clock=lambda: 0.0)
    review = guard.before_step("a", scope=scope, policy="block", min_confidence=0.5)
    assert_type(review, GuardReview)
    assert_type(guard.review({"name": "a", "args": {"b": 1}}), GuardReview)
    assert_type(review.warnings, tuple[MistakeWarning, ...])
    assert_type(review.reinforcements, tuple[Reinforcement, ...])
    assert_type(review.to_prompt(), str)
    told = guard.record("a", "b", "c", scope="d", event_id="e", hypothesis=False)
    assert_type(told["status"], Literal["stored", "duplicate", "transient"])
    assert_type(guard.record_success("a", source="thread")["event_id"], str)
    assert_type(guard.events(hidden=True), list[Event])
    assert_type(guard.scopes(), dict[Scope, int])
    assert_type(guard.reembed(), int)
    runtime = build_runtime(settings=settings, metrics=DriftGuardMetrics())
    assert_type(runtime, DriftGuardRuntime)
    assert_type(runtime.metrics_snapshot()["counters"], dict[str, int])
    assert_type(compare_actions("a", "b", "feedback"), Comparison)
    assert_type(review_payload(guard, {"action": "a"})["warnings_count"], int)


async def guard_steps_async(guard: DriftGuard) -> None:
    """Ask and tell a guard on an event loop."""
    assert_type(await guard.abefore_step("a"), GuardReview)
    assert_type((await guard.arecord("a", "b"))["hypothesis"], bool)


def decorate(guard: DriftGuard) -> None:
    """Keep the types of a guarded function."""

    @guard_step(guard, policy="block", on_review=print)
    def execute(action: str, times: int = 1) -> int:
        return len(action) * times

    @guard_step(guard)
    async def aexecute(action: str) -> str:
        return action

    assert_type(execute("a", times=2), int)
    coroutine: Coroutine[Any, Any, str] = aexecute("a")
    coroutine.close()


def catch_guard(error: DriftError) -> GuardReview | None:
    """Tell a guard's errors apart."""
    if isinstance(error, GuardrailTriggered | GuardrailAcknowledgementRequired):
        return error.review
    assert issubclass(EmbedderChangedError, StoreError)
    return None


def fleet(runtime: DriftGuardRuntime, table: Any) -> None:
    """Shared memory and archives."""
    assert_type(create_mcp_server(runtime, scope=Scope(tenant="acme")), Server[Any])
    assert_type(score_table(table, "Help with cards.", first_turn=1), Any)
