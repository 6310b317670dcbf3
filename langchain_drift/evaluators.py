"""Evaluators: retriever drift as LangSmith, openevals, runnables and pytest take it."""

import uuid
from collections.abc import Awaitable
from typing import Any, Literal, Protocol, TypedDict

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.runnables.config import merge_configs
from langsmith.evaluation import EvaluationResult, RunEvaluator
from langsmith.schemas import Example, Run

from langchain_drift.rag_payload import RagKeys, documents_from_run, rag_case
from langchain_drift.retrieval.case import Chunks, History
from langchain_drift.retrieval.detector import RagCase, RetrieverDriftDetector, Tier, detect
from langchain_drift.retrieval.report import RetrieverDriftReport
from langchain_drift.retrieved_documents import RetrievedDocuments

WithoutContext = Literal["unscored", "drift", "grounded"]
"""What an answer without any context scores: nothing, 1 or 0."""


class EvaluatorResult(TypedDict):
    """What an evaluator returns, as openevals and LangSmith take it.

    Attributes:
        key: The name of the score.
        score: The score, 0 to 1; None where nothing was decided.
        comment: Why, in a sentence.
        metadata: The report as plain JSON.
    """

    key: str
    score: float | None
    comment: str
    metadata: dict[str, Any]


class SyncEvaluator(Protocol):
    """An evaluator that is called with keywords."""

    def __call__(  # noqa: PLR0913 - the contract of evaluators
        self,
        *,
        inputs: Any = None,  # noqa: ANN401 - any payload
        outputs: Any = None,  # noqa: ANN401 - any payload
        reference_outputs: Any = None,  # noqa: ANN401 - any payload
        context: Any = None,  # noqa: ANN401 - any payload
        run: Run | None = None,
        example: Example | None = None,
        **kwargs: Any,  # noqa: ANN401 - evaluators ignore what they do not need
    ) -> EvaluatorResult:
        """Judge what came out."""
        ...


class AsyncEvaluator(Protocol):
    """An evaluator that is called with keywords and awaited."""

    def __call__(  # noqa: PLR0913 - the contract of evaluators
        self,
        *,
        inputs: Any = None,  # noqa: ANN401 - any payload
        outputs: Any = None,  # noqa: ANN401 - any payload
        reference_outputs: Any = None,  # noqa: ANN401 - any payload
        context: Any = None,  # noqa: ANN401 - any payload
        run: Run | None = None,
        example: Example | None = None,
        **kwargs: Any,  # noqa: ANN401 - evaluators ignore what they do not need
    ) -> Awaitable[EvaluatorResult]:
        """Judge what came out."""
        ...


