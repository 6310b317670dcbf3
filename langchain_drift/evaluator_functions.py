"""Evaluators as functions, in the style of openevals."""

from collections.abc import Awaitable
from typing import Any, Protocol, TypeAlias, TypeVar

from langsmith.schemas import Example, Run

from langchain_drift.evaluators import EvaluatorResult, RetrieverDriftEvaluator

_Given_co = TypeVar("_Given_co", covariant=True)


class Evaluator(Protocol[_Given_co]):
    """A function of keywords in the style of openevals; `_Given_co` is what it gives."""

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
    ) -> _Given_co:
        """Judge what came out."""
        ...


SyncEvaluator: TypeAlias = Evaluator[EvaluatorResult]
AsyncEvaluator: TypeAlias = Evaluator[Awaitable[EvaluatorResult]]


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
        case = evaluator.case(inputs, outputs, context, run)
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
        case = evaluator.case(inputs, outputs, context, run)
        (report,) = await evaluator.detector.adetect_batch([case])
        return evaluator.result(report)

    return retriever_drift
