"""The node that asks a guard about what is about to run."""

from dataclasses import dataclass
from typing import Any, Literal, Unpack

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.runtime import get_runtime

from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError
from langchain_drift.guard_nodes.actions import Candidate, find_candidates
from langchain_drift.guard_nodes.keys import ActionOf, Keys, PublishedKeys, values_of
from langchain_drift.guard_nodes.reviewing import make_guard_record, published_values
from langchain_drift.guard_nodes.splitting import settle_calls
from langchain_drift.guard_nodes.state import GuardRecord
from langchain_drift.mistakes.exceptions import (
    GuardrailAcknowledgementRequired,
    GuardrailTriggered,
)
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.policy import Ruling, resolve_policy
from langchain_drift.mistakes.review import GuardReview
from langchain_drift.mistakes.settings import Policy
from langchain_drift.tool_guard import answers
from langchain_drift.tool_guard.history import messages_of
from langchain_drift.tool_guard.place import (
    GuardOf,
    Guards,
    Place,
    ScopeOf,
    make_place,
    resolve_scope,
)

OnBlock = Literal["route", "raise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """Asks about the actions of a state; what the sync and the async node share."""

    policy: Policy | None
    min_confidence: float | None
    scope: ScopeOf
    revisions: int
    on_block: OnBlock
    acknowledged_key: str | None
    action_of: ActionOf | None
    keys: Keys
    published: PublishedKeys

    def find(self, state: object) -> list[Candidate]:
        """Return what to ask about."""
        return find_candidates(state, self.keys.action, self.action_of)

    def terms(self, guard: DriftGuard, place: Place) -> dict[str, Any]:
        """Return how to ask: nothing is raised, for the whole is ruled on afterwards."""
        policy = self.policy or guard.settings.guard_policy
        asked = policy if policy == "record_only" else "warn"
        return {"scope": resolve_scope(self.scope, place), "policy": asked}

    def answer(
        self, guard: DriftGuard, state: object, found: list[Candidate], reviews: list[GuardReview]
    ) -> dict[str, Any]:
        """Return what the node writes."""
        values = values_of(state)
        ruling = resolve_policy(
            self.policy or guard.settings.guard_policy,
            guard.settings.guard_min_confidence
            if self.min_confidence is None
            else self.min_confidence,
            acknowledged=bool(self.acknowledged_key and values.get(self.acknowledged_key)),
            raise_on_match=False,
        )
        before = values.get(self.keys.review) if self._was_sent_back(values) else None
        record, decision = make_guard_record(
            list(zip(found, reviews, strict=True)),
            ruling,
            review_id=task_here(),
            before=before,
            revisions=self.revisions,
        )
        self._count(guard, ruling, record, reviews)
        update = {
            self.keys.review: record,
            self.keys.decision: decision,
            self.keys.outcome: None,
            **published_values(reviews, self.published),
        }
        refused = _refused(record, found, reviews) if decision != "acknowledge" else {}
        messages = settle_calls(messages_of(state), refused)
        return {**update, "messages": messages} if messages else update

    def _was_sent_back(self, values: Any) -> bool:  # noqa: ANN401 - a mapping
        return values.get(self.keys.decision) == "revise" and bool(values.get(self.keys.review))

    def _count(
        self, guard: DriftGuard, ruling: Ruling, record: GuardRecord, reviews: list[GuardReview]
    ) -> None:
        """Count what was stopped, and raise it if that was asked for."""
        for reviewed, review in zip(record["actions"], reviews, strict=True):
            if not reviewed["stopped"]:
                continue
            if ruling.policy == "acknowledge":
                guard.runtime.metrics.count(reviews_ack_required=1)
                if self.on_block == "raise":
                    raise GuardrailAcknowledgementRequired(review)
            else:
                guard.runtime.metrics.count(reviews_blocked=1)
                if self.on_block == "raise":
                    raise GuardrailTriggered(review)


def make_guard_node(  # noqa: PLR0913 - keys and rules are all keyword only
    guard: GuardOf = None,
    *,
    action_key: str = "candidate_action",
    action_of: ActionOf | None = None,
    acknowledged_key: str | None = None,
    policy: Policy | None = None,
    min_confidence: float | None = None,
    scope: ScopeOf = None,
    revisions: int = 1,
    on_block: OnBlock = "route",
    review_key: str = "guard_review",
    decision_key: str = "guard_decision",
    outcome_key: str = "guard_outcome",
    **published: Unpack[PublishedKeys],
) -> RunnableLambda[Any, dict[str, Any]]:
    """Return a node that asks a guard about what is about to run, and writes where to go.

    The action is what `action_of` tells; else what stands under `action_key`; else each tool call
    of the last message that has no result. It never interrupts, so its review is in the state
    before a person is asked. Let the schema of the graph inherit from `GuardState`, and do not
    give the node a `cache_policy`: it would go on saying what it said before a failure.

    Where `route_guard` goes: `warn` and `record_only` always to `execute`; `block` to `revise`
    until `revisions` is used up, then to `blocked`; `acknowledge` to `acknowledge`. If only some
    of a message's tool calls are blocked they are answered in the place of the tool, and the rest
    goes to `execute`.

    Args:
        guard: The guard, a function that tells it by where the node runs, or None for `guard` in
            the context of the run, else for a guard on the store of the run.
        action_key: The key of the action.
        action_of: Tells the action by the state.
        acknowledged_key: The key of a value that says that somebody agreed already.
        policy: By default that of the guard's settings.
        min_confidence: Lowest confidence that stops an action, 0 to 1; by default likewise.
        scope: Whose memory is asked: a scope, or a function such as `user_scope`.
        revisions: How often in a row an action may be sent back, at least 0.
        on_block: `raise` to raise out of the graph instead of routing.
        review_key: Where to write a `GuardRecord`.
        decision_key: Where to write where to go.
        outcome_key: The key of the outcome, which is emptied.
        **published: Further keys, for those who come from driftguard-ai.

    Raises:
        InvalidInputError: If an argument cannot be used; at the run, if there is no action.

    Example:
        ```python
        builder.add_node("guard", make_guard_node(guard, policy="block"))
        builder.add_conditional_edges("guard", route_guard, ["execute", "revise", "blocked"])
        ```
    """
    resolve_policy(
        policy or "warn", min_confidence or 0.0, acknowledged=False, raise_on_match=False
    )
    check_count("revisions", revisions, least=0)
    # Python passes a name that is misspelt on among them, and the guard would go without it.
    unknown = published.keys() - PublishedKeys.__annotations__.keys()
    if unknown:
        message = f"make_guard_node has no parameter {min(unknown)!r}."
        raise InvalidInputError(message)
    if on_block not in ("route", "raise"):
        message = f"on_block is {on_block!r}, but must be `route` or `raise`."
        raise InvalidInputError(message)
    asking = _Asking(
        policy=policy,
        min_confidence=min_confidence,
        scope=scope,
        revisions=revisions,
        on_block=on_block,
        acknowledged_key=acknowledged_key,
        action_of=action_of,
        keys=Keys(action_key, review_key, decision_key, outcome_key),
        published=published,
    )

    guards = Guards(guard)

    def node(state: Any, config: RunnableConfig) -> dict[str, Any]:  # noqa: ANN401 - any state
        place, found = place_here(state, config), asking.find(state)
        asked = guards.at(place)
        terms = asking.terms(asked, place)
        reviews = [asked.before_step(one.action, **terms) for one in found]
        return asking.answer(asked, state, found, reviews)

    async def anode(state: Any, config: RunnableConfig) -> dict[str, Any]:  # noqa: ANN401 - any state
        place, found = place_here(state, config), asking.find(state)
        asked = await guards.aat(place)
        terms = asking.terms(asked, place)
        reviews = [await asked.abefore_step(one.action, **terms) for one in found]
        return asking.answer(asked, state, found, reviews)

    return RunnableLambda(node, anode, name="guard")


def place_here(state: object, config: RunnableConfig) -> Place:
    """Return where a node runs."""
    runtime = get_runtime()
    return make_place(state, runtime.context, config, runtime.store)


def task_here() -> str:
    """Return the identity of the task that runs; the same when it is retried or resumed."""
    info = get_runtime().execution_info
    return info.task_id if info else ""


def _refused(
    record: GuardRecord, found: list[Candidate], reviews: list[GuardReview]
) -> dict[str, str]:
    """Return the answers to the tool calls of a message that do not run."""
    return {
        one.id: answers.blocked(review.to_prompt())
        for one, review, reviewed in zip(found, reviews, record["actions"], strict=True)
        if reviewed["stopped"] and one.message_id is not None
    }
