"""Uses the public API as a typed program would; this file is checked by mypy, never run."""

from collections.abc import Sequence
from typing import Any, Literal, assert_type

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.embeddings import Embeddings

from langchain_drift import (
    Abstention,
    CallableEmbeddingStrategy,
    Cause,
    CompositeStrategy,
    DriftCallbackHandler,
    DriftError,
    DriftReport,
    DriftScore,
    DriftScorer,
    DriftTracker,
    DriftVerdict,
    EmbeddingError,
    FewShotExample,
    InvalidInputError,
    KeywordStrategy,
    MiniLMEmbeddings,
    MissingExtraError,
    OpenAIEmbeddingStrategy,
    PublishedFormulaStrategy,
    PurposeStrategy,
    SentenceTransformerStrategy,
    Strategy,
    ThreadReport,
    TokenOverlapStrategy,
    TurnEvidence,
    TurnRecord,
    TurnResult,
    __version__,
    explain_with,
    get_drift_callback,
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
