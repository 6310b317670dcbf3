"""Transcripts: conversations in the shapes people keep them in.

Read are OpenAI messages, LangChain messages (dumped or serialised), ShareGPT and plain
`{user, assistant}` turns, as JSON or JSONL, one conversation or many in a file.
"""

import reprlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from pydantic import BaseModel, ConfigDict

from langchain_drift.conversation.turn import FewShotExample, Turn
from langchain_drift.errors import InvalidInputError
from langchain_drift.json_lines import read_values

_ROLES = {
    "system": "system",
    "developer": "system",
    "systemmessage": "system",
    "systemmessagechunk": "system",
    "user": "user",
    "human": "user",
    "humanmessage": "user",
    "humanmessagechunk": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "model": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
}
_SILENT = frozenset(
    {
        *("tool", "toolmessage", "toolmessagechunk", "tool_call", "tool_result", "observation"),
        *("function", "functionmessage", "functionmessagechunk", "function_call"),
        *("function_call_output", "reasoning", "remove", "removemessage"),
    }
)
_NAMED_INSIDE = frozenset({"chat", "chatmessage", "chatmessagechunk"})
_CONTENTS = ("content", "value", "data", "kwargs")
_LISTS = ("messages", "conversations", "conversation", "turns")
_PURPOSES = ("purpose", "system_prompt", "system")
_SHAPES = (
    "a list of messages ({role, content}, LangChain or ShareGPT) or of {user, assistant} turns, "
    'or an object that holds one under "messages", "conversations" or "turns"'
)
_SHOWN = 60

_Placed = tuple[str, object]
"""Where a part of a conversation stands, and the part."""


