"""Transcripts: conversations in the shapes people keep them in.

Read are OpenAI messages, LangChain messages (dumped or serialised), ShareGPT and plain
`{user, assistant}` turns, as JSON or JSONL, one conversation or many in a file.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict

from langchain_drift.conversation.turn import FewShotExample, Turn
from langchain_drift.errors import InvalidInputError

_ROLES = {
    "system": "system",
    "developer": "system",
    "SystemMessage": "system",
    "user": "user",
    "human": "user",
    "HumanMessage": "user",
    "HumanMessageChunk": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "gpt": "assistant",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
}
_SILENT = frozenset({"tool", "function", "ToolMessage", "FunctionMessage", "remove", "observation"})
_LISTS = ("messages", "conversations", "conversation", "turns")
_PURPOSES = ("purpose", "system_prompt", "system")
_SHAPES = (
    "a list of messages ({role, content}, LangChain or ShareGPT) or of {user, assistant} turns, "
    'or an object that holds one under "messages", "conversations" or "turns"'
)


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


def read_transcripts(lines: Iterable[str], name: str = "the input") -> Iterator[Transcript]:
    """Read conversations from the lines of a JSON or JSONL text.

    JSONL of conversations is read line by line, so a file of any length takes little memory.

    Args:
        lines: The lines of the text.
        name: What to call it in errors.

    Raises:
        InvalidInputError: If the text is no JSON or holds no conversation.
    """
    rows = _rows(iter(lines), name)
    first = next(rows, None)
    if first is None:
        message = f"{name} is empty; give {_SHAPES}."
        raise InvalidInputError(message)
    where, value = first
    if isinstance(value, list):
        yield from _from_list(value, where, rows)
    elif isinstance(value, dict) and _list_of(value) is not None:
        yield _conversation(value, where, 1)
        for number, (place, row) in enumerate(rows, start=2):
            yield _conversation(row, place, number)
    else:
        parts = [value, *(row for _, row in rows)]
        yield _conversation(parts, name, 1)


def _from_list(
    value: list[Any], where: str, rows: Iterator[tuple[str, Any]]
) -> Iterator[Transcript]:
    is_many = bool(value) and all(_holds_conversation(item) for item in value)
    if is_many:
        for number, item in enumerate(value, start=1):
            yield _conversation(item, f"{where}, conversation {number}", number)
    else:
        yield _conversation(value, where, 1)
    for number, (place, row) in enumerate(rows, start=2):
        yield _conversation(row, place, number)


def _holds_conversation(item: object) -> bool:
    return isinstance(item, list) or (isinstance(item, dict) and _list_of(item) is not None)


def _rows(lines: Iterator[str], name: str) -> Iterator[tuple[str, Any]]:
    """Yield the JSON values of a JSONL text, or the one value of a JSON text."""
    number = 0
    for line in lines:
        number += 1
        text = line.removeprefix("\ufeff") if number == 1 else line
        if not text.strip():
            continue
        where = f"{name}, line {number}"
        try:
            value = _parse(text, where)
        except InvalidInputError:
            if number > 1 and text.lstrip()[:1] == "{":
                raise
            yield name, _parse(text + "".join(lines), name)
            return
        yield where, value


def _parse(text: str, where: str) -> Any:  # noqa: ANN401 - any JSON
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        message = f"{where} is not JSON: {error}."
        raise InvalidInputError(message) from error
    except RecursionError as error:
        message = f"{where} is nested too deeply to be a conversation."
        raise InvalidInputError(message) from error


def _conversation(value: object, where: str, number: int) -> Transcript:
    about: dict[str, Any] = value if isinstance(value, dict) else {}
    parts = _list_of(about) if about else value
    if not isinstance(parts, list):
        message = f"{where} is no conversation; give {_SHAPES}."
        raise InvalidInputError(message)
    system, turns = _read_parts(parts, where)
    purpose = next((about[key] for key in _PURPOSES if isinstance(about.get(key), str)), system)
    examples = [_example(row, where) for row in about.get("examples") or []]
    name = str(about.get("id", number))
    return Transcript(id=name, purpose=purpose, examples=tuple(examples), turns=tuple(turns))


def _list_of(value: dict[str, Any]) -> list[Any] | None:
    return next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)


def _example(row: object, where: str) -> FewShotExample:
    if not isinstance(row, dict) or not isinstance(row.get("user"), str) or not row["user"]:
        message = f"{where}: an example must be an object with user and assistant texts."
        raise InvalidInputError(message)
    return FewShotExample(user=row["user"], assistant=str(row.get("assistant") or ""))


def _read_parts(parts: list[Any], where: str) -> tuple[str | None, list[Turn]]:
    """Return the system prompt and the turns of messages or turns."""
    system: str | None = None
    turns: list[Turn] = []
    asked: list[str] = []
    for number, part in enumerate(parts, start=1):
        place = f"{where}, part {number}"
        if isinstance(part, dict) and ("user" in part or "assistant" in part):
            turns.append(Turn.of(part.get("user"), part.get("assistant")))
            continue
        role, text = _message(part, place)
        if role == "system":
            system = system or text
        elif role == "user":
            asked.append(text)
        elif role == "assistant" and text.strip():
            turns.append(Turn(user="\n".join(asked), assistant=text))
            asked = []
    if asked:
        turns.append(Turn(user="\n".join(asked)))
    return system, turns


def _message(part: object, place: str) -> tuple[str, str]:
    """Return the role (empty for tools) and the text of a message."""
    if not isinstance(part, dict):
        message = f"{place} is no message: {_shortened(part)}; give {_SHAPES}."
        raise InvalidInputError(message)
    if isinstance(part.get("kwargs"), dict) and isinstance(part.get("id"), list) and part["id"]:
        kind, held = part["id"][-1], part["kwargs"]
    else:
        kind = part.get("role") or part.get("from") or part.get("type")
        held = part["data"] if isinstance(part.get("data"), dict) else part
    if not isinstance(kind, str) or (kind not in _ROLES and kind not in _SILENT):
        message = f"{place} has the unknown role {_shortened(kind)}; use system, user or assistant."
        raise InvalidInputError(message)
    if kind in _SILENT:
        return "", ""
    content = held.get("content", held.get("value"))
    return _ROLES[kind], Turn.of(content, "").user


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"  # noqa: PLR2004 - a short quote
