"""The guard of tool calls for a `ToolNode`."""

from typing import Any, Unpack

from langgraph.prebuilt.tool_node import ToolCallRequest

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.tool_guard.engine import AsyncHandler, Handler, ToolGuard
from langchain_drift.tool_guard.options import Options, ToolGuardOptions
from langchain_drift.tool_guard.place import GuardOf


class ToolCallGuard:
    """Wraps the calls of a `ToolNode`; made by `guard_tool_call`."""

    def __init__(self, guard: GuardOf, options: Options) -> None:
        self._guard = ToolGuard(guard, options)

    def __call__(self, request: ToolCallRequest, handler: Handler) -> Any:  # noqa: ANN401 - what tools give
        """Run a call under the guard."""
        return self._guard.run(request, handler)

    async def acall(self, request: ToolCallRequest, handler: AsyncHandler) -> Any:  # noqa: ANN401 - what tools give
        """Run a call under the guard without blocking the event loop."""
        return await self._guard.arun(request, handler)

    @property
    def errors(self) -> dict[str, int]:
        """How often each kind of error of the memory happened."""
        return self._guard.boundary.counts


def guard_tool_call(guard: GuardOf = None, **options: Unpack[ToolGuardOptions]) -> ToolCallGuard:
    """Return a wrapper that guards each call of a `ToolNode` by the mistake memory.

    It warns the model in the result of a call, or answers the call itself, by the policy; it tells
    the memory what failed and what worked instead; it notices calls that go in circles.

    Args:
        guard: The guard, a function that tells it by where a call runs, or None for `guard` in the
            context of the run, else for a guard on the store of the run.
        **options: See `ToolGuardOptions`.

    Raises:
        InvalidInputError: If an option cannot be used, or the policy is `acknowledge`: a call that
            runs has no step before it in which to keep what a person is asked.

    Example:
        ```python
        wrapper = guard_tool_call(guard)
        ToolNode(tools, wrap_tool_call=wrapper, awrap_tool_call=wrapper.acall)
        ```
    """
    checked = Options(**options)
    policy = checked.policy
    if policy is None and isinstance(guard, DriftGuard):
        policy = guard.settings.guard_policy
    if policy == "acknowledge":
        message = (
            "A wrapper of tool calls cannot ask a person. Put `make_guard_node` and "
            "`make_acknowledge_node` before the ToolNode, use MistakeGuardMiddleware with "
            "create_agent, or pass another policy."
        )
        raise InvalidInputError(message)
    return ToolCallGuard(guard, checked)