class Transcript(BaseModel):
    """One conversation as it was kept.

    Attributes:
        id: Its own id, or its number in the file.
        purpose: Its system prompt; None where the file has none.
        examples: Example exchanges.
        turns: What was said.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    purpose: str | None = None
    examples: tuple[FewShotExample, ...] = ()
    turns: tuple[Turn, ...]


def read_transcripts(lines: Iterable[str | bytes], name: str = "the input") -> Iterator[Transcript]:
    """Read conversations from the lines of a JSON or JSONL text.

    JSONL of conversations is read line by line, so a file of any length takes little memory.
    JSONL of messages or of turns is one conversation.

    Args:
        lines: The lines of the text, or of a file opened as bytes.
        name: What to call it in errors.

    Raises:
        InvalidInputError: If the text is no JSON or holds no conversation; the error says where.
    """
    rows = read_values(lines, name)
    first = next(rows, None)
    if first is None:
        message = f"{name} is empty; give {_SHAPES}."
        raise InvalidInputError(message)
    if not _is_conversation(first[1]):
        yield _transcript({}, [first, *rows], 1)
        return
    found = (item for where, value in chain([first], rows) for item in _items(where, value))
    for number, (where, item) in enumerate(found, start=1):
        yield _transcript(item if isinstance(item, dict) else {}, _parts(where, item), number)


def _is_conversation(value: object) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and _list_of(value) is not None)


def _list_of(value: dict[str, Any]) -> list[Any] | None:
    return next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)


def _items(where: str, value: object) -> list[_Placed]:
    """Return the conversations of a value: those of a list of conversations, else itself."""
    if isinstance(value, list) and value and all(map(_is_conversation, value)):
        return [(f"{where}, conversation {i}", item) for i, item in enumerate(value, start=1)]
    return [(where, value)]


def _parts(where: str, value: object) -> list[_Placed]:
    """Return the messages or turns of a conversation."""
    parts = _list_of(value) if isinstance(value, dict) else value
    if not isinstance(parts, list):
        message = f"{where} is no conversation: {_shortened(value)}; give {_SHAPES}."
        raise InvalidInputError(message)
    return [(f"{where}, part {i}", part) for i, part in enumerate(parts, start=1)]


def _transcript(about: dict[str, Any], parts: list[_Placed], number: int) -> Transcript:
    system, turns = _read_parts(parts)
    purpose = next((about[key] for key in _PURPOSES if isinstance(about.get(key), str)), system)
    name = about.get("id")
    return Transcript(
        id=str(name if isinstance(name, str | int) else number),
        purpose=purpose,
        examples=_examples(about.get("examples"), number),
        turns=tuple(turns),
    )


def _examples(rows: object, number: int) -> tuple[FewShotExample, ...]:
    where = f"Conversation {number}"
    if rows is not None and not isinstance(rows, list):
        message = (
            f"{where}: examples must be a list of objects with user and assistant texts, "
            f"not {_shortened(rows)}."
        )
        raise InvalidInputError(message)
    return tuple(_example(row, f"{where}, example {i}") for i, row in enumerate(rows or (), 1))


def _example(row: object, where: str) -> FewShotExample:
    turn = _turn(row.get("user"), row.get("assistant"), where) if isinstance(row, dict) else None
    if turn is None or not turn.user:
        message = f"{where} must be an object with user and assistant texts, not {_shortened(row)}."
        raise InvalidInputError(message)
    return FewShotExample(user=turn.user, assistant=turn.assistant)


def _read_parts(parts: list[_Placed]) -> tuple[str | None, list[Turn]]:
    """Return the system prompt and the turns of messages or turns."""
    system: str | None = None
    turns: list[Turn] = []
    asked: list[str] = []
    for place, part in parts:
        role, turn = _role_and_turn(part, place)
        if role == "system":
            system = system or turn.user
        elif role == "user" and turn.user.strip():
            asked.append(turn.user)
        elif role == "assistant" and turn.assistant.strip():
            turns.append(Turn(user="\n".join(asked), assistant=turn.assistant))
            asked = []
        elif role == "turn":
            turns += [*_unanswered(asked), turn]
            asked = []
    return system, turns + _unanswered(asked)


def _unanswered(asked: list[str]) -> list[Turn]:
    return [Turn(user="\n".join(asked))] if asked else []


def _role_and_turn(part: object, place: str) -> tuple[str, Turn]:
    """Return the role of a message (none for tools) and a turn that holds its text.

    A part that is a turn itself has the role `turn`.
    """
    if not isinstance(part, dict):
        message = f"{place} is no message: {_shortened(part)}; give {_SHAPES}."
        raise InvalidInputError(message)
    if ("user" in part or "assistant" in part) and not any(key in part for key in _CONTENTS):
        return "turn", _turn(part.get("user"), part.get("assistant"), place)
    kind, held = _kind_and_fields(part)
    if kind is None:
        message = f"{place} is no message, for it has no role: {_shortened(part)}; give {_SHAPES}."
        raise InvalidInputError(message)
    name = kind.lower() if isinstance(kind, str) else ""
    if name in _SILENT:
        return "", Turn()
    if name not in _ROLES:
        message = f"{place} has the unknown role {_shortened(kind)}; use system, user or assistant."
        raise InvalidInputError(message)
    role, content = _ROLES[name], held.get("content", held.get("value"))
    user, assistant = (None, content) if role == "assistant" else (content, None)
    return role, _turn(user, assistant, place)


def _kind_and_fields(part: dict[str, Any]) -> tuple[object, dict[str, Any]]:
    """Return what says the role of a message, and the object that holds its content."""
    if isinstance(part.get("kwargs"), dict) and isinstance(part.get("id"), list) and part["id"]:
        kind, held = part["id"][-1], part["kwargs"]
    else:
        kind = part.get("role") or part.get("from") or part.get("type")
        held = part["data"] if isinstance(part.get("data"), dict) else part
    if isinstance(kind, str) and kind.lower() in _NAMED_INSIDE:
        kind = held.get("role")
    return kind, held


def _turn(user: object, assistant: object, place: str) -> Turn:
    try:
        return Turn.of(user, assistant)
    except InvalidInputError as error:
        message = f"{place}: {error}"
        raise InvalidInputError(message) from error


def _shortened(value: object) -> str:
    text = reprlib.repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
