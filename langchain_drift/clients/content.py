"""The words in the content of messages, in all formats: strings, blocks, objects of the SDKs."""

from collections.abc import Mapping
from typing import Any

_WORDS = ("text", "input_text", "output_text", "refusal")
_CALLS = frozenset(
    {
        *("tool_use", "function_call", "custom_tool_call", "computer_call", "local_shell_call"),
        *("shell_call", "apply_patch_call", "mcp_approval_request"),
    }
)
"""Blocks and items that the caller has to answer. What the service runs itself is none."""


def held(value: object, name: str) -> Any:  # noqa: ANN401 - whatever a message holds
    """Return a field of a mapping or of an object; None if it has none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def text_of(content: object, *, between: str = "") -> str:
    """Return the words of a content; images, files, tool calls and their results have none.

    Args:
        content: A string, a list of blocks, or None.
        between: What stands between the words of two blocks.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    texts = [block if isinstance(block, str) else _block_text(block) for block in content]
    return between.join(text for text in texts if text)


def calls_a_tool(message: object) -> bool:
    """Return whether a message or an item calls a tool, so that the answer is yet to come."""
    if held(message, "type") in _CALLS or held(message, "tool_calls"):
        return True
    if held(message, "function_call"):
        return True
    content = held(message, "content")
    blocks = content if isinstance(content, list | tuple) else ()
    return any(held(block, "type") in _CALLS for block in blocks)


def _block_text(block: object) -> str:
    kind = held(block, "type")
    if kind not in _WORDS:
        return ""
    text = held(block, "refusal" if kind == "refusal" else "text")
    return text if isinstance(text, str) else ""
