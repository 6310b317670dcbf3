"""The guard of tool calls as middleware of `create_agent`."""

# State and its annotations are read at run time, so nothing is imported for type checking alone.

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, NotRequired, Unpack

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.config import get_config
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command

from langchain_drift.errors import MissingExtraError
from langchain_drift.tool_guard import answers
from langchain_drift.tool_guard.acknowledgement import ask_person
from langchain_drift.tool_guard.engine import ToolGuard
from langchain_drift.tool_guard.frozen import FrozenReview, freeze, make_question, open_calls
from langchain_drift.tool_guard.history import Call
from langchain_drift.tool_guard.judged import Judged
from langchain_drift.tool_guard.options import Options, ToolGuardOptions
from langchain_drift.tool_guard.place import GuardOf, Place, make_place
from langchain_drift.tool_guard.way import add_note, find_way

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

    Let it stand last in the list, so that it sees each call as it is run: what middleware behind it
    makes of a call, such as a person's edit in LangChain's own, is neither reviewed nor recorded.

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
        calls, place = self._proposed(response), self._place(request)
        if not calls or self._guard.memory.policy(place) != "acknowledge":
            return response
        return _with_reviews(
            response, [(call, self._guard.memory.judge(call, place)) for call in calls]
        )

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Review what the model proposes without blocking the event loop."""
        response = await handler(request)
        calls, place = self._proposed(response), self._place(request)
        if not calls or await self._guard.memory.apolicy(place) != "acknowledge":
            return response
        return _with_reviews(
            response, [(call, await self._guard.memory.ajudge(call, place)) for call in calls]
        )

    def after_model(self, state: MistakeGuardState, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002 - LangChain's signature
        """Ask a person about the calls that are to be acknowledged, all at once."""
        frozen = state.get("mistake_guard_reviews") or {}
        calls = open_calls(state["messages"], frozen)
        if not calls:
            return None
        decisions = ask_person(
            [make_question(call, frozen[call["id"] or ""]) for call in calls], get_config()
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
        way = find_way(request)
        if way.refusal:
            return answers.answer(request.tool_call, way.refusal)
        result: ToolMessage | Command[Any] = self._guard.run(
            way.request, handler, way.judged, approved=way.approved
        )
        return add_note(way, result)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Run a call under the guard without blocking the event loop."""
        way = find_way(request)
        if way.refusal:
            return answers.answer(request.tool_call, way.refusal)
        result: ToolMessage | Command[Any] = await self._guard.arun(
            way.request, handler, way.judged, approved=way.approved
        )
        return add_note(way, result)

    def _place(self, request: ModelRequest[Any]) -> Place:
        runtime = request.runtime
        return make_place(request.state, runtime.context, get_config(), runtime.store)

    def _proposed(self, response: ModelResponse[Any]) -> list[Call]:
        """Return the guarded calls that a model proposes, if it may be that a person is asked."""
        message = next((m for m in response.result if isinstance(m, AIMessage)), None)
        if message is None or self._guard.options.policy not in (None, "acknowledge"):
            return []
        return [
            Call(call["name"], call["args"], call["id"], message.id)
            for call in message.tool_calls
            if self._guard.options.guards(call["name"])
        ]


def _with_reviews(
    response: ModelResponse[Any], judged: list[tuple[Call, Judged]]
) -> ExtendedModelResponse[Any]:
    # A review that failed is not kept: it is tried again as the call is about to run.
    frozen = {call.call_id or "": freeze(call, one) for call, one in judged if not one.failed}
    update = {"mistake_guard_reviews": frozen}
    return ExtendedModelResponse(model_response=response, command=Command(update=update))
