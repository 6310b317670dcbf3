"""The evaluator: retriever drift as LangSmith and runnables take it."""

import uuid
from typing import Any, Literal, TypedDict

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.runnables.config import merge_configs
from langsmith.evaluation import EvaluationResult, RunEvaluator
from langsmith.schemas import Example, Run

from langchain_drift.rag_payload import RagKeys, documents_from_run, rag_case
from langchain_drift.retrieval.detector import RagCase, RetrieverDriftDetector, Tier
from langchain_drift.retrieval.report import RetrieverDriftReport
from langchain_drift.retrieved_documents import RetrievedDocuments, seen_documents

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
            case = self.case_seen(outputs, config)
            return self.detector.detect_batch([case])[0]

        async def ajudge(outputs: Any, config: RunnableConfig) -> RetrieverDriftReport:  # noqa: ANN401 - any payload
            (report,) = await self.detector.adetect_batch([self.case_seen(outputs, config)])
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

    def _case_of_run(self, run: Run, example: Example | None) -> RagCase:
        inputs = run.inputs or (example.inputs if example else None)
        return self.case(inputs, run.outputs, None, run)

    def case_seen(self, outputs: object, config: RunnableConfig) -> RagCase:
        """Find a case in an output, its documents else in what a callback of the run has seen."""
        case = rag_case(self.keys, None, outputs)
        if case.context_chunks:
            return case
        return case._replace(context_chunks=seen_documents(config))

    def case(
        self, inputs: object, outputs: object, context: object = None, run: Run | None = None
    ) -> RagCase:
        """Find question, documents and answer in what an evaluator is given."""
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


def _with_callback(config: RunnableConfig, handler: RetrievedDocuments) -> RunnableConfig:
    return merge_configs(config, {"callbacks": [handler]})
