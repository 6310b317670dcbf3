"""Conditional edges on drift: whether to end the session, and what to do about drift."""

from collections.abc import Callable
from typing import Any, Literal

from langchain_drift.conversation.verdict import ALARM, RESET
from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError
from langchain_drift.session_nodes.state import running_turn, session_of, values_of
from langchain_drift.sessions.message_turns import split_turns, turn_id
from langchain_drift.sessions.tokens import check_budget, token_counter

SessionRoute = Literal["end_session", "continue"]
"""Whether to end the session."""

DriftRoute = Literal["on_purpose", "remind", "reset"]
"""What to do: go on; remind the model of its purpose; begin again."""


def should_end_session(state: Any) -> SessionRoute:  # noqa: ANN401 - any state
    """Route to `end_session` if `drift_end_session` is set in the state, else to `continue`."""
    return "end_session" if values_of(state).get("drift_end_session") else "continue"


def make_should_end_session(
    *,
    max_turns: int | None = None,
    max_tokens: int | None = None,
    below: float | None = None,
    counter: object = None,
) -> Callable[[Any], SessionRoute]:
    """Return an edge that ends a session also when it is long or has lost its purpose.

    Args:
        max_turns: End it after so many scored turns.
        max_tokens: End it when its messages count more tokens. Turns kept from a session that
            ended do not count, so a message larger than this leads to one summary, not to one
            at every turn.
        below: End it when the running score is below this.
        counter: What counts tokens: a function of messages or a model; by default an approximate
            count.

    Raises:
        InvalidInputError: If a limit is no number it can be.
    """
    most = None if max_turns is None else check_count("max_turns", max_turns)
    budget, count = check_budget(max_tokens), token_counter(counter)
    if below is not None and not _is_score(below):
        message = f"below is {below!r:.80}, but must be a score from 0 to 100; None means no limit."
        raise InvalidInputError(message)

    def route(state: Any) -> SessionRoute:  # noqa: ANN401 - any state
        values = values_of(state)
        if should_end_session(state) == "end_session":
            return "end_session"
        last = running_turn(values)
        if last is not None and below is not None and last["score"] < below:
            return "end_session"
        if last is not None and most is not None and last["number"] >= most:
            return "end_session"
        if budget is not None and count(_messages_of_session(values)) > budget:
            return "end_session"
        return "continue"

    return route


def route_drift(state: Any) -> DriftRoute:  # noqa: ANN401 - any state
    """Route on the running score: `on_purpose`, `remind` below 55, `reset` below 35."""
    last = running_turn(values_of(state))
    score = 100.0 if last is None else last["score"]
    return "reset" if score < RESET else "remind" if score < ALARM else "on_purpose"


def _is_score(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= 100  # noqa: PLR2004 - a score


def _messages_of_session(values: Any) -> list[Any]:  # noqa: ANN401 - any state
    turns = split_turns(values.get("messages") or [])
    return [message for turn in of_session(turns, values) for message in turn]


def of_session(turns: Any, values: Any) -> list[Any]:  # noqa: ANN401 - any state
    """Return the turns of the running session: those after what was already summarised."""
    past = {each.get("until") for each in values.get("drift_summaries") or ()} - {None}
    past |= {
        turn["turn_id"]
        for turn in values.get("drift_turns") or ()
        if turn["session"] < session_of(values)
    }
    last = max((index for index, turn in enumerate(turns) if turn_id(turn) in past), default=-1)
    return list(turns[last + 1 :])
