"""Conversation drift as middleware of `create_agent`."""

# LangChain looks at these names at run time, so nothing is imported for type checking alone.

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Unpack

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.config import get_config
from langgraph.runtime import Runtime
from pydantic import TypeAdapter

from langchain_drift.conversation.published_contract import initial_context
from langchain_drift.conversation.scorer import DriftScorer
from langchain_drift.drift_agents.message_ids import Named, merged, with_ids
from langchain_drift.drift_agents.model_context import Frame, Notes, Seen
from langchain_drift.drift_agents.options import DriftOptions, Options
from langchain_drift.drift_agents.replies import ReplyJudge, last_of
from langchain_drift.drift_agents.state import Asked, DriftAgentState
from langchain_drift.errors import MissingExtraError
from langchain_drift.session_nodes.boundary import quietly
from langchain_drift.session_nodes.end import make_end_session_node
from langchain_drift.session_nodes.mirror import arecall, recall
from langchain_drift.session_nodes.nodes import as_scorer
from langchain_drift.session_nodes.state import running_turn, session_of, summaries_in
from langchain_drift.sessions.message_turns import (
    is_summary,
    reply_of,
    split_turns,
    turn_id,
    words_of,
)
from langchain_drift.sessions.reminder import reminder
from langchain_drift.sessions.summary import SessionSummary
from langchain_drift.sessions.tokens import token_counter
from langchain_drift.tracking.turn_log import DriftTurn, ascore_turns, score_turns

try:
    from langchain.agents.middleware import AgentMiddleware
    from langchain.agents.middleware.types import ExtendedModelResponse, ModelRequest, ModelResponse
except ImportError as error:
    raise MissingExtraError("langchain", "langchain") from error  # noqa: EM101 - names, no message

_SCORING = "score the conversation"


