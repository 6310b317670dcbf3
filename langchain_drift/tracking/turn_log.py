"""The scored turns of a thread as plain JSON, for the state of a graph.

A turn is known by the id of its human message, so that forks branch, replays and retries do not
double, and an edited message is scored anew. The scorer's state is found in the turns themselves.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from langchain_core.messages import BaseMessage
from typing_extensions import TypedDict

from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.scorer import DriftScorer, ScorerState
from langchain_drift.conversation.verdict import DriftVerdict
from langchain_drift.errors import InvalidInputError
from langchain_drift.sessions.message_turns import (
    is_waiting,
    reply_of,
    split_turns,
    turn_id,
    words_of,
)

SCHEMA = 1
_CHARACTERS = 200
MOST_TURNS = 200
"""Turns kept in a state; the oldest go first."""
_MOST_STATES = 8
"""Newest turns that keep the scorer's state; from before them turns are scored again if need be."""


class DriftTurn(TypedDict, total=False):
    """One scored turn of a thread, plain JSON.

    Attributes:
        schema: Version of these fields.
        turn_id: The id of the turn's last human message.
        also: Ids of copies of that message, where a client sent the history again.
        session: The session, from 1.
        number: The turn in its session, from 1.
        user: The first 200 characters of what the user said.
        assistant: The first 200 characters of the reply.
        digest: Tells whether the words changed.
        score: The running score, 0 to 100.
        verdict: Its band.
        explanation: Why.
        abstained: Why the turn was not judged; None if it was.
        refused: Whether the assistant declined or steered back.
        cause: Who left the purpose, if anyone did.
        departed: Whether the conversation left its purpose here.
        returned: Whether it came back here.
        state: The scorer's state after the turn; None for older turns.
    """

    schema: int
    turn_id: str
    also: list[str]
    session: int
    number: int
    user: str
    assistant: str
    digest: str
    score: float
    verdict: str
    explanation: str
    abstained: str | None
    refused: bool
    cause: str | None
    departed: bool
    returned: bool
    state: dict[str, Any] | None


def merge_turns(
    left: Sequence[DriftTurn] | None, right: Sequence[DriftTurn] | None
) -> list[DriftTurn]:
    """Merge turns by their id: a known one is replaced in its place, a new one comes last."""
    merged = {turn["turn_id"]: turn for turn in left or ()}
    merged.update({turn["turn_id"]: turn for turn in right or ()})
    kept = list(merged.values())[-MOST_TURNS:]
    older, newer = kept[:-_MOST_STATES], kept[-_MOST_STATES:]
    return [*(_without_state(turn) for turn in older), *newer]


def last_turn(turns: Iterable[DriftTurn] | None, session: int | None = None) -> DriftTurn | None:
    """Return the last turn, of a session or at all."""
    held = [turn for turn in turns or () if session is None or turn["session"] == session]
    return held[-1] if held else None


def score_turns(
    scorer: DriftScorer, messages: Sequence[BaseMessage], turns: Sequence[DriftTurn], session: int
) -> list[DriftTurn]:
    """Score what is not scored: new turns, and changed ones with those that follow them.

    Where the scorer refuses the state that was kept, as with another embedder, all that is known
    of the session is gone through again.

    Args:
        scorer: Scores.
        messages: The thread's messages.
        turns: Its turns so far, those of past sessions included.
        session: The running session, from 1.

    Returns:
        The turns that are new or changed.
    """
    plan = _plan(scorer, messages, turns, session)
    try:
        return _turns(plan, _scored(scorer, plan), session)
    except InvalidInputError:
        plan = _plan(scorer, messages, list(map(_without_state, turns)), session)
        return _turns(plan, _scored(scorer, plan), session)


async def ascore_turns(
    scorer: DriftScorer, messages: Sequence[BaseMessage], turns: Sequence[DriftTurn], session: int
) -> list[DriftTurn]:
    """Score what is not scored without blocking the event loop; see `score_turns`."""
    plan = _plan(scorer, messages, turns, session)
    try:
        return _turns(plan, await _ascored(scorer, plan), session)
    except InvalidInputError:
        plan = _plan(scorer, messages, list(map(_without_state, turns)), session)
        return _turns(plan, await _ascored(scorer, plan), session)


class _Step(NamedTuple):
    """A turn that may have to be scored.

    Attributes:
        turn_id: Its id.
        user: What the user said.
        assistant: The reply.
        known: The turn as it was scored before; None if it was not.
        is_due: Whether it is new or its words have changed.
    """

    turn_id: str
    user: str
    assistant: str
    known: DriftTurn | None
    is_due: bool

    @property
    def digest(self) -> str:
        return _digest(self.user, self.assistant)


_Scored = tuple[_Step, ScorerState, TurnResult]


class _Plan(NamedTuple):
    """What is to be scored, and from where.

    Attributes:
        state: The scorer's state before the first step.
        led: How many steps only lead to the first that is due.
        steps: The turns to score, oldest first.
        copies: Known turns of which a client has sent copies.
    """

    state: ScorerState
    led: int
    steps: list[_Step]
    copies: list[DriftTurn]


