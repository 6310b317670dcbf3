"""The graph node that ends a session: its summary stays, its messages go."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage, RemoveMessage, SystemMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda

from langchain_drift.counts import check_count
from langchain_drift.session_nodes.boundary import quietly
from langchain_drift.session_nodes.edges import of_session
from langchain_drift.session_nodes.mirror import Namespace, akeep, keep
from langchain_drift.session_nodes.state import (
    DriftSummary,
    SessionEnd,
    Status,
    running_turn,
    session_of,
    values_of,
)
from langchain_drift.sessions.exchange import Exchange, spoken
from langchain_drift.sessions.message_turns import (
    MessageTurn,
    exchange_of,
    is_summary,
    is_waiting,
    split_turns,
    turn_id,
)
from langchain_drift.sessions.summarize import (
    PROMPT,
    Summarizer,
    asummarize,
    check_summarizer,
    summarize,
)

SCHEMA = 1
_SUMMARISING = "summarise the session"


def make_end_session_node(
    summarizer: Summarizer | None = None,
    *,
    max_summaries: int = 3,
    keep_turns: int = 0,
    prompt: str = PROMPT,
    namespace: Namespace | None = None,
) -> RunnableLambda[Any, dict[str, Any]]:
    """Return a node that ends the running session.

    The session is summarised, its messages are removed, and the next one begins. It is cut only
    where a human begins to speak: a tool call and its results stay or go together, and a turn that
    waits for a tool stays. System messages stay, and so does what a summarising middleware put in
    the place of earlier messages. What is summarised are the messages of this
    session alone, never a summary. If there is no summary (the summarizer fails or gives nothing,
    nothing was said, the context is frozen) nothing is changed, and `drift_end` says why.

    Args:
        summarizer: Who summarises: a function of the session's text, a chat model, or None for
            the built-in extract.
        max_summaries: How many summaries to keep, at least 1.
        keep_turns: How many of the last turns stay in `messages` although they are summarised.
        prompt: The system message for a chat model.
        namespace: Where in the graph's store to keep the summary as well, for other threads of
            the user. It does not follow forks.

    Raises:
        InvalidInputError: If a parameter has a value it cannot take.
    """
    check_summarizer(summarizer)
    most = check_count("max_summaries", max_summaries)
    kept = check_count("keep_turns", keep_turns, least=0)

    def node(state: Any, config: RunnableConfig) -> dict[str, Any]:  # noqa: ANN401 - any state
        closing = _close(values_of(state), kept)
        if closing.problem:
            return closing.unchanged(*closing.problem)
        with quietly(_SUMMARISING) as caught:
            summary = closing.summary(summarize(closing.said, summarizer, prompt=prompt))
        if caught.error:
            return closing.unchanged("failed", str(caught.error))
        keep(namespace, config, summary)
        return closing.update(summary, most)

    async def anode(state: Any, config: RunnableConfig) -> dict[str, Any]:  # noqa: ANN401 - any state
        closing = _close(values_of(state), kept)
        if closing.problem:
            return closing.unchanged(*closing.problem)
        with quietly(_SUMMARISING) as caught:
            summary = closing.summary(await asummarize(closing.said, summarizer, prompt=prompt))
        if caught.error:
            return closing.unchanged("failed", str(caught.error))
        await akeep(namespace, config, summary)
        return closing.update(summary, most)

    return RunnableLambda(node, anode, name="drift_end_session")


class _Closing(NamedTuple):
    """A session that is to end.

    Attributes:
        session: Its number.
        said: What is to be summarised.
        gone: The messages that go.
        until: The id of its last turn.
        score: The running score.
        turns: How many turns were scored.
        before: The summaries there are.
        problem: Why it cannot end, if so.
    """

    session: int
    said: list[Exchange]
    gone: list[BaseMessage]
    until: str | None
    score: float | None
    turns: int
    before: Sequence[DriftSummary]
    problem: tuple[Status, str] | None

    def unchanged(self, status: Status, reason: str) -> dict[str, Any]:
        end = SessionEnd(status=status, session=self.session, reason=reason)
        return {"drift_end_session": False, "drift_end": end}

    def summary(self, text: str) -> DriftSummary:
        return DriftSummary(
            schema=SCHEMA,
            session=self.session,
            summary=text,
            turns=self.turns,
            final_score=self.score,
            until=self.until,
        )

    def update(self, summary: DriftSummary, most: int) -> dict[str, Any]:
        others = [each for each in self.before if each["session"] != self.session]
        surplus = others[: max(0, len(others) + 1 - most)]
        taken_back = [DriftSummary(session=each["session"], summary="") for each in surplus]
        return {
            "messages": [RemoveMessage(id=message.id) for message in self.gone if message.id],
            "drift_summaries": [*taken_back, summary],
            "drift_session": self.session + 1,
            "drift_end_session": False,
            "drift_end": SessionEnd(status="ended", session=self.session, reason=None),
        }


def _close(values: Mapping[str, Any], kept: int) -> _Closing:
    turns = split_turns(values.get("messages") or [])
    own = of_session(turns, values)
    ended = [turn for turn in own if not (turn is own[-1] and is_waiting(turn))]
    said = spoken([exchange_of(turn) for turn in ended])
    last = running_turn(values)
    problem: tuple[Status, str] | None = None
    if values.get("drift_frozen"):
        problem = ("frozen", "The context is frozen; set drift_frozen to false first.")
    elif not said:
        problem = ("empty", "Nothing was said in this session.")
    return _Closing(
        session=session_of(values),
        said=said,
        gone=_gone(turns, kept),
        until=turn_id(ended[-1]) if ended else None,
        score=last["score"] if last else None,
        turns=last["number"] if last else len(said),
        before=values.get("drift_summaries") or (),
        problem=problem,
    )


def _gone(turns: Sequence[MessageTurn], kept: int) -> list[BaseMessage]:
    """Return the messages that go, turn by turn; what stands for still earlier ones stays."""
    is_open = bool(turns) and is_waiting(turns[-1])
    staying = max(kept, int(is_open))
    leaving = turns[: max(0, len(turns) - staying)]
    return [
        message
        for turn in leaving
        for message in turn
        if not isinstance(message, SystemMessage) and not is_summary(message)
    ]
