"""The door for tool calls: middleware of agents, a wrapper for `ToolNode`, a callback."""

from langchain_drift.tool_guard.options import ToolGuardOptions
from langchain_drift.tool_guard.place import Place, thread_scope, user_scope
from langchain_drift.tool_guard.recorder import MistakeRecorder
from langchain_drift.tool_guard.wrapper import ToolCallGuard, guard_tool_call

__all__ = [
    "MistakeRecorder",
    "Place",
    "ToolCallGuard",
    "ToolGuardOptions",
    "guard_tool_call",
    "thread_scope",
    "user_scope",
]
