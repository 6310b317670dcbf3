"""How a session memory is written: one JSON document, an exchange a line, the running session last.

So an exchange is added by replacing the end of the document alone.
"""

import json
from typing import Any

from langchain_drift.characters import whole_characters
from langchain_drift.sessions.memory_data import VERSION, ExchangeRecord, SessionMemoryData

MARKER = b'\n], "summary": null, "final_drift_score": null}\n], "state": '
"""How what follows the last exchange of the running session begins."""
_REVISION_END = b'", "original_context": '


def to_json(value: object) -> str:
    """Return a value on one line; a number that JSON has not is an error."""
    return whole_characters(json.dumps(value, ensure_ascii=False, allow_nan=False))


def body(data: SessionMemoryData, revision: str) -> bytes:
    """Return the document up to the last exchange of the running session.

    Args:
        data: What to write.
        revision: Another one for each document that does not merely go on from one before.
    """
    head = to_json(
        {
            "format_version": VERSION,
            "revision": revision,
            "original_context": data["original_context"],
            "session_count": data["session_count"],
            "context_frozen": data["context_frozen"],
            "sessions": [],
        }
    ).removesuffix("]}")
    parts = [head, "\n"]
    for session in data["sessions"]:
        opening = {key: session[key] for key in ("session_number", "status")}
        parts.append(f'{to_json(opening)[:-1]}, "exchanges": [')
        parts += [lines(session["exchanges"], is_first=True)]
        if session["status"] == "completed":
            closing = {
                key: value
                for key, value in session.items()
                if key in ("summary", "final_drift_score", "turn_count")
            }
            parts.append(f"\n], {to_json(closing)[1:]},\n")
    return "".join(parts).encode()


def lines(exchanges: list[ExchangeRecord], *, is_first: bool) -> str:
    """Return exchanges as they follow one another, each on a line of its own."""
    joined = "".join(f",\n{to_json(exchange)}" for exchange in exchanges)
    return joined[1:] if is_first else joined


def ending(state: dict[str, Any] | None) -> bytes:
    """Return what follows the last exchange of the running session."""
    return MARKER + to_json(state).encode() + b"}\n"


def find_end(content: bytes) -> int | None:
    """Return where the last exchange of a document ends; None if it is not laid out as ours."""
    found = content.rfind(MARKER)
    return None if found < 0 else found


def revision_of(start: bytes) -> bytes | None:
    """Return what a document of ours starts with, up to the end of its revision."""
    end = start.find(_REVISION_END)
    return None if end < 0 else start[:end]


def read_lines(content: bytes) -> tuple[list[Any], object]:
    """Return the exchanges that were added to a document, and the state.

    Args:
        content: The document from where its exchanges once ended.

    Raises:
        ValueError: If it is not the rest of a document of ours.
    """
    end = find_end(content)
    if end is None:
        message = "it does not end as a session memory does"
        raise ValueError(message)
    added = content[:end].decode().strip(",\n")
    state = json.loads(content[end + len(MARKER) :].decode().strip()[:-1])
    return json.loads(f"[{added}]"), state
