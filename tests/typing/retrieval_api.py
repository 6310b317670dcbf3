"""Uses the public API of retriever drift as a typed program would; checked by mypy, never run."""

from collections.abc import Sequence
from typing import Any, assert_type

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable

from langchain_drift import (
    ChatModelJudge,
    ChunkRelevance,
    DriftSignals,
    Judge,
    JudgeVerdict,
    PairJudge,
    RagCase,
    RetrievedDocuments,
    RetrieverDriftDetector,
    RetrieverDriftEvaluator,
    RetrieverDriftReport,
    RetrieverDriftState,
    SentenceSupport,
    SpanJudge,
    adetect,
    assert_no_retriever_drift,
    create_async_retriever_drift_evaluator,
    create_async_retriever_faithfulness_evaluator,
    create_retriever_drift_evaluator,
    create_retriever_faithfulness_evaluator,
    detect,
    detect_context_drift,
    make_retriever_drift_node,
    make_retriever_drift_route,
)
from langchain_drift.evaluators import EvaluatorResult
from langchain_drift.retrieval_nodes import DriftRoute


class State(RetrieverDriftState):
    """The state of a graph."""

    answer: str


class Strict:
    """A judge of a user."""

    def judge(self, question: str, chunks: Sequence[str], answer: str) -> JudgeVerdict:
        """Carry nothing."""
        return JudgeVerdict(drift_score=1.0, reason=f"{question}{chunks}{answer}")

    async def ajudge(self, question: str, chunks: Sequence[str], answer: str) -> JudgeVerdict:
        """Carry nothing."""
        return self.judge(question, chunks, answer)


def reports() -> None:
    """Judge in one call and read the report."""
    report = detect("q", ["c", Document("d")], "a", threshold=0.4, method="lexical", history=["h"])
    assert_type(report, RetrieverDriftReport)
    assert_type(report.signals, DriftSignals)
    assert_type(report.signals["answer_to_context"], float | None)
    assert_type(report.sentences, tuple[SentenceSupport, ...])
    assert_type(report.chunks, tuple[ChunkRelevance, ...])
    assert_type(report.drift, bool)
    assert_type(report.drift_score, float)
    assert_type(report.unsupported, tuple[str, ...])
    assert_type(report.answer_terms, frozenset[str])
    assert_type(report.context_read, float)
    assert_type(report.at(0.2), RetrieverDriftReport)
    assert_type(report.to_dict(), dict[str, Any])
    assert_type(detect_context_drift(query="q", context="c", answer="a"), RetrieverDriftReport)
    assert_type(assert_no_retriever_drift("q", "c", "a"), RetrieverDriftReport)


async def detectors(embeddings: Embeddings, model: BaseChatModel) -> None:
    """Judge many answers, with a judge too."""
    judge: Judge = Strict()
    judges: list[object] = [judge, ChatModelJudge(model), lambda *_: 0.5]
    judges += [PairJudge(lambda pairs: [1.0] * len(pairs)), SpanJudge(lambda **_: [])]
    for each in judges:
        RetrieverDriftDetector(embeddings=embeddings, judge=each, threshold=0.5)
    detector = RetrieverDriftDetector()
    cases = [RagCase("q", ["c"], "a"), RagCase(None, None, "a", "before")]
    assert_type(detector.detect_batch(cases), list[RetrieverDriftReport])
    assert_type(await detector.adetect_batch(cases), list[RetrieverDriftReport])
    assert_type(await adetect("q", "c", None, history=[("user", "hi")]), RetrieverDriftReport)


async def doors(chain: Runnable[Any, Any]) -> None:
    """Evaluate, follow a chain, route in a graph."""
    assert_type(create_retriever_drift_evaluator()(inputs="q", outputs="a"), EvaluatorResult)
    assert_type(
        await create_async_retriever_drift_evaluator(threshold=0.4)(outputs="a"), EvaluatorResult
    )
    create_retriever_faithfulness_evaluator(no_context="drift")
    create_async_retriever_faithfulness_evaluator(feedback_key="faithful")
    RetrieverDriftEvaluator(question_key="q").follow(chain).invoke("q")["report"].at(0.3)
    evaluator = RetrieverDriftEvaluator(no_context="drift")
    assert_type(evaluator.report(inputs="q", outputs="a"), RetrieverDriftReport)
    assert_type(RetrievedDocuments().latest, list[Document])
    make_retriever_drift_node(state_key="drift")
    route: DriftRoute = make_retriever_drift_route(attempts=3)(State(answer="a"))
    assert_type(route, DriftRoute)
