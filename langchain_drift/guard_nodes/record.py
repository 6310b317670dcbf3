"""The node that tells a guard what came of what ran."""

from collections.abc import Callable
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.errors import NodeError
from langgraph.types import Command

from langchain_drift.guard_nodes.actions import ACTION, Candidate
from langchain_drift.guard_nodes.guard import place_here, task_here
from langchain_drift.guard_nodes.keys import ActionOf, Keys, values_of
from langchain_drift.guard_nodes.state import ActionOutcome
from langchain_drift.mistakes.action import read_action
from langchain_drift.tool_guard.event_ids import make_event_id
from langchain_drift.tool_guard.history import messages_of
from langchain_drift.tool_guard.outcome import Failed, has_error_status, outcome_of
from langchain_drift.tool_guard.outcome import outcome_of_error as read_error
from langchain_drift.tool_guard.place import GuardOf, Guards, ScopeOf, resolve_scope

OutcomeOf = Callable[[Any], ActionOutcome | None]
"""Tells by the state what came of an action; None if nothing did."""


class _Done(NamedTuple):
    """An action that ran, and what came of it."""

    candidate: Candidate
    outcome: ActionOutcome


def make_record_node(  # noqa: PLR0913 - keys and rules are all keyword only
    guard: GuardOf = None,
    *,
    action_key: str = "candidate_action",
    action_of: ActionOf | None = None,
    outcome_key: str = "guard_outcome",
    outcome_of: OutcomeOf | None = None,
    review_key: str = "guard_review",
    scope: ScopeOf = None,
    failed: Failed = has_error_status,
    successes: bool = True,
    on_error: str | None = None,
) -> Callable[..., Command[Any] | None]:
    """Return a node that tells a guard what failed and what worked.

    What came of the action is what `outcome_of` tells; else the `ActionOutcome` under
    `outcome_key`; else, for tool calls, their tool messages. With none of them nothing is told. It
    may also be the `error_handler` of the node that executes: then the error is told. However
    often the node is retried or the run resumed, what came of one review counts once.

    Args:
        guard: The guard, a function that tells it by where the node runs, or None for `guard` in
            the context of the run, else for a guard on the store of the run.
        action_key: The key of the action.
        action_of: Tells the action by the state.
        outcome_key: The key of the outcome.
        outcome_of: Tells the outcome by the state.
        review_key: Where the guard node writes.
        scope: Whose memory is told: a scope, or a function such as `user_scope`.
        failed: Tells by a tool message whether its call failed; by default its status does.
        successes: Whether to tell what worked too; it lowers later warnings.
        on_error: As an error handler: the node to go on to. By default the graph ends there.

    Example:
        ```python
        record = make_record_node(guard, on_error="planner")
        builder.add_node("execute", run, error_handler=record)
        builder.add_node("record", make_record_node(guard))
        builder.add_edge("execute", "record")
        ```
    """
    keys = Keys(action=action_key, review=review_key, outcome=outcome_key)
    guards = Guards(guard)

    def find(state: Any, error: NodeError | None) -> list[_Done]:  # noqa: ANN401 - any state
        values = values_of(state)
        action = action_of(state) if action_of else values.get(keys.action)
        outcome = outcome_of(state) if outcome_of else values.get(keys.outcome)
        if error is not None:
            outcome = ActionOutcome(failed=True, feedback=read_error(error.error).text)
        if action:
            return [_Done(Candidate(ACTION, action), outcome)] if outcome is not None else []
        return _of_messages(state, outcome if error is not None else None, failed)

    def record(
        state: Any,  # noqa: ANN401 - any state
        config: RunnableConfig,
        error: NodeError = None,  # type: ignore[assignment] # LangGraph injects by this very type
    ) -> Command[Any] | None:
        place = place_here(state, config)
        asked, whose = guards.at(place), resolve_scope(scope, place)
        review = values_of(state).get(keys.review) or {}
        base = review.get("review_id") or task_here()
        for one in find(state, error):
            is_mistake = bool(one.outcome.get("failed"))
            if not is_mistake and not successes:
                continue
            tell = asked.record if is_mistake else asked.record_success
            tell(
                one.candidate.action,
                one.outcome.get("feedback", ""),
                one.outcome.get("outcome", ""),
                scope=whose,
                event_id=_event_id(one, base, place.thread_id),
                source=place.thread_id or "",
            )
        return Command(goto=on_error) if error is not None and on_error else None

    return record


def _of_messages(state: object, error: ActionOutcome | None, failed: Failed) -> list[_Done]:
    """Return what came of the tool calls of the last message that calls tools."""
    messages = messages_of(state)
    answered: dict[str, ToolMessage] = {}
    last = None
    for message in reversed(messages):
        if isinstance(message, ToolMessage):
            answered.setdefault(message.tool_call_id, message)
        elif isinstance(message, AIMessage) and message.tool_calls:
            last = message
            break
    found = []
    for call in last.tool_calls if last else ():
        answer = answered.get(call["id"] or "")
        came = outcome_of(answer, failed) if answer else None
        action = {"name": call["name"], "args": call["args"]}
        candidate = Candidate(call["id"] or "", action, last.id if last else None)
        if came:
            feedback = came.text if came.failed else ""
            found.append(_Done(candidate, ActionOutcome(failed=came.failed, feedback=feedback)))
        elif error and not answer:
            found.append(_Done(candidate, error))
    return found


def _event_id(done: _Done, base: str, thread_id: str | None) -> str:
    candidate = done.candidate
    if candidate.message_id is not None:
        # The same as that of the middleware, so that both together count once.
        parts = (thread_id, candidate.message_id, candidate.id)
    else:
        parts = (base, read_action(candidate.action).key, "")
    return make_event_id("mistake" if done.outcome.get("failed") else "success", *parts)
