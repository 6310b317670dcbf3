"""An action as it is compared: its words, its kind, its exact key and its terms."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.event import LONGEST_ACTION, storable
from langchain_drift.mistakes.terms import call_terms, find_terms
from langchain_drift.mistakes.text_class import is_code

ActionLike = str | Mapping[str, Any]
"""An action in words or code, or a tool call `{"name": …, "args": {…}}`."""

MEANING: Final = 2000
"""How many characters of a prose action are read for its meaning and its critical terms."""

_NAMED_JSON = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*(\{.*\})\s*", re.DOTALL)
_CALLED = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*(?:\[.*\]|\(.*\)|\{.*\})\s*;?\s*", re.DOTALL)
_SPACE = re.compile(r"\s+")
_FINAL = re.compile(r"[\s.!…]+$")
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
_READ = 100_000


@dataclass(frozen=True, slots=True)
class Action:
    """An action, read.

    Attributes:
        text: Its words as given; a tool call as `name {json}`.
        is_code: Whether it means what it spells and not what its words mean.
        tool: The name of the tool it calls; empty if it does not have the form of a call.
        key: Equal for two actions exactly if they are the same but for spelling: white space,
            capitals outside of flags, the order of a tool call's arguments, a final full stop.
        terms: Its terms; see `find_terms`.
        values: Those of the terms that stand in the values of a tool call's arguments.
    """

    text: str
    is_code: bool
    tool: str
    key: str
    terms: frozenset[str]
    values: frozenset[str] = frozenset()


def read_action(action: ActionLike) -> Action:
    """Read an action.

    Args:
        action: Words, code, or a tool call as a mapping with `name` and `args` (`arguments` and
            `input` are understood too, also as a JSON string).

    Raises:
        InvalidInputError: If it is longer than 1,000,000 characters or of another kind.
    """
    text = storable(_as_text(action))
    if len(text) > LONGEST_ACTION:
        message = (
            f"The action has {len(text)} characters; at most {LONGEST_ACTION} can be compared. "
            "Leave its data out."
        )
        raise InvalidInputError(message)
    call = _as_call(text)
    if call:
        name, arguments = call
        plain = json.dumps(arguments, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        key, (terms, values) = _digest(f"{name} {plain}"), call_terms(name, arguments)
        return Action(text, is_code=True, tool=name, key=key, terms=terms, values=values)
    # An empty step has no meaning to compare, but it can be repeated.
    code = is_code(text) or not text.strip()
    return Action(
        text,
        is_code=code,
        tool=tool_of(text) if code else "",
        key=_digest(_flat(text if code else _FINAL.sub("", text))),
        terms=find_terms(text),
    )


def tool_of(text: str) -> str:
    """Return the name of the tool that a code-like text calls, empty if it has no such form."""
    if text.lstrip().startswith("{"):
        call = _as_call(text)
        return call[0] if call else ""
    form = _CALLED.fullmatch(text[:_READ])
    return form[1] if form else ""


def _as_text(action: ActionLike) -> str:
    if isinstance(action, str):
        return action
    if isinstance(action, Mapping):
        call = _from_mapping(action)
        if call:
            return f"{call[0]} {json.dumps(call[1], ensure_ascii=False, default=str)}"
    message = (
        f"The action is {action!r:.80} of type {type(action).__name__}, but must be a string or "
        'a tool call such as {"name": "refund", "args": {"order": 7}}.'
    )
    raise InvalidInputError(message)


def _as_call(text: str) -> tuple[str, dict[str, Any]] | None:
    """Return the name and arguments of a tool call written as `name {json}` or as JSON."""
    stripped = text.strip()
    if stripped.startswith("{"):
        whole = _parse(stripped)
        return _from_mapping(whole) if whole is not None else None
    form = _NAMED_JSON.fullmatch(text) if stripped.endswith("}") else None
    arguments = _parse(form[2]) if form else None
    return (form[1], arguments) if form and arguments is not None else None


def _from_mapping(call: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    inner = call.get("function")
    call = inner if isinstance(inner, Mapping) else call
    name = call.get("name")
    given: object = next((call[k] for k in ("args", "arguments", "input") if k in call), {})
    arguments = _parse(given) if isinstance(given, str) else given
    if not isinstance(name, str) or not name.strip() or not isinstance(arguments, Mapping):
        return None
    return name.strip(), {str(key): value for key, value in arguments.items()}


def _parse(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _flat(text: str) -> str:
    """Fold capitals and white space; a flag keeps its case, for `-v` is not `-V`."""
    words = _SPACE.split(text.strip())
    return " ".join(w if _FLAG.fullmatch(w) else w.casefold() for w in words)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
