"""What the guard nodes write into the state of a graph: plain JSON."""

from typing import Any, Literal

# Not that of `typing`: pydantic refuses it before Python 3.12 where a schema is shown.
from typing_extensions import TypedDict

from langchain_drift.mistakes.settings import Policy
from langchain_drift.tool_guard.acknowledgement import Answer

GuardDecision = Literal["execute", "revise", "acknowledge", "blocked"]
"""Where to go: on; back to the planner; to a person; to the end of what may be tried."""


class ReviewedAction(TypedDict):
    """What is said of one action.

    Attributes:
        id: The id of the tool call; `action` for an action that is none.
        action: The action, in words or as `name {json}`.
        name: The tool; `action` for an action in words.
        args: Its arguments, or the action in words.
        warnings: See `MistakeWarning`.
        reinforcements: See `Reinforcement`.
        confidence: That of the surest warning, 0 to 1.
        stopped: Whether the policy stops it.
    """

    id: str
    action: str
    name: str
    args: dict[str, Any] | str
    warnings: list[dict[str, Any]]
    reinforcements: list[dict[str, Any]]
    confidence: float
    stopped: bool


class GuardRecord(TypedDict):
    """What a guard said of what is about to run; it does not change until the next review.

    Attributes:
        review_id: Its identity: the same when the node is retried or the run resumed.
        policy: The policy that held.
        actions: What was reviewed, one for each tool call.
        warnings: The warnings of all of them, the surest first.
        confidence: That of the surest, 0 to 1.
        prompt: All of it for a model to read, as quoted data; empty if there is nothing to say.
        revisions: How many reviews in a row sent the action back, this one included.
        revisions_left: How many more may.
        answers: What a person decided, by id.
    """

    review_id: str
    policy: Policy
    actions: list[ReviewedAction]
    warnings: list[dict[str, Any]]
    confidence: float
    prompt: str
    revisions: int
    revisions_left: int
    answers: dict[str, Answer]


class ActionOutcome(TypedDict, total=False):
    """What came of an action, for the record node; an executing node writes it.

    Attributes:
        failed: Whether it failed; by default it did not.
        feedback: What came back, such as an error message.
        outcome: What it led to.
    """

    failed: bool
    feedback: str
    outcome: str


class GuardState(TypedDict, total=False):
    """The keys of the guard nodes; inherit from it in the schema of the graph.

    Attributes:
        candidate_action: What is about to run: words, or a tool call `{"name": …, "args": {…}}`.
        guard_review: What the guard said of it.
        guard_decision: Where `route_guard` goes.
        guard_outcome: What came of it; emptied at each review.
    """

    candidate_action: str | dict[str, Any]
    guard_review: GuardRecord
    guard_decision: GuardDecision
    guard_outcome: ActionOutcome | None
