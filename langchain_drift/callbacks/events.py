"""LangChain's events, told to the book of runs and to the recorder of turns."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.outputs import ChatGenerationChunk, GenerationChunk, LLMResult
from langgraph.callbacks import GraphCallbackHandler, GraphInterruptEvent

from langchain_drift.callbacks.boundary import Boundary
from langchain_drift.callbacks.messages import final_reply, messages_in, said_in
from langchain_drift.callbacks.recorder import Recorder
from langchain_drift.callbacks.run import Kind, Run, Start
from langchain_drift.callbacks.runs import RunBook
from langchain_drift.callbacks.steps import Steps, Stepwise, StepwiseAtLast
from langchain_drift.callbacks.tree import Given, Source

_CLOSED = (GeneratorExit, asyncio.CancelledError)
_NO_TURN = ("prompt", "parser", "retriever", "tool", "embedding")


class RunEvents(GraphCallbackHandler):
    """The events a handler listens to, in runs off and on an event loop.

    LangChain calls plain methods beside the loop, not on it; those that wait are `Stepwise`.

    Args:
        runs: The open runs.
        recorder: What takes the turns.
        boundary: What catches errors.
        input_key: The key of the input that holds the user's words or the messages.
        foresees: Whether turns are scored as soon as a node has answered.
    """

    run_inline = False

    def __init__(
        self,
        *,
        runs: RunBook,
        recorder: Recorder,
        boundary: Boundary,
        input_key: str | None,
        foresees: bool,
    ) -> None:
        super().__init__()
        self._runs, self._recorder, self._boundary = runs, recorder, boundary
        self._input_key, self._foresees = input_key, foresees

    def on_chain_start(
        self,
        serialized: Mapping[str, Any] | None,
        inputs: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Note that a chain, graph or node starts."""
        with self._boundary("reading a start"):
            kind = Kind.OTHER if kwargs.get("run_type") in _NO_TURN else Kind.CHAIN
            start = Start.of(kind, parent_run_id, kwargs, serialized=serialized)
            self._start(run_id, parent_run_id, start, inputs)

    @Stepwise
    def on_chain_end(self, outputs: object, *, run_id: UUID, **kwargs: object) -> Steps:
        """Take the turn if the root ended."""
        with self._boundary("reading an end"):
            run = self._runs.end(run_id)
            if run is None:
                return
            reply = final_reply(messages_in(outputs)) if run.start.is_node else None
            if reply:
                self._runs.say(run, reply, Source.NODE)
            if run.is_root:
                self._read_late(run, kwargs)
                yield from self._finish(run, outputs)
            elif reply and self._foresees and run.is_top_node:
                yield from self._recorder.foresee(run, outputs)

    @StepwiseAtLast
    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: object) -> Steps:
        """Take the turn if the root was closed early; a root that failed is none."""
        with self._boundary("reading an end"):
            run = self._runs.end(run_id)
            if run and run.is_root:
                self._read_late(run, kwargs)
                yield from self._break(run, error)

    def on_chat_model_start(
        self,
        serialized: Mapping[str, Any] | None,
        messages: Sequence[Sequence[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Note what a chat model is asked."""
        with self._boundary("reading a start"):
            prompt = list(messages[0]) if messages else []
            start = Start.of(Kind.MODEL, parent_run_id, kwargs, prompt=prompt)
            self._start(run_id, parent_run_id, start, prompt)

    def on_llm_start(
        self,
        serialized: Mapping[str, Any] | None,
        prompts: Sequence[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Note what a text model is asked."""
        with self._boundary("reading a start"):
            prompt = [HumanMessage(text) for text in prompts[:1]]
            start = Start.of(Kind.MODEL, parent_run_id, kwargs, prompt=prompt)
            self._start(run_id, parent_run_id, start, prompt)

    def on_llm_new_token(
        self,
        token: str | list[Any],
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        run_id: UUID,
        **_: Any,
    ) -> None:
        """Note what a model says as it says it: if it is cut off nothing else may tell."""
        with self._boundary("reading a token"):
            text = chunk.text if chunk else token
            if isinstance(text, str) and text:
                self._runs.hear(run_id, text)

    @Stepwise
    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: object) -> Steps:
        """Note what a model said."""
        with self._boundary("reading an end"):
            run = self._runs.end(run_id)
            if run:
                said = None if run.start.is_internal else said_in(response)
                if said:
                    self._runs.say(run, said, Source.MODEL)
                if run.is_root:
                    yield from self._finish(run, None)

    @StepwiseAtLast
    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: object) -> Steps:
        """Note what a model had said when it was cut off."""
        with self._boundary("reading an end"):
            run = self._runs.end(run_id)
            if run is None:
                return
            said = run.said_so_far
            if isinstance(error, _CLOSED) and said:
                self._runs.say(run, said, Source.CUT)
            if run.is_root:
                yield from self._break(run, error)

    def on_tool_start(
        self,
        serialized: Mapping[str, Any] | None,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Note that a tool starts: what is said inside is not said to the user."""
        with self._boundary("reading a start"):
            start = Start.of(Kind.TOOL, parent_run_id, kwargs)
            self._runs.start(run_id, parent_run_id, start)

    def on_tool_end(self, output: object, *, run_id: UUID, **_: object) -> None:
        """Note that a tool ended."""
        with self._boundary("reading an end"):
            self._runs.end(run_id)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: object) -> None:
        """Note that a tool failed."""
        with self._boundary("reading an end"):
            self._runs.end(run_id)

    def on_retriever_start(
        self,
        serialized: Mapping[str, Any] | None,
        query: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Note that a retriever starts."""
        with self._boundary("reading a start"):
            start = Start.of(Kind.OTHER, parent_run_id, kwargs)
            self._runs.start(run_id, parent_run_id, start)

    def on_retriever_end(self, documents: object, *, run_id: UUID, **_: object) -> None:
        """Note that a retriever ended."""
        with self._boundary("reading an end"):
            self._runs.end(run_id)

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **_: object) -> None:
        """Note that a retriever failed."""
        with self._boundary("reading an end"):
            self._runs.end(run_id)

    def on_interrupt(self, event: GraphInterruptEvent) -> None:
        """Note that a graph paused: its turn is not over, though its root run will end."""
        with self._boundary("reading a pause"):
            self._runs.pause(event.run_id)

    def _start(self, run_id: UUID, parent_id: UUID | None, start: Start, inputs: object) -> None:
        run = self._runs.start(run_id, parent_id, start)
        if run and run.is_root:
            run.tree.given = self._given(inputs)

    def _given(self, inputs: object) -> Given:
        """Read the input of a root; one that cannot be read holds no words."""
        with self._boundary("reading an input"):
            return Given.of(inputs, self._input_key)
        return Given()

    def _read_late(self, run: Run, told: Mapping[str, object]) -> None:
        """Read the input of a streamed chain, which is told as it ends."""
        if run.tree.given.user is None and told.get("inputs") is not None:
            run.tree.given = self._given(told["inputs"])

    def _finish(self, run: Run, outputs: object) -> Steps:
        if run.start.takes_turns:
            yield from self._recorder.finish(run.tree, outputs)

    def _break(self, run: Run, error: BaseException) -> Steps:
        """End a tree with an error: closed early, failed, or stopped by control flow."""
        if run.start.takes_turns and isinstance(error, _CLOSED):
            yield from self._recorder.finish(run.tree, closed=True)
        else:
            self._recorder.fail(run.tree)