class RetrieverDriftEvaluator(RunEvaluator):
    """Judges what a RAG application answered; a LangSmith evaluator and a source of runnables.

    Documents are taken from `context`, else from the outputs or inputs, else from the retriever
    and tool runs below the run that is evaluated.

    Args:
        method: See `RetrieverDriftDetector`.
        embeddings: See `RetrieverDriftDetector`.
        judge: See `RetrieverDriftDetector`.
        threshold: See `RetrieverDriftDetector`.
        measure: `drift` scores high for bad answers, `faithfulness` is one minus that.
        feedback_key: The name of the score; `retriever_drift` or `retriever_faithfulness`.
        question_key: Where the question is; by default the usual keys are tried.
        answer_key: Where the answer is, likewise.
        documents_key: Where the documents are, likewise.
        no_context: What an answer without any context scores.

    Raises:
        InvalidInputError: If a value is out of range or does not go with the method.
    """

    def __init__(  # noqa: PLR0913 - options with defaults, by keyword
        self,
        *,
        method: Tier | None = None,
        embeddings: Embeddings | None = None,
        judge: object = None,
        threshold: float | None = None,
        measure: Literal["drift", "faithfulness"] = "drift",
        feedback_key: str | None = None,
        question_key: str | None = None,
        answer_key: str | None = None,
        documents_key: str | None = None,
        no_context: WithoutContext = "unscored",
    ) -> None:
        self.detector = RetrieverDriftDetector(
            method=method, embeddings=embeddings, judge=judge, threshold=threshold
        )
        self.measure = measure
        self.feedback_key = feedback_key or f"retriever_{measure}"
        self.keys = RagKeys(question_key, answer_key, documents_key)
        self.no_context = no_context

    @property
    def feedback_keys(self) -> list[str]:
        """The names of the scores."""
        return [self.feedback_key]

    def evaluate_run(
        self,
        run: Run,
        example: Example | None = None,
        evaluator_run_id: uuid.UUID | None = None,  # noqa: ARG002 - the signature is LangSmith's
    ) -> EvaluationResult:
        """Judge a traced run, as `langsmith.evaluate` asks for it."""
        case = self._case_of_run(run, example)
        return EvaluationResult(**self.result(self.detector.detect_batch([case])[0]))

    async def aevaluate_run(
        self,
        run: Run,
        example: Example | None = None,
        evaluator_run_id: uuid.UUID | None = None,  # noqa: ARG002 - the signature is LangSmith's
    ) -> EvaluationResult:
        """Judge a traced run without blocking the event loop."""
        (report,) = await self.detector.adetect_batch([self._case_of_run(run, example)])
        return EvaluationResult(**self.result(report))

    def report(
        self,
        *,
        inputs: Any = None,  # noqa: ANN401 - any payload
        outputs: Any = None,  # noqa: ANN401 - any payload
        context: Any = None,  # noqa: ANN401 - any payload
    ) -> RetrieverDriftReport:
        """Return the whole report on what came out."""
        case = rag_case(self.keys, inputs, outputs, context)
        return self.detector.detect_batch([case])[0]

    async def areport(
        self,
        *,
        inputs: Any = None,  # noqa: ANN401 - any payload
        outputs: Any = None,  # noqa: ANN401 - any payload
        context: Any = None,  # noqa: ANN401 - any payload
    ) -> RetrieverDriftReport:
        """Return the whole report without blocking the event loop."""
        case = rag_case(self.keys, inputs, outputs, context)
        (report,) = await self.detector.adetect_batch([case])
        return report

    def as_runnable(self) -> Runnable[Any, RetrieverDriftReport]:
        """Return a runnable that turns the output of a chain into its report.

        The documents are those in the output, else those that a `RetrievedDocuments` among the
        callbacks has seen in this run; `follow` sees to that.
        """

        def judge(outputs: Any, config: RunnableConfig) -> RetrieverDriftReport:  # noqa: ANN401 - any payload
            case = self._case_seen(outputs, config)
            return self.detector.detect_batch([case])[0]

        async def ajudge(outputs: Any, config: RunnableConfig) -> RetrieverDriftReport:  # noqa: ANN401 - any payload
            (report,) = await self.detector.adetect_batch([self._case_seen(outputs, config)])
            return report

        return RunnableLambda(judge, ajudge, name="retriever_drift")

    def follow(self, chain: Runnable[Any, Any]) -> Runnable[Any, "FollowedAnswer"]:
        """Return a chain that answers as before and is judged by what it really retrieved.

        Args:
            chain: Takes a question, a mapping or messages; its retrievers are LangChain ones.

        Returns:
            A runnable with the `output` of the chain, its `documents` and the `report`.
        """

        def judge(inputs: Any, config: RunnableConfig) -> FollowedAnswer:  # noqa: ANN401 - any payload
            seen = RetrievedDocuments()
            output = chain.invoke(inputs, _with_callback(config, seen))
            report = self.report(inputs=inputs, outputs=output, context=seen.latest or None)
            return FollowedAnswer(output=output, documents=seen.latest, report=report)

        async def ajudge(inputs: Any, config: RunnableConfig) -> FollowedAnswer:  # noqa: ANN401 - any payload
            seen = RetrievedDocuments()
            output = await chain.ainvoke(inputs, _with_callback(config, seen))
            report = await self.areport(inputs=inputs, outputs=output, context=seen.latest or None)
            return FollowedAnswer(output=output, documents=seen.latest, report=report)

        return RunnableLambda(judge, ajudge, name="followed")

    def result(self, report: RetrieverDriftReport) -> EvaluatorResult:
        """Return a report as an evaluator's result."""
        score = report.drift_score if report.is_scored else None
        if report.status == "no_context" and self.no_context != "unscored":
            score = float(self.no_context == "drift")
        if score is not None and self.measure == "faithfulness":
            score = 1 - score
        return EvaluatorResult(
            key=self.feedback_key, score=score, comment=report.reason, metadata=report.to_dict()
        )

    def _case_seen(self, outputs: object, config: RunnableConfig) -> RagCase:
        case = rag_case(self.keys, None, outputs)
        if case.context_chunks:
            return case
        return case._replace(context_chunks=seen_documents(config))

    def _case_of_run(self, run: Run, example: Example | None) -> RagCase:
        inputs = run.inputs or (example.inputs if example else None)
        return self._case(inputs, run.outputs, None, run)

    def _case(self, inputs: object, outputs: object, context: object, run: Run | None) -> RagCase:
        case = rag_case(self.keys, inputs, outputs, context)
        if context is None and not case.context_chunks and run is not None:
            return case._replace(context_chunks=documents_from_run(run))
        return case


class FollowedAnswer(TypedDict):
    """What a followed chain returns.

    Attributes:
        output: What the chain returned.
        documents: What its retrievers returned.
        report: The report on the two.
    """

    output: Any
    documents: list[Document]
    report: RetrieverDriftReport


def create_retriever_drift_evaluator(**options: Any) -> SyncEvaluator:  # noqa: ANN401 - see the class
    """Return an evaluator in the style of openevals, for `langsmith.evaluate` too.

    Its score is the drift: 0 (carried by the documents) to 1, higher is worse.

    Args:
        **options: See `RetrieverDriftEvaluator`.

    Example:
        ```python
        evaluator = create_retriever_drift_evaluator()
        evaluator(inputs="What is the limit?", outputs="500 euros", context=["It is 500 euros."])
        ```
    """
    return _sync(RetrieverDriftEvaluator(**options))


