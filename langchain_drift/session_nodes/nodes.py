"""Graph nodes: score what was said, put the managed context together.

They never cost an answer: what goes wrong in scoring is logged, nothing is written, and the turn
is scored the next time.
"""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda

from langchain_drift.conversation.published_contract import initial_context
from langchain_drift.conversation.scorer import DriftScorer
from langchain_drift.conversation.verdict import ALARM
from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError
from langchain_drift.session_nodes.boundary import quietly
from langchain_drift.session_nodes.mirror import Namespace, arecall, recall
from langchain_drift.session_nodes.state import running_turn, session_of, summaries_in, values_of
from langchain_drift.sessions.managed import manage
from langchain_drift.sessions.reminder import reminder
from langchain_drift.sessions.summary import SessionSummary
from langchain_drift.sessions.tokens import check_budget, token_counter
from langchain_drift.tracking.turn_log import DriftTurn, ascore_turns, score_turns

_SCORING = "score the conversation"


def make_score_node(
    scorer: DriftScorer | str,
) -> RunnableLambda[Any, dict[str, list[DriftTurn]]]:
    """Return a node that scores what was said and writes `drift_turns`.

    Put it behind the node that gives the final reply. It scores every turn of the running session
    that has its reply and is not scored: the newest one, and those a client supplied at once. A
    turn whose message was edited or answered again is scored anew, with those after it; history
    sent again is not.

    Args:
        scorer: What to score with, or the system prompt to score against.
    """
    judge = as_scorer(scorer)

    def node(state: Any) -> dict[str, list[DriftTurn]]:  # noqa: ANN401 - any state
        values, found = values_of(state), list[DriftTurn]()
        with quietly(_SCORING):
            found = score_turns(judge, *_asked(values))
        return {"drift_turns": found}

    async def anode(state: Any) -> dict[str, list[DriftTurn]]:  # noqa: ANN401 - any state
        values, found = values_of(state), list[DriftTurn]()
        with quietly(_SCORING):
            found = await ascore_turns(judge, *_asked(values))
        return {"drift_turns": found}

    return RunnableLambda(node, anode, name="drift_score")


def make_inject_node(  # noqa: PLR0913 - what a context is made of
    purpose: DriftScorer | str,
    *,
    max_tokens: int | None = None,
    max_summaries: int = 3,
    counter: object = None,
    remind: bool = False,
    namespace: Namespace | None = None,
) -> RunnableLambda[Any, dict[str, list[BaseMessage]]]:
    """Return a node that writes the managed context for the model to `drift_context`.

    That is the prompt byte for byte with its examples, the newest summaries, and the messages,
    within the budget. Put it before the node that calls the model on `state["drift_context"]`. It
    is in no checkpoint, so it is gone where the graph is interrupted between the two; then let
    the model's node invoke this one itself.

    Args:
        purpose: The system prompt, or the scorer that knows it and its examples.
        max_tokens: The budget; None for no limit.
        max_summaries: How many summaries to show at most.
        counter: What counts tokens: a function of messages or a model; by default an approximate
            count.
        remind: Whether to remind the model of its purpose while the running score is below 55.
        namespace: Where in the graph's store the user's summaries of other threads are.

    Raises:
        InvalidInputError: If a parameter has a value it cannot take.
        BudgetError: When run, if what must be in the context is more than the budget.
    """
    original = initial_context(as_scorer(purpose).purpose)
    budget, count = check_budget(max_tokens), token_counter(counter)
    most = check_count("max_summaries", max_summaries, least=0, hint="0 shows none")

    def manage_state(
        values: Mapping[str, Any], others: list[SessionSummary]
    ) -> dict[str, list[BaseMessage]]:
        made = manage(
            original,
            values.get("messages") or [],
            [*others, *summaries_in(values)],
            max_tokens=budget,
            max_summaries=most,
            note=reminder_in(values) if remind else "",
            count=count,
        )
        return {"drift_context": list(made.messages)}

    def node(state: Any, config: RunnableConfig) -> dict[str, list[BaseMessage]]:  # noqa: ANN401 - any state
        return manage_state(values_of(state), recall(namespace, config, most))

    async def anode(state: Any, config: RunnableConfig) -> dict[str, list[BaseMessage]]:  # noqa: ANN401 - any state
        return manage_state(values_of(state), await arecall(namespace, config, most))

    return RunnableLambda(node, anode, name="drift_inject")


def as_scorer(given: object) -> DriftScorer:
    """Return a scorer given as one or as a system prompt.

    Raises:
        InvalidInputError: If it is neither.
    """
    if isinstance(given, DriftScorer):
        return given
    if isinstance(given, str):
        return DriftScorer(given)
    message = f"The scorer is {given!r:.80}; pass a DriftScorer or the system prompt."
    raise InvalidInputError(message)


def reminder_in(values: Mapping[str, Any]) -> str:
    """Return the reminder for the running score; empty if it is on purpose."""
    last = running_turn(values)
    return "" if last is None or last["score"] >= ALARM else reminder(last["score"])


def _asked(values: Mapping[str, Any]) -> tuple[list[BaseMessage], list[DriftTurn], int]:
    messages, turns = values.get("messages") or [], values.get("drift_turns") or []
    return list(messages), list(turns), session_of(values)
