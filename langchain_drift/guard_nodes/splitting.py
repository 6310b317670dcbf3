"""A message whose calls are not all run, split so that every call keeps its answer."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from langchain_drift.guard_nodes.actions import last_calls
from langchain_drift.tool_guard import answers
from langchain_drift.tool_guard.history import answered_ids


def settle_calls(
    messages: Sequence[BaseMessage],
    refused: Mapping[str, str],
    edited: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[BaseMessage]:
    """Return the messages to add so that only what may run is left to run.

    A `ToolNode` runs all calls of the last message. If some are refused, that message keeps only
    these, with their answers behind it, and a message of its own asks for the rest. Calls and
    results stay paired in the order that providers demand.

    Args:
        messages: The messages of the state.
        refused: The answers to the calls that do not run, by the id of the call.
        edited: The arguments that replace those of a call, by its id.
    """
    last = last_calls(messages)
    edited = edited or {}
    if last is None or not (refused or edited):
        return []
    done = answered_ids(messages)
    answered = [
        answers.answer(call, refused[call["id"] or ""])
        for call in last.tool_calls
        if (call["id"] or "") in refused
    ]
    kept = [
        {**call, "args": dict(edited.get(call["id"] or "", call["args"]))}
        for call in last.tool_calls
        if (call["id"] or "") not in refused and call["id"] not in done
    ]
    if not kept:
        return [*answered]
    if not refused:
        calls = {call["id"]: call for call in kept}
        return [_with_calls(last, [calls.get(call["id"], call) for call in last.tool_calls])]
    rest = AIMessage("", tool_calls=kept, id=f"{last.id}-allowed")
    names = {call["id"] for call in kept}
    settled = [call for call in last.tool_calls if call["id"] not in names]
    return [_with_calls(last, settled), *answered, rest]


def _with_calls(message: AIMessage, calls: Collection[Mapping[str, Any]]) -> AIMessage:
    """Return a message with other calls; what providers keep of them beside is left out."""
    extra = {k: v for k, v in message.additional_kwargs.items() if k != "tool_calls"}
    content = message.content
    if isinstance(content, list):
        content = [part for part in content if not _is_call(part)]
    return message.model_copy(
        update={"tool_calls": list(calls), "additional_kwargs": extra, "content": content}
    )


def _is_call(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") in ("tool_use", "tool_call")
