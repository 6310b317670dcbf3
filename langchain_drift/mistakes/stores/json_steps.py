"""The lines of the JSON file of events: a head, then what happened, step by step.

{"format": "langchain-drift memory", "format_version": 1, "file_id": "…", "fingerprint": "…"}
{"append": [{"action": "…", "feedback": "…", …}]}
{"scope": "…", "hide": ["…"]}
{"scope": "…", "show": ["…"]}
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from langchain_drift.mistakes.stores.memory import MemoryStore
from langchain_drift.mistakes.stores.record import Record

FORMAT = "langchain-drift memory"
VERSION = 1
_TEXTS = ("scope", "event_id", "action", "feedback", "outcome", "source", "key")
_KINDS = ("mistake", "success")


@dataclass(frozen=True, slots=True)
class Head:
    """The first line; `file_id` is another one after every rewriting of the file."""

    file_id: str
    fingerprint: str | None


def head_line(head: Head) -> bytes:
    """Return the first line of a file."""
    return _line(
        {
            "format": FORMAT,
            "format_version": VERSION,
            "file_id": head.file_id,
            "fingerprint": head.fingerprint,
        }
    )


def append_line(records: list[Record], fingerprint: str | None) -> bytes:
    """Return the line of records appended in one step, with the fingerprint of their vectors."""
    step: dict[str, Any] = {"append": [record.to_json() for record in records]}
    return _line(step if fingerprint is None else {"fingerprint": fingerprint, **step})


def turn_line(scope: str, event_ids: Sequence[str], *, hidden: bool) -> bytes:
    """Return the line of events hidden or shown again."""
    return _line({"scope": scope, "hide" if hidden else "show": list(event_ids)})


def is_turn(line: bytes) -> bool:
    """Return whether a line hides events or shows them again."""
    return line.startswith(b'{"scope"')


def whole_file(head: Head, memory: MemoryStore) -> Iterator[bytes]:
    """Yield the lines of the shortest file that holds a memory."""
    yield head_line(head)
    entries = memory.entries()
    for record, _ in entries:
        yield append_line([record], None)
    hidden = [record for record, is_hidden in entries if is_hidden]
    for scope, records in groupby(hidden, key=lambda record: record.scope):
        yield turn_line(scope, [record.event_id for record in records], hidden=True)


def read_head(line: bytes) -> Head:
    """Return the first line of a file.

    Raises:
        ValueError: If it is none; the message goes on after the name of the file.
    """
    found = _parse(line)
    if found.get("format") != FORMAT:
        message = "it is no memory of langchain-drift"
        raise ValueError(message)
    if found.get("format_version") != VERSION:
        message = (
            f"it has format {found.get('format_version')!r}, but this version of langchain-drift "
            f"reads format {VERSION}; update langchain-drift"
        )
        raise ValueError(message)
    fingerprint = found.get("fingerprint")
    return Head(str(found.get("file_id")), None if fingerprint is None else str(fingerprint))


def apply_line(line: bytes, memory: MemoryStore) -> None:
    """Do in memory what a line says was done.

    Raises:
        ValueError: If it is no step; the message goes on after the name of the line.
    """
    step = _parse(line)
    try:
        if "append" in step:
            _append([_record(value) for value in step["append"]], step.get("fingerprint"), memory)
        elif "hide" in step:
            memory.hide(step["scope"], step["hide"])
        else:
            memory.hide(step["scope"], step["show"], hidden=False)
    except (KeyError, TypeError) as error:
        message = f"it is no step of a memory ({type(error).__name__}: {error})"
        raise ValueError(message) from error


def _append(records: list[Record], fingerprint: str | None, memory: MemoryStore) -> None:
    fingerprint = fingerprint or memory.fingerprint()
    if fingerprint is None and any(record.vector is not None for record in records):
        message = "it has vectors, but nothing says of which embedder"
        raise ValueError(message)
    memory.append(records, fingerprint or "")


def _record(value: dict[str, Any]) -> Record:
    """Return a record whose values are of the right kinds, whoever edited the file."""
    record = Record.from_json(value)
    terms = (*record.terms, *record.culprits)
    texts = [getattr(record, name) for name in _TEXTS]
    if not all(isinstance(text, str) for text in (*texts, *terms)) or record.kind not in _KINDS:
        message = "a text is missing, or kind is neither mistake nor success"
        raise ValueError(message)
    if not isinstance(record.at, int | float) or not math.isfinite(record.at):
        message = f"at is {record.at!r}, no number of seconds since 1970"
        raise ValueError(message)
    return record


def _parse(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except RecursionError as error:
        message = "it is nested too deeply"
        raise ValueError(message) from error
    if not isinstance(value, dict):
        message = f"it is {type(value).__name__}, no object"
        raise ValueError(message)  # noqa: TRY004 - callers tell every fault of a line alike
    return value


def _line(step: dict[str, Any]) -> bytes:
    return json.dumps(step, ensure_ascii=False).encode() + b"\n"
