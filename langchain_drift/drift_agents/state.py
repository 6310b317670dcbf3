"""The state that `DriftMiddleware` adds to an agent: plain JSON."""

# State and its annotations are read at run time, so nothing is imported for type checking alone.

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from langchain_drift.errors import MissingExtraError
from langchain_drift.session_nodes.state import DriftSummary, SessionEnd, later, merge_summaries
from langchain_drift.tracking.turn_log import DriftTurn, merge_turns

try:
    from langchain.agents.middleware import AgentState
    from langchain.agents.middleware.types import OmitFromInput, PrivateStateAttr
except ImportError as error:
    raise MissingExtraError("langchain", "langchain") from error  # noqa: EM101 - names, no message

_MOST_REJECTED = 50


class Asked(TypedDict):
    """What the user asked in the running turn, kept where a summary takes its message away.

    Attributes:
        turn_id: The id of the message.
        user: Its text.
    """

    turn_id: str
    user: str


class RejectedReply(TypedDict):
    """A reply that drifted and was not given to the user.

    Attributes:
        reply_id: `turn_id` and which of the turn's rejected replies it was.
        turn_id: The turn it was for.
        action: What was done: `re_ask` or `stop`.
        assistant: Its first 200 characters.
        score: The running score it would have led to, 0 to 100.
        verdict: The band of that score.
        explanation: Why.
    """

    reply_id: str
    turn_id: str
    action: Literal["re_ask", "stop"]
    assistant: str
    score: float
    verdict: str
    explanation: str


def merge_rejected(
    left: Sequence[RejectedReply] | None, right: Sequence[RejectedReply] | None
) -> list[RejectedReply]:
    """Merge rejected replies by their id and keep the newest 50."""
    merged = {each["reply_id"]: each for each in [*(left or ()), *(right or ())]}
    return list(merged.values())[-_MOST_REJECTED:]


def newer(left: DriftTurn | None, right: DriftTurn | None) -> DriftTurn | None:
    """Return what was written last; agents that run side by side do not clash."""
    return right or left


class DriftAgentState(AgentState[Any]):
    """The state of an agent with `DriftMiddleware`.

    All but `drift` is private to the agent: it is in its checkpoints, and not in what it returns
    or shares with sub-agents. See `DriftState` for what the names mean.

    Attributes:
        drift: The last scored turn, without the scorer's state.
        drift_rejected: Replies that drifted and were not given to the user.
        drift_asked: What the user asked in the running turn.
    """

    drift: NotRequired[Annotated[DriftTurn | None, OmitFromInput, newer]]
    drift_turns: NotRequired[Annotated[list[DriftTurn], PrivateStateAttr, merge_turns]]
    drift_summaries: NotRequired[Annotated[list[DriftSummary], PrivateStateAttr, merge_summaries]]
    drift_session: NotRequired[Annotated[int, PrivateStateAttr, later]]
    drift_frozen: NotRequired[Annotated[bool, PrivateStateAttr]]
    drift_end_session: NotRequired[Annotated[bool, PrivateStateAttr]]
    drift_end: NotRequired[Annotated[SessionEnd, PrivateStateAttr]]
    drift_rejected: NotRequired[Annotated[list[RejectedReply], PrivateStateAttr, merge_rejected]]
    drift_asked: NotRequired[Annotated[Asked | None, PrivateStateAttr]]
