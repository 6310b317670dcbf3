"""Graph nodes: judge an answer inside a LangGraph graph and route on what was found."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal

from langchain_core.runnables import RunnableConfig, RunnableLambda

# Not that of `typing`: before Python 3.12 no schema could inherit from it and `MessagesState`.
from typing_extensions import TypedDict

from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError
from langchain_drift.evaluators import RetrieverDriftEvaluator
from langchain_drift.retrieval.report import RetrieverDriftReport

DriftRoute = Literal["accept", "regenerate", "retrieve", "caution"]
"""Where to go: on; back to the model; back to the retriever; to an answer with caution."""


class RetrieverDriftRecord(TypedDict):
    """What the node writes into the state, plain JSON.

    Attributes:
        drift: Whether the answer drifted.
        drift_score: 0 to 1.
        status: See `retrieval.report.Status`.
        reason: Why, in a sentence.
        unsupported: Values, names and words that no document holds.
        context_answers: Whether the documents fit the question; None if that is not known.
        question: The question that was answered.
        attempts: How many answers to this question were judged, this one included.
    """

    drift: bool
    drift_score: float
    status: str
    reason: str
    unsupported: list[str]
    context_answers: bool | None
    question: str | None
    attempts: int


class RetrieverDriftState(TypedDict, total=False):
    """The key that the node writes; inherit from it in the schema of the graph."""

    retriever_drift: RetrieverDriftRecord


def make_retriever_drift_node(
    evaluator: RetrieverDriftEvaluator | None = None, *, state_key: str = "retriever_drift"
) -> RunnableLambda[Any, dict[str, RetrieverDriftRecord]]:
    """Return a node that judges the answer in the state.

    Question, documents and answer are found in the state as the evaluator finds them: under
    the usual keys, or in `messages` with the documents in tool messages' artifacts; else in what
    a `RetrievedDocuments` among the callbacks has seen in this run.

    Args:
        evaluator: How to judge; by default `RetrieverDriftEvaluator()`.
        state_key: Where to write a `RetrieverDriftRecord`.
    """
    judge = evaluator or RetrieverDriftEvaluator()

    def node(state: Any, config: RunnableConfig) -> dict[str, RetrieverDriftRecord]:  # noqa: ANN401 - any state
        case = judge.case_seen(_values(state), config)
        report = judge.detector.detect_batch([case])[0]
        return {state_key: _record(report, case.intent, _values(state).get(state_key))}

    async def anode(state: Any, config: RunnableConfig) -> dict[str, RetrieverDriftRecord]:  # noqa: ANN401 - any state
        case = judge.case_seen(_values(state), config)
        (report,) = await judge.detector.adetect_batch([case])
        return {state_key: _record(report, case.intent, _values(state).get(state_key))}

    return RunnableLambda(node, anode, name="retriever_drift")


def make_retriever_drift_route(
    *, attempts: int = 2, state_key: str = "retriever_drift"
) -> Callable[[Any], DriftRoute]:
    """Return a function for conditional edges behind the node.

    A supported answer and one that says that it has none go on (`accept`). After `attempts`
    judged answers to a question the graph is to answer with `caution`. Before that it is to
    `retrieve` again where the documents do not fit the question or there are none, and to
    `regenerate` the answer where they do. What could not be judged goes to `caution`.

    Args:
        attempts: How many answers to one question may be judged, at least 1.
        state_key: Where the node writes.

    Raises:
        InvalidInputError: If `attempts` is not a whole number of at least 1.
    """
    most = check_count("attempts", attempts)

    def route(state: Any) -> DriftRoute:  # noqa: ANN401 - any state
        found: RetrieverDriftRecord | None = _values(state).get(state_key)
        if found is None:
            message = (
                f"The state holds no {state_key!r}; put a node of `make_retriever_drift_node` "
                "before this route, and the key into the schema of the graph."
            )
            raise InvalidInputError(message)
        if found["status"] == "unsupported_language":
            return "caution"
        if not found["drift"]:
            return "accept"
        if found["attempts"] >= most:
            return "caution"
        return "regenerate" if found["context_answers"] else "retrieve"

    return route


def _values(state: Any) -> Mapping[str, Any]:  # noqa: ANN401 - any state
    """Return the values of a state: a mapping, a pydantic model or a dataclass."""
    if isinstance(state, Mapping):
        return state
    if is_dataclass(state):
        return {field.name: getattr(state, field.name) for field in fields(state)}
    return dict(state)


def _record(
    report: RetrieverDriftReport, question: str | None, before: RetrieverDriftRecord | None
) -> RetrieverDriftRecord:
    is_again = before is not None and before["question"] == question
    return RetrieverDriftRecord(
        drift=report.drift,
        drift_score=float(report.drift_score),
        status=report.status,
        reason=report.reason,
        unsupported=list(report.unsupported),
        context_answers=report.context_answers,
        question=question,
        attempts=before["attempts"] + 1 if before is not None and is_again else 1,
    )
