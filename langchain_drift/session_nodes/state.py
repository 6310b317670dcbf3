"""The state of a graph that keeps its drift: what the nodes of `session_nodes` read and write."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from langchain_core.messages import BaseMessage
from langgraph.channels import UntrackedValue
from langgraph.graph import MessagesState
from typing_extensions import TypedDict

from langchain_drift.sessions.summary import SessionSummary
from langchain_drift.tracking.turn_log import DriftTurn, last_turn, merge_turns

MOST_SUMMARIES = 20
"""Summaries kept in a state; the oldest go first."""


class DriftSummary(TypedDict, total=False):
    """What is kept of a session that ended, plain JSON.

    Attributes:
        schema: Version of these fields.
        session: The session, from 1.
        summary: What was said in it; empty to take the summary back.
        turns: How many scored turns it had.
        final_score: The running score at its end; None if no turn was scored.
        until: The id of its last turn.
    """

    schema: int
    session: int
    summary: str
    turns: int
    final_score: float | None
    until: str | None


Status = Literal["ended", "empty", "frozen", "failed"]


class SessionEnd(TypedDict):
    """How the last call of the end-session node went.

    Attributes:
        status: `ended`; `empty`: nothing was said; `frozen`; `failed`: there is no summary. But
            for `ended` nothing was changed.
        session: The session it was about.
        reason: Why nothing was changed; None if the session ended.
    """

    status: Status
    session: int
    reason: str | None


def merge_summaries(
    left: Sequence[DriftSummary] | None, right: Sequence[DriftSummary] | None
) -> list[DriftSummary]:
    """Merge summaries by their session; an empty one takes its session's back."""
    merged = {each["session"]: each for each in [*(left or ()), *(right or ())]}
    kept = [merged[number] for number in sorted(merged) if merged[number]["summary"]]
    return kept[-MOST_SUMMARIES:]


def later(left: int | None, right: int | None) -> int:
    """Return the later of two session numbers."""
    return max(left or 0, right or 0)


class DriftState(MessagesState, total=False):
    """Messages, and what is kept of their drift; inherit from it in the schema of a graph.

    All of it is plain JSON, which every checkpointer can hold in strict mode too, so drift history
    and summaries survive restarts, fork with the thread and travel in time with it.

    Attributes:
        messages: The running session's messages.
        drift_turns: The scored turns, oldest first, at most 200.
        drift_summaries: The summaries of past sessions, oldest first.
        drift_session: The number of the running session; 0 or missing for the first.
        drift_frozen: Whether sessions may not be ended; set it yourself.
        drift_end_session: Set it to end the session at the next `should_end_session`.
        drift_end: How the last end of a session went.
        drift_context: The managed context for the model; in no checkpoint.
    """

    drift_turns: Annotated[list[DriftTurn], merge_turns]
    drift_summaries: Annotated[list[DriftSummary], merge_summaries]
    drift_session: Annotated[int, later]
    drift_frozen: bool
    drift_end_session: bool
    drift_end: SessionEnd
    drift_context: Annotated[list[BaseMessage], UntrackedValue]


def values_of(state: Any) -> Mapping[str, Any]:  # noqa: ANN401 - any state
    """Return the values of a state, whether it is a dict, a model or a dataclass."""
    if isinstance(state, Mapping):
        return state
    return dict(state) if hasattr(state, "__iter__") else vars(state)


def session_of(values: Mapping[str, Any]) -> int:
    """Return the number of the running session, from 1."""
    return values.get("drift_session") or 1


def summaries_in(values: Mapping[str, Any]) -> list[SessionSummary]:
    """Return the summaries a state holds."""
    return [
        SessionSummary(
            session_number=each["session"],
            summary=each["summary"],
            turn_count=each.get("turns", 0),
            final_drift_score=each.get("final_score"),
        )
        for each in values.get("drift_summaries") or ()
        if each["summary"]
    ]


def running_turn(values: Mapping[str, Any]) -> DriftTurn | None:
    """Return the last scored turn of the running session."""
    return last_turn(values.get("drift_turns"), session_of(values))
