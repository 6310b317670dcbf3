"""Uses the API of retriever drift as a typed program would; checked by mypy, never run."""

from collections.abc import Sequence
from typing import Any, assert_type

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from langchain_drift import (
    ChunkRelevance,
    DriftSignals,
    JudgeVerdict,
    RagCase,
    RetrievedDocuments,
    RetrieverDriftDetector,
    RetrieverDriftEvaluator,
    RetrieverDriftReport,
    SentenceSupport,
    adetect,
    assert_no_retriever_drift,
    create_async_retriever_drift_evaluator,
    create_retriever_drift_evaluator,
    detect,
    detect_context_drift,
    make_retriever_drift_route,
)
from langchain_drift.evaluators import EvaluatorResult
from langchain_drift.retrieval_nodes import DriftRoute


def judge(question: str, chunks: Sequence[str], answer: str) -> JudgeVerdict:
    """Judge as a function."""
    return JudgeVerdict(drift_score=float(answer not in question + "".join(chunks)))


def read(report: RetrieverDriftReport) -> None:
    """Read a report."""
    assert_type(report.drift, bool)
    assert_type(report.drift_score, float)
    assert_type(report.signals, DriftSignals)
    assert_type(report.signals["answer_to_context"], float | None)
    assert_type(report.sentences, tuple[SentenceSupport, ...])
    assert_type(report.chunks, tuple[ChunkRelevance, ...])
    assert_type(report.unsupported, tuple[str, ...])
    assert_type(report.answer_terms, frozenset[str])
    assert_type(report.at(0.7), RetrieverDriftReport)
    assert_type(report.to_dict(), dict[str, Any])


async def use(embeddings: Embeddings) -> None:
    """Judge in every way."""
    read(detect("q", ["a", Document("b")], "c", method="lexical", threshold=0.4))
    read(detect("q", "a", None, history=[("user", "hi")]))
    read(await adetect("q", ["a"], "c"))
    read(detect_context_drift(query="q", context="a", answer="c"))
    read(assert_no_retriever_drift("q", ["a"], "a"))
    detector = RetrieverDriftDetector(embeddings=embeddings, judge=judge)
    assert_type(detector.detect_batch([RagCase("q", ["a"], "b")]), list[RetrieverDriftReport])


async def evaluate() -> None:
    """Evaluate."""
    evaluator = create_retriever_drift_evaluator()
    assert_type(evaluator(inputs="q", outputs="a", context=["a"]), EvaluatorResult)
    later = create_async_retriever_drift_evaluator()
    assert_type(await later(inputs="q", outputs="a", context=["a"]), EvaluatorResult)
    read(RetrieverDriftEvaluator(no_context="drift").report(inputs="q", outputs="a"))
    assert_type(RetrievedDocuments().latest, list[Document])
    assert_type(make_retriever_drift_route()({}), DriftRoute)
