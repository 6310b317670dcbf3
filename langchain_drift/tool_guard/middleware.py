"""The guard of tool calls as middleware of `create_agent`."""

# State and its annotations are read at run time, so nothing is imported for type checking alone.

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, NamedTuple, NotRequired, Unpack

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langgraph.config import get_config
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command
from typing_extensions import TypedDict

from langchain_drift.errors import MissingExtraError
from langchain_drift.mistakes.action import read_action
from langchain_drift.tool_guard import answers
from langchain_drift.tool_guard.acknowledgement import Answer, Question, ask_person, describe
from langchain_drift.tool_guard.engine import Judged, ToolGuard
from langchain_drift.tool_guard.history import Call, answered_ids
from langchain_drift.tool_guard.options import Options, ToolGuardOptions
from langchain_drift.tool_guard.place import GuardOf, Place, make_place

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState
    from langchain.agents.middleware.types import (
        ExtendedModelResponse,
        ModelRequest,
        ModelResponse,
        PrivateStateAttr,
        TracePolicy,
        omit_payload,
    )
except ImportError as error:
    raise MissingExtraError("langchain", "langchain") from error  # noqa: EM101 - names, no message


class FrozenReview(TypedDict):
    """What was said of a call when the model proposed it; it does not change while a person thinks.

    Attributes:
        action: The key of the call.
        stops: Whether a person is to be asked.
        prompt: What the model is to read with the result.
        warnings: See `MistakeWarning`, as plain JSON.
        reinforcements: See `Reinforcement`, as plain JSON.
        answer: What the person decided.
    """

    action: str
    stops: bool
    prompt: str
    warnings: list[dict[str, Any]]
    reinforcements: list[dict[str, Any]]
    answer: NotRequired[Answer]


class MistakeGuardState(AgentState[Any]):
    """The state that the middleware adds: plain JSON, private to the agent."""

    mistake_guard_reviews: NotRequired[Annotated[dict[str, FrozenReview], PrivateStateAttr]]


