"""The node that asks a person about what failed before."""

from collections.abc import Callable
from typing import Any

from langchain_core.runnables import RunnableConfig

from langchain_drift.errors import InvalidInputError
from langchain_drift.guard_nodes.actions import ACTION
from langchain_drift.guard_nodes.keys import Keys, values_of
from langchain_drift.guard_nodes.reviewing import send_back
from langchain_drift.guard_nodes.splitting import settle_calls
from langchain_drift.guard_nodes.state import GuardDecision, GuardRecord, ReviewedAction
from langchain_drift.tool_guard import answers
from langchain_drift.tool_guard.acknowledgement import Answer, Question, ask_person, describe
from langchain_drift.tool_guard.history import messages_of


def make_acknowledge_node(
    *,
    action_key: str = "candidate_action",
    review_key: str = "guard_review",
    decision_key: str = "guard_decision",
) -> Callable[..., dict[str, Any]]:
    """Return a node that interrupts the run until a person has decided.

    It asks about the review that stands in the state and looks nothing up, so the question is the
    same at every resume whatever the memory learns meanwhile. The person answers with `approve`,
    `edit` or `reject` in LangChain's words; see `ask_person`. Approved and edited actions go to
    `execute` by `route_guard`; if all are rejected it goes to `revise` as often as the guard node
    allows, then to `blocked`. Rejected tool calls are answered in the place of the tool.

    Args:
        action_key: The key of the action, where an edited one is written.
        review_key: Where the guard node wrote its review.
        decision_key: Where to write where to go.

    Raises:
        InvalidInputError: At the run, if there is no review, or no checkpointer.

    Example:
        ```python
        builder.add_node("acknowledge", make_acknowledge_node())
        builder.add_conditional_edges("acknowledge", route_guard, ["execute", "revise", "blocked"])
        ```
    """
    keys = Keys(action=action_key, review=review_key, decision=decision_key)

    def acknowledge(state: Any, config: RunnableConfig) -> dict[str, Any]:  # noqa: ANN401 - any state
        record: GuardRecord | None = values_of(state).get(keys.review)
        stopped = [one for one in record["actions"] if one["stopped"]] if record else []
        if record is None or not stopped:
            message = (
                f"The state has nothing to acknowledge under {keys.review!r}. Run the guard node "
                "first, and come here by `route_guard` only."
            )
            raise InvalidInputError(message)
        decided = ask_person([_question(one) for one in stopped], config)
        return _write(state, keys, {**record, "answers": decided})

    return acknowledge


def _question(action: ReviewedAction) -> Question:
    return Question(
        id=action["id"],
        name=action["name"],
        args=action["args"],
        warnings=action["warnings"],
        reinforcements=action["reinforcements"],
        description=describe(action["warnings"]),
    )


def _write(state: object, keys: Keys, record: GuardRecord) -> dict[str, Any]:
    decided = record["answers"]
    rejected = {name: one for name, one in decided.items() if one["type"] == "reject"}
    decision: GuardDecision = "execute"
    if len(rejected) == len(record["actions"]):
        record, decision = send_back(record)
    update: dict[str, Any] = {keys.review: record, keys.decision: decision}
    edited = {name: one["edited_action"] for name, one in decided.items() if one["type"] == "edit"}
    if ACTION in edited:
        return {**update, keys.action: edited[ACTION]}
    args = {name: one["args"] for name, one in edited.items() if isinstance(one, dict)}
    messages = settle_calls(messages_of(state), _refused(rejected), args)
    return {**update, "messages": messages} if messages else update


def _refused(rejected: dict[str, Answer]) -> dict[str, str]:
    return {
        name: answers.rejected(one.get("message"))
        for name, one in rejected.items()
        if name != ACTION
    }