def _scored(scorer: DriftScorer, plan: _Plan) -> list[_Scored]:
    state, scored = plan.state, list[_Scored]()
    for step in plan.steps:
        state, result = scorer.step(state, step.user, step.assistant)
        scored.append((step, state, result))
    return scored


async def _ascored(scorer: DriftScorer, plan: _Plan) -> list[_Scored]:
    state, scored = plan.state, list[_Scored]()
    for step in plan.steps:
        state, result = await scorer.astep(state, step.user, step.assistant)
        scored.append((step, state, result))
    return scored


def _plan(
    scorer: DriftScorer, messages: Sequence[BaseMessage], turns: Sequence[DriftTurn], session: int
) -> _Plan:
    said = dict(_said(messages))
    own = [turn for turn in turns if turn["session"] == session]
    ids = {name for turn in turns for name in (turn["turn_id"], *turn.get("also", ()))}
    # What stands before a known turn was scored once and is no longer kept.
    last = max((index for index, name in enumerate(said) if name in ids), default=-1)
    new = [
        _Step(name, *words, known=None, is_due=True)
        for name, words in list(said.items())[last + 1 :]
    ]
    sent_again = _sent_again([turn for turn in own if turn["turn_id"] in said], new)
    steps = [*(_known(turn, said) for turn in own), *new[len(sent_again) :]]
    first = next((index for index, step in enumerate(steps) if step.is_due), None)
    copies = [_with_copy(turn, step.turn_id) for turn, step in zip(sent_again, new, strict=False)]
    if first is None:
        return _Plan(scorer.start(), 0, [], copies)
    start, state = _base(scorer, steps[:first])
    return _Plan(state, first - start, steps[start:], copies)


def _said(messages: Sequence[BaseMessage]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the id and the words of each turn that has its reply.

    Not every channel gives messages ids; a turn without one is known by its words, and by how
    often they were said.
    """
    times = Counter[str]()
    for turn in split_turns(messages):
        name, reply, words = turn_id(turn), reply_of(turn), words_of(turn)
        if name is None and words:
            times[words] += 1
            name = f"{_digest(words, '')}/{times[words]}"
        if name and reply and not is_waiting(turn):
            yield name, (words, reply)


def _known(turn: DriftTurn, said: Mapping[str, tuple[str, str]]) -> _Step:
    """Return a scored turn; one whose messages are gone is as it was."""
    name = turn["turn_id"]
    if name not in said:
        return _Step(name, turn.get("user", ""), turn.get("assistant", ""), turn, is_due=False)
    has_changed = turn.get("digest") != _digest(*said[name])
    return _Step(name, *said[name], known=turn, is_due=has_changed)


def _sent_again(present: Sequence[DriftTurn], new: Sequence[_Step]) -> Sequence[DriftTurn]:
    """Return the known turns that the first new ones repeat.

    A client that keeps the history itself may send it all again, without ids: what is new then
    begins with the last known turns, in order, and goes on with another one.
    """
    for length in range(min(len(present), len(new) - 1), 0, -1):
        known = [turn.get("digest") for turn in present[-length:]]
        if known == [step.digest for step in new[:length]]:
            return present[-length:]
    return []


def _with_copy(turn: DriftTurn, name: str) -> DriftTurn:
    return {**turn, "also": [*turn.get("also", ()), name]}


def _base(scorer: DriftScorer, before: Sequence[_Step]) -> tuple[int, ScorerState]:
    """Return from which step to begin, and the state there."""
    for index in reversed(range(len(before))):
        known = before[index].known
        state = known.get("state") if known else None
        if scorer.can_go_on_from(state):
            return index + 1, state
    start = scorer.start()
    first = before[0].known if before else None
    start["turns"] = first["number"] - 1 if first else 0
    return 0, start


def _turns(plan: _Plan, scored: Sequence[_Scored], session: int) -> list[DriftTurn]:
    asked = [_turn(*each, session) for each in scored[plan.led :]]
    return [*plan.copies, *asked]


def _turn(step: _Step, state: ScorerState, result: TurnResult, session: int) -> DriftTurn:
    score = result.drift.score if result.drift else state["score"]
    return DriftTurn(
        schema=SCHEMA,
        turn_id=step.turn_id,
        also=list(step.known.get("also", ())) if step.known else [],
        session=session,
        number=state["turns"],
        user=step.user[:_CHARACTERS],
        assistant=step.assistant[:_CHARACTERS],
        digest=step.digest,
        score=float(score),
        verdict=DriftVerdict.from_score(score).value,
        explanation=result.explanation or "",
        abstained=result.abstained.value if result.abstained else None,
        refused=result.refused,
        cause=result.cause.value if result.cause else None,
        departed=result.departed,
        returned=result.returned,
        state=cast("dict[str, Any]", state),
    )


def _without_state(turn: DriftTurn) -> DriftTurn:
    return {**turn, "state": None} if turn.get("state") else turn


def _digest(user: str, assistant: str) -> str:
    words = f"{user}\0{assistant}".encode(errors="replace")
    return hashlib.sha256(words).hexdigest()[:16]
