"""Errors as tools raised them, taken out of the sentences that LangGraph wraps around them.

The wrapping repeats the arguments of the call, which the memory would take for what is blamed.
"""

import ast
import re

_REPRESENTED = re.compile(r"Error: (\w+)\((.*)\)\s+Please fix your mistakes\.\s*", re.DOTALL)
_REPEATED = re.compile(
    r"(?:\w+: )?Error (?:invoking|executing) tool '.*' with kwargs \{.*\} with error:\s+(.*?)"
    r"\s+Please fix the error and try again\.\s*",
    re.DOTALL,
)


def unwrap_error(text: str) -> str:
    """Return what a tool's error says, without what a `ToolNode` adds to it."""
    represented = _REPRESENTED.fullmatch(text)
    if represented:
        text = f"{represented[1]}: {_literal(represented[2])}"
    repeated = _REPEATED.fullmatch(text)
    return repeated[1] if repeated else text


def _literal(text: str) -> str:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
