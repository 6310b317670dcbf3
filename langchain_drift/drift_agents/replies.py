"""Judging a reply before the user gets it: ask again, or put a refusal in its place."""

from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any, NamedTuple, cast

from langchain_core.messages import AIMessage
from langgraph.types import Command

from langchain_drift.conversation.scorer import DriftScorer
from langchain_drift.drift_agents.options import Options
from langchain_drift.drift_agents.state import RejectedReply
from langchain_drift.errors import MissingExtraError
from langchain_drift.session_nodes.boundary import quietly
from langchain_drift.session_nodes.state import running_turn, session_of
from langchain_drift.tracking.turn_log import DriftTurn, ascore_turns, merge_turns, score_turns

try:
    from langchain.agents.middleware.types import ExtendedModelResponse, ModelRequest, ModelResponse
except ImportError as error:
    raise MissingExtraError("langchain", "langchain") from error  # noqa: EM101 - names, no message

RE_ASK = (
    "You answered this and the answer was not sent, since it left what you are here for (drift "
    "score {score} of 100). Answer again and keep to the purpose stated above. If the user asks "
    "for something else, decline in a sentence and say what you can help with."
)
"""What the model is told when it is asked again; `{score}` is the score of its first answer."""

Handler = Callable[[ModelRequest[Any]], ModelResponse[Any]]
AsyncHandler = Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
Response = ModelResponse[Any] | ExtendedModelResponse[Any]


class Ask(NamedTuple):
    """Ask the model; its response is sent back, None if it failed."""

    request: ModelRequest[Any]


class Score(NamedTuple):
    """Score what is not scored; the turns are sent back, None if it failed."""

    messages: list[Any]
    turns: list[DriftTurn]
    session: int


Step = Ask | Score
Steps = Generator[Step, Any, Response]

_ASKING, _SCORING = "ask for another reply", "score the reply"


class ReplyJudge:
    """Judges final replies of a model and acts on those that drift.

    Args:
        scorer: Scores.
        options: What to do, and when.
    """

    def __init__(self, scorer: DriftScorer, options: Options) -> None:
        self._scorer = scorer
        self._options = options

    def run(self, steps: Steps, handler: Handler) -> Response:
        """Take the steps."""
        found: Any = None
        while True:
            try:
                step = steps.send(found)
            except StopIteration as stop:
                return cast("Response", stop.value)
            found = None
            if isinstance(step, Score):
                with quietly(_SCORING):
                    found = score_turns(self._scorer, *step)
            else:
                with quietly(_ASKING):
                    found = handler(step.request)

    async def arun(self, steps: Steps, handler: AsyncHandler) -> Response:
        """Take the steps without blocking the event loop."""
        found: Any = None
        while True:
            try:
                step = steps.send(found)
            except StopIteration as stop:
                return cast("Response", stop.value)
            found = None
            if isinstance(step, Score):
                with quietly(_SCORING):
                    found = await ascore_turns(self._scorer, *step)
            else:
                with quietly(_ASKING):
                    found = await handler(step.request)

    def judge(
        self,
        response: ModelResponse[Any],
        messages: list[Any],
        values: Mapping[str, Any],
        again: Callable[[str], ModelRequest[Any]],
    ) -> Steps:
        """Judge a response and act on it, step by step.

        A response that calls tools is no reply to the user, and goes on as it is.

        Args:
            response: The model's.
            messages: The thread's messages before it.
            values: The state of the agent.
            again: Makes the request that tells the model why it is asked again.
        """
        rejected: list[RejectedReply] = []
        turns, session = list(values.get("drift_turns") or []), session_of(values)
        last = running_turn(values)
        while True:
            reply = final_reply(response)
            found = (yield Score([*messages, reply], turns, session)) if reply else None
            turn = found[-1] if found else None
            if reply is None or turn is None or not self._drifts(turn, last, turns):
                return _with(response, {"drift_turns": found or []}, rejected)
            told = _told(turn, [*(values.get("drift_rejected") or []), *rejected], reply)
            if self._options.on_drift == "stop":
                stopped = _stopped(reply, self._options.stop_message, turn)
                return _with(ModelResponse([stopped]), {}, [{**told, "action": "stop"}])
            if self._asked(turn, values, rejected) >= self._options.max_re_asks:
                return _with(response, {"drift_turns": found}, rejected)
            rejected.append(told)
            other = yield Ask(again(RE_ASK.replace("{score}", f"{turn['score']:.0f}")))
            if other is None:
                # What was asked first is better than no answer.
                return _with(response, {"drift_turns": found}, rejected[:-1])
            response = other

    def _drifts(self, turn: DriftTurn, last: DriftTurn | None, turns: list[DriftTurn]) -> bool:
        """Return whether a reply leads away; one on the way back does not."""
        if turn["refused"] or turn["abstained"] or turn["score"] >= self._options.below:
            return False
        before = _before(turn, last, turns)
        return turn["score"] <= (100.0 if before is None else before["score"])

    def _asked(
        self, turn: DriftTurn, values: Mapping[str, Any], rejected: list[RejectedReply]
    ) -> int:
        """Return how often the model was asked again in a turn, before an interrupt too."""
        every = {each["reply_id"]: each for each in values.get("drift_rejected") or []}
        every |= {each["reply_id"]: each for each in rejected}
        return sum(each["turn_id"] == turn["turn_id"] for each in every.values())


def final_reply(response: ModelResponse[Any]) -> AIMessage | None:
    """Return the reply to the user in a response; None if it calls tools or says nothing."""
    message = response.result[-1] if response.result else None
    if not isinstance(message, AIMessage) or message.tool_calls:
        return None
    return message if str(message.text).strip() else None


def _before(turn: DriftTurn, last: DriftTurn | None, turns: list[DriftTurn]) -> DriftTurn | None:
    """Return the turn before one, which may be a known one that is answered again."""
    if last is None or last["turn_id"] != turn["turn_id"]:
        return last
    known = [each for each in turns if each["session"] == turn["session"]]
    return known[-2] if len(known) > 1 else None


def _told(turn: DriftTurn, before: list[RejectedReply], reply: AIMessage) -> RejectedReply:
    number = 1 + sum(each["turn_id"] == turn["turn_id"] for each in before)
    return RejectedReply(
        reply_id=f"{turn['turn_id']}/{number}",
        turn_id=turn["turn_id"],
        action="re_ask",
        assistant=str(reply.text)[:200],
        score=turn["score"],
        verdict=turn["verdict"],
        explanation=turn["explanation"],
    )


def _stopped(reply: AIMessage, text: str, turn: DriftTurn) -> AIMessage:
    """Return the message that stands in the place of a reply; what it cost stays with it."""
    told = {"drift": {"action": "stop", "score": turn["score"]}}
    update = {
        "content": text,
        "additional_kwargs": {},
        "response_metadata": {**reply.response_metadata, **told},
    }
    return reply.model_copy(update=update)


def _with(
    response: ModelResponse[Any], update: dict[str, Any], rejected: list[RejectedReply]
) -> Response:
    update = {name: value for name, value in update.items() if value}
    if rejected:
        update["drift_rejected"] = rejected
    return ExtendedModelResponse(response, Command(update=update)) if update else response


def last_of(values: Mapping[str, Any], found: list[DriftTurn]) -> DriftTurn | None:
    """Return the last turn of a state after newly scored ones, without the scorer's state."""
    turns = merge_turns(values.get("drift_turns"), found)
    last = running_turn({**values, "drift_turns": turns})
    return {**last, "state": None} if last else None
