"""Retriever drift as a string evaluator of `langchain-classic`; needs the extra `classic`."""

from typing import Any

from langchain_drift.errors import MissingExtraError
from langchain_drift.evaluators import RetrieverDriftEvaluator

try:
    from langchain_classic.evaluation.schema import StringEvaluator
except ImportError as error:
    package = "langchain_classic"
    raise MissingExtraError(package, "classic") from error


class RetrieverDriftStringEvaluator(StringEvaluator):
    """Judges a prediction by its input and its reference: the retrieved text.

    Args:
        **options: See `RetrieverDriftEvaluator`.

    Example:
        ```python
        RetrieverDriftStringEvaluator().evaluate_strings(
            prediction="500 euros", input="What is the limit?", reference="The limit is 500 euros."
        )
        ```
    """

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - see the class
        self.evaluator = RetrieverDriftEvaluator(**options)

    @property
    def evaluation_name(self) -> str:
        """The name of the score."""
        return self.evaluator.feedback_key

    @property
    def requires_input(self) -> bool:
        """The question is judged, too."""
        return True

    @property
    def requires_reference(self) -> bool:
        """The reference is the retrieved text."""
        return True

    def _evaluate_strings(
        self,
        *,
        prediction: str | Any,  # noqa: ANN401 - the signature is LangChain's
        reference: str | Any | None = None,  # noqa: ANN401 - the signature is LangChain's
        input: str | Any | None = None,  # noqa: A002, ANN401 - the signature is LangChain's
        **kwargs: Any,  # noqa: ANN401, ARG002 - the signature is LangChain's
    ) -> dict[str, Any]:
        report = self.evaluator.report(inputs=input, outputs=prediction, context=reference)
        return self._as_graded(dict(self.evaluator.result(report)), drift=report.drift)

    async def _aevaluate_strings(
        self,
        *,
        prediction: str | Any,  # noqa: ANN401 - the signature is LangChain's
        reference: str | Any | None = None,  # noqa: ANN401 - the signature is LangChain's
        input: str | Any | None = None,  # noqa: A002, ANN401 - the signature is LangChain's
        **kwargs: Any,  # noqa: ANN401, ARG002 - the signature is LangChain's
    ) -> dict[str, Any]:
        report = await self.evaluator.areport(inputs=input, outputs=prediction, context=reference)
        return self._as_graded(dict(self.evaluator.result(report)), drift=report.drift)

    @staticmethod
    def _as_graded(result: dict[str, Any], *, drift: bool) -> dict[str, Any]:
        """Return a result under the names of string evaluators."""
        return {
            "score": result["score"],
            "value": "drift" if drift else result["metadata"]["status"],
            "reasoning": result["comment"],
        }