class DriftMiddleware(AgentMiddleware[DriftAgentState, Any, Any]):
    """Watches whether an agent of `create_agent` does what its system prompt is for.

    Finished turns are scored as the agent ends, each once; the last is in the agent's result as
    `drift`, all of them in its state as `drift_turns`. What the model is told beside its prompt
    (a reminder, summaries of past sessions) is put into single calls and never into `messages`.
    A reply is judged only when it is final: one that calls tools goes on as it is, so no call is
    left without its result. With `re_ask` and `stop` a reply that drifts was already streamed to
    those who read tokens. What goes wrong in scoring is logged and costs no answer.

    Args:
        system_prompt: What the agent is for, or the scorer that knows it. An agent without a
            system prompt gets this one, with the scorer's examples.
        **options: See `DriftOptions`.

    Raises:
        InvalidInputError: If an option has a value it cannot take.
        MissingExtraError: When it is imported without the extra `langchain`.

    Example:
        ```python
        agent = create_agent(
            model, tools, middleware=[DriftMiddleware(system_prompt=prompt, on_drift="remind")]
        )
        agent.invoke({"messages": [("human", "What is my balance?")]})["drift"]["score"]
        ```
    """

    state_schema = DriftAgentState

    def __init__(self, system_prompt: DriftScorer | str, **options: Unpack[DriftOptions]) -> None:
        super().__init__()
        self.scorer = as_scorer(system_prompt)
        self._options = given = Options(**options)
        self._judge = ReplyJudge(self.scorer, given)
        self._frame = Frame(
            original=initial_context(self.scorer.purpose),
            prompt=self.scorer.purpose.prompt,
            max_tokens=given.max_tokens,
            max_summaries=given.max_summaries,
            count=token_counter(given.token_counter),
        )
        self._end = make_end_session_node(
            given.summarizer, max_summaries=given.max_summaries, namespace=given.namespace
        )

    @property
    def name(self) -> str:
        """The name in graphs and traces."""
        return self._options.name

    def before_agent(self, state: DriftAgentState, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002 - LangChain's signature
        """Note what is asked, and end the session before it if it is time."""
        named = with_ids(state["messages"])
        update, past = _begun(named), self._past(state, named)
        return merged(update, self._end.invoke(past, get_config()) if past else {})

    async def abefore_agent(
        self,
        state: DriftAgentState,
        runtime: Runtime[Any],  # noqa: ARG002 - LangChain's signature
    ) -> dict[str, Any] | None:
        """Begin a turn without blocking the event loop."""
        named = with_ids(state["messages"])
        update, past = _begun(named), self._past(state, named)
        return merged(update, await self._end.ainvoke(past, get_config()) if past else {})

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Show the model what it is to know, and judge its reply."""
        options = self._options
        others = recall(options.namespace, get_config(), options.max_summaries)
        response = handler(self._shown(request, others, self._reminder(request.state)))
        if not options.judges_replies:
            return response
        return self._judge.run(self._judging(request, response, others), handler)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Show and judge without blocking the event loop."""
        options = self._options
        others = await arecall(options.namespace, get_config(), options.max_summaries)
        response = await handler(self._shown(request, others, self._reminder(request.state)))
        if not options.judges_replies:
            return response
        return await self._judge.arun(self._judging(request, response, others), handler)

    def after_agent(self, state: DriftAgentState, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002 - LangChain's signature
        """Score what was said and is not scored."""
        found: list[DriftTurn] = []
        with quietly(_SCORING):
            found = score_turns(self.scorer, *_unscored(state))
        return _scored(state, found)

    async def aafter_agent(
        self,
        state: DriftAgentState,
        runtime: Runtime[Any],  # noqa: ARG002 - LangChain's signature
    ) -> dict[str, Any] | None:
        """Score without blocking the event loop."""
        found: list[DriftTurn] = []
        with quietly(_SCORING):
            found = await ascore_turns(self.scorer, *_unscored(state))
        return _scored(state, found)

    def _past(self, state: Mapping[str, Any], named: Named) -> dict[str, Any] | None:
        """Return the state before the turn that begins, if the session is to end with it."""
        should_end = self._options.end_session
        if should_end is None:
            return None
        turns = split_turns(named.messages)
        if turns and not reply_of(turns[-1]):
            turns.pop()
        past = {**state, "messages": [message for turn in turns for message in turn]}
        return past if should_end(past) == "end_session" else None

    def _reminder(self, state: Mapping[str, Any]) -> str:
        last = running_turn(state) if self._options.reminds else None
        if last is None or last["score"] >= self._options.below:
            return ""
        return reminder(last["score"], self._options.reminder)

    def _shown(
        self, request: ModelRequest[Any], others: list[SessionSummary], told: str
    ) -> ModelRequest[Any]:
        notes = Notes([*others, *summaries_in(request.state)], told)
        system, messages = self._frame.see(Seen(request.system_message, request.messages), notes)
        return request.override(system_message=system, messages=messages)

    def _judging(
        self, request: ModelRequest[Any], response: ModelResponse[Any], others: list[SessionSummary]
    ) -> Any:  # noqa: ANN401 - the judge's steps
        return self._judge.judge(
            response,
            _messages(request.state),
            request.state,
            lambda told: self._shown(request, others, told),
        )


def _begun(named: Named) -> dict[str, Any]:
    """Return what is noted as a turn begins."""
    turns = split_turns(named.messages)
    name = turn_id(turns[-1]) if turns else None
    asked = Asked(turn_id=name, user=words_of(turns[-1])) if name else None
    return {"drift_asked": asked, "messages": named.update}


def _messages(state: Mapping[str, Any]) -> list[Any]:
    """Return the messages, with what was asked where a summary has taken its message away."""
    messages, asked = list(state["messages"]), state.get("drift_asked")
    if asked is None or any(message.id == asked["turn_id"] for message in messages):
        return messages
    places = [index for index, message in enumerate(messages) if is_summary(message)]
    question = HumanMessage(asked["user"], id=asked["turn_id"])
    messages.insert(places[-1] + 1 if places else 0, question)
    return messages


def _unscored(state: Mapping[str, Any]) -> tuple[list[Any], list[DriftTurn], int]:
    messages = _messages(state)
    found = state.get("structured_response")
    if found is not None and messages and isinstance(messages[-1], ToolMessage):
        # The agent ended with a structured answer that it gave as a call of a tool.
        messages.append(AIMessage(_as_text(found)))
    return messages, list(state.get("drift_turns") or []), session_of(state)


def _as_text(answer: object) -> str:
    return TypeAdapter(Any).dump_json(answer, fallback=str).decode()


def _scored(state: Mapping[str, Any], found: list[DriftTurn]) -> dict[str, Any]:
    return {"drift_turns": found, "drift": last_of(state, found), "drift_asked": None}