def create_async_retriever_drift_evaluator(**options: Any) -> AsyncEvaluator:  # noqa: ANN401 - see the class
    """Return the same as `create_retriever_drift_evaluator`, to be awaited."""
    return _async(RetrieverDriftEvaluator(**options))


def create_retriever_faithfulness_evaluator(**options: Any) -> SyncEvaluator:  # noqa: ANN401 - see the class
    """Return an evaluator whose score is one minus the drift: higher is better.

    Args:
        **options: See `RetrieverDriftEvaluator`.
    """
    return _sync(RetrieverDriftEvaluator(**options, measure="faithfulness"))


def create_async_retriever_faithfulness_evaluator(**options: Any) -> AsyncEvaluator:  # noqa: ANN401 - see the class
    """Return the same as `create_retriever_faithfulness_evaluator`, to be awaited."""
    return _async(RetrieverDriftEvaluator(**options, measure="faithfulness"))


def _sync(evaluator: RetrieverDriftEvaluator) -> SyncEvaluator:
    def retriever_drift(  # noqa: PLR0913 - the contract of evaluators
        *,
        inputs: Any = None,  # noqa: ANN401 - any payload
        outputs: Any = None,  # noqa: ANN401 - any payload
        reference_outputs: Any = None,  # noqa: ANN401, ARG001 - part of the contract
        context: Any = None,  # noqa: ANN401 - any payload
        run: Run | None = None,
        example: Example | None = None,  # noqa: ARG001 - part of the contract
        **kwargs: Any,  # noqa: ANN401, ARG001 - part of the contract
    ) -> EvaluatorResult:
        case = evaluator._case(inputs, outputs, context, run)  # noqa: SLF001 - one module
        return evaluator.result(evaluator.detector.detect_batch([case])[0])

    return retriever_drift


def _async(evaluator: RetrieverDriftEvaluator) -> AsyncEvaluator:
    async def retriever_drift(  # noqa: PLR0913 - the contract of evaluators
        *,
        inputs: Any = None,  # noqa: ANN401 - any payload
        outputs: Any = None,  # noqa: ANN401 - any payload
        reference_outputs: Any = None,  # noqa: ANN401, ARG001 - part of the contract
        context: Any = None,  # noqa: ANN401 - any payload
        run: Run | None = None,
        example: Example | None = None,  # noqa: ARG001 - part of the contract
        **kwargs: Any,  # noqa: ANN401, ARG001 - part of the contract
    ) -> EvaluatorResult:
        case = evaluator._case(inputs, outputs, context, run)  # noqa: SLF001 - one module
        (report,) = await evaluator.detector.adetect_batch([case])
        return evaluator.result(report)

    return retriever_drift


def assert_no_retriever_drift(  # noqa: PLR0913 - options with defaults, by keyword
    intent: str | None,
    context_chunks: Chunks,
    answer: str,
    *,
    threshold: float | None = None,
    method: Tier | None = None,
    history: History = None,
    allow_abstention: bool = False,
) -> RetrieverDriftReport:
    """Assert in a test that an answer stands on its question and chunks.

    Args:
        intent: See `detect`.
        context_chunks: See `detect`.
        answer: See `detect`.
        threshold: See `detect`.
        method: See `detect`.
        history: See `detect`.
        allow_abstention: Whether an answer that says that it has none is all right.

    Returns:
        The report.

    Raises:
        AssertionError: If it drifted, or nothing could be decided; the message says why.
    """
    report = detect(
        intent, context_chunks, answer, threshold=threshold, method=method, history=history
    )
    is_fine = report.is_scored or (allow_abstention and report.status == "abstained")
    if report.drift or not is_fine:
        raise AssertionError(_failure(report))
    return report


def _failure(report: RetrieverDriftReport) -> str:
    lines = [f"{report.status}, drift {report.drift_score:.2f}: {report.reason}"]
    lines += [
        f"  {each.drift_score:.2f} {each.text!r} (nearest: {each.support!r})"
        for each in report.sentences
        if each.drift_score > report.threshold
    ]
    return "\n".join(lines)


def seen_documents(config: RunnableConfig) -> list[Document] | None:
    """Return what a `RetrievedDocuments` among the callbacks has seen in this run."""
    manager = config.get("callbacks")
    handlers = manager if isinstance(manager, list) else getattr(manager, "handlers", ())
    for handler in handlers:
        if isinstance(handler, RetrievedDocuments):
            above = getattr(manager, "parent_run_id", None)
            return (handler.of(above) if above else handler.latest) or None
    return None


def _with_callback(config: RunnableConfig, handler: RetrievedDocuments) -> RunnableConfig:
    return merge_configs(config, {"callbacks": [handler]})