class MistakeGuardMiddleware(AgentMiddleware[MistakeGuardState, Any, Any]):
    """Keeps an agent of `create_agent` from repeating what failed before.

    Each tool call is reviewed as it is about to run. By the policy a warning is added to the
    result that the model reads (`warn`), the call is answered with what failed and what worked
    instead (`block`), or a person is asked once about all calls of a message (`acknowledge`, which
    needs a checkpointer; see `ask_person` for the answers). What fails is recorded, and so is what
    then works. A call that goes in circles within a run is told so, and at last not run again.

    Args:
        guard: The guard, a function that tells it by where a call runs, or None for `guard` in the
            context of the run, else for a guard on the store of the run.
        **options: See `ToolGuardOptions`.

    Raises:
        InvalidInputError: If an option cannot be used.
        MissingExtraError: When it is imported without the extra `langchain`.

    Example:
        ```python
        agent = create_agent(model, tools, middleware=[MistakeGuardMiddleware(DriftGuard())])
        ```
    """

    state_schema = MistakeGuardState
    trace_policy = TracePolicy(process_inputs=omit_payload)

    def __init__(self, guard: GuardOf = None, **options: Unpack[ToolGuardOptions]) -> None:
        super().__init__()
        self._guard = ToolGuard(guard, Options(**options))

    @property
    def errors(self) -> dict[str, int]:
        """How often each kind of error of the memory happened."""
        return self._guard.boundary.counts

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Review what the model proposes, if a person may have to be asked about it."""
        response = handler(request)
        place = self._place(request)
        judged = {
            call.call_id: (call, self._guard.judge(call, place))
            for call in self._to_freeze(response, place)
        }
        return _with_reviews(response, judged)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Review what the model proposes without blocking the event loop."""
        response = await handler(request)
        place = self._place(request)
        judged = {
            call.call_id: (call, await self._guard.ajudge(call, place))
            for call in self._to_freeze(response, place)
        }
        return _with_reviews(response, judged)

    def after_model(self, state: MistakeGuardState, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002 - LangChain's signature
        """Ask a person about the calls that are to be acknowledged, all at once."""
        frozen = state.get("mistake_guard_reviews") or {}
        calls = _unanswered(state["messages"], frozen)
        if not calls:
            return None
        decisions = ask_person(
            [_question(call, frozen[call["id"] or ""]) for call in calls], get_config()
        )
        rejected = [
            answers.answer(call, answers.rejected(decisions[call["id"] or ""].get("message")))
            for call in calls
            if decisions[call["id"] or ""]["type"] == "reject"
        ]
        decided = {name: FrozenReview(**frozen[name], answer=a) for name, a in decisions.items()}
        return {"messages": rejected, "mistake_guard_reviews": {**frozen, **decided}}

    async def aafter_model(
        self, state: MistakeGuardState, runtime: Runtime[Any]
    ) -> dict[str, Any] | None:
        """Ask a person; nothing in it blocks."""
        return self.after_model(state, runtime)

    def wrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]],
    ) -> ToolMessage | Command[Any]:
        """Run a call under the guard, by what was decided about it."""
        way = _decided(request)
        if way.refusal:
            return answers.answer(request.tool_call, way.refusal)
        result: ToolMessage | Command[Any] = self._guard.run(
            way.request, handler, way.judged, approved=way.approved
        )
        return _noted(way, result)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Run a call under the guard without blocking the event loop."""
        way = _decided(request)
        if way.refusal:
            return answers.answer(request.tool_call, way.refusal)
        result: ToolMessage | Command[Any] = await self._guard.arun(
            way.request, handler, way.judged, approved=way.approved
        )
        return _noted(way, result)

    def _place(self, request: ModelRequest[Any]) -> Place:
        return make_place(
            request.state, request.runtime.context, get_config(), request.runtime.store
        )

    def _to_freeze(self, response: ModelResponse[Any], place: Place) -> list[Call]:
        """Return the calls to review before a person is asked; none under other policies."""
        message = next((m for m in response.result if isinstance(m, AIMessage)), None)
        if not message or not message.tool_calls or not self._acknowledges(place):
            return []
        return [
            Call(call["name"], call["args"], call["id"], message.id)
            for call in message.tool_calls
            if self._guard.options.guards(call["name"])
        ]

    def _acknowledges(self, place: Place) -> bool:
        policy = self._guard.options.policy
        if policy is None:
            with self._guard.boundary("choosing a guard"):
                policy = self._guard.guards.at(place).settings.guard_policy
        return policy == "acknowledge"


def _with_reviews(
    response: ModelResponse[Any], judged: dict[str | None, tuple[Call, Judged]]
) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
    if not judged:
        return response
    # A review that failed is not kept: it is tried again as the call is about to run.
    frozen = {name: _freeze(call, one) for name, (call, one) in judged.items() if not one.failed}
    update = {"mistake_guard_reviews": frozen}
    return ExtendedModelResponse(model_response=response, command=Command(update=update))


def _freeze(call: Call, judged: Judged) -> FrozenReview:
    told = judged.review.to_dict() if judged.review else {}
    return FrozenReview(
        action=call.read.key,
        stops=judged.asks,
        prompt=judged.prompt,
        warnings=told.get("warnings", []),
        reinforcements=told.get("reinforcements", []),
    )


def _unanswered(messages: Sequence[BaseMessage], frozen: dict[str, FrozenReview]) -> list[ToolCall]:
    """Return the calls of the last message that a person is to be asked about."""
    last = next((m for m in reversed(messages) if isinstance(m, AIMessage)), None)
    done = answered_ids(messages)
    found = []
    for call in last.tool_calls if last else ():
        review = _review_of(call, frozen)
        if review and review["stops"] and "answer" not in review and call["id"] not in done:
            found.append(call)
    return found


def _review_of(call: ToolCall, frozen: dict[str, FrozenReview]) -> FrozenReview | None:
    """Return the review of a call; one of another call with the same id is none."""
    review = frozen.get(call["id"] or "")
    is_same = review and review["action"] == read_action(dict(call)).key
    return review if is_same else None


def _question(call: ToolCall, review: FrozenReview) -> Question:
    return Question(
        id=call["id"] or "",
        name=call["name"],
        args=call["args"],
        warnings=review["warnings"],
        reinforcements=review["reinforcements"],
        description=describe(review["warnings"]),
    )


class _Way(NamedTuple):
    """How a call is to go on.

    Attributes:
        request: The call.
        judged: What was said of it before.
        refusal: What it is answered if it is not to run.
        approved: Whether a person wants it to run.
        note: What the model is to read with the result.
    """

    request: ToolCallRequest
    judged: Judged | None = None
    refusal: str = ""
    approved: bool = False
    note: str = ""


def _decided(request: ToolCallRequest) -> _Way:
    """Return how a call is to go on by what was decided about it."""
    state = request.state if isinstance(request.state, dict) else {}
    review = _review_of(request.tool_call, state.get("mistake_guard_reviews") or {})
    if review is None:
        return _Way(request)
    judged, answer = Judged(prompt=review["prompt"]), review.get("answer")
    if answer is None:
        refusal = answers.not_acknowledged(review["prompt"]) if review["stops"] else ""
        return _Way(request, judged, refusal)
    if answer["type"] == "reject":
        return _Way(request, judged, answers.rejected(answer.get("message")))
    if answer["type"] == "approve":
        return _Way(request, judged, approved=True)
    edited: Any = answer["edited_action"]
    call: ToolCall = {**request.tool_call, "args": edited["args"]}
    note = answers.edited(read_action(dict(call)).text)
    unknown = Judged(looked_up=False)
    return _Way(request.override(tool_call=call), unknown, approved=True, note=note)


def _noted(way: _Way, result: ToolMessage | Command[Any]) -> ToolMessage | Command[Any]:
    """Return the result of a call, with a note if a person has replaced the call."""
    if not way.note:
        return result
    noted: ToolMessage | Command[Any] = answers.annotate(
        result, way.request.tool_call["id"], way.note
    )
    return noted
