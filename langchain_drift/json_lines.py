"""JSON lines: the values of a JSON or JSONL text, each with the place it stands at."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from langchain_drift.characters import whole_characters
from langchain_drift.errors import InvalidInputError

_Row = TypeVar("_Row")


def file_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file.

    Raises:
        InvalidInputError: If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            yield from file
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror or error}; give the path of a file."
        raise InvalidInputError(message) from error


def decode(lines: Iterable[str | bytes], name: str) -> Iterator[str]:
    """Yield lines as text, without a byte order mark.

    Args:
        lines: Text, or bytes that must be UTF-8.
        name: What to call the text in errors.

    Raises:
        InvalidInputError: If a line is not UTF-8.
    """
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode() if isinstance(line, bytes) else line
        except UnicodeDecodeError as error:
            message = f"{name}, line {number} is not UTF-8 (byte {error.start}); save it as UTF-8."
            raise InvalidInputError(message) from error
        yield text.removeprefix("\ufeff") if number == 1 else text


def parse_json(text: str, name: str, line: int = 1) -> Any:  # noqa: ANN401 - any JSON
    """Return the value of a JSON text; halves of characters in it are replaced.

    Args:
        text: The text.
        name: What to call it in errors.
        line: The number of its first line.

    Raises:
        InvalidInputError: If it is no JSON or is nested too deeply.
    """
    where = f"{name}, line {line}"
    try:
        value = _with_whole_characters(text, json.loads(text.rstrip()))
    except json.JSONDecodeError as error:
        where = f"{name}, line {line + error.lineno - 1}"
        message = (
            f"{where} is not JSON: {error.msg} at column {error.colno}; give JSON, or JSONL with a "
            "value on each line."
        )
        raise InvalidInputError(message) from error
    except RecursionError as error:
        message = f"{where} is not JSON that can be read: it is nested too deeply."
        raise InvalidInputError(message) from error
    except ValueError as error:
        message = f"{where} is not JSON that can be read: it holds a number of too many digits."
        raise InvalidInputError(message) from error
    return value


def read_values(lines: Iterable[str | bytes], name: str) -> Iterator[tuple[str, Any]]:
    """Yield the values of a JSONL text as they are read, or the one value of a JSON text.

    Args:
        lines: The lines of the text.
        name: What to call it in errors.

    Yields:
        Where a value stands, and the value.

    Raises:
        InvalidInputError: If a line is no JSON; the error names it.
    """
    is_first = True
    numbered = enumerate(decode(lines, name), start=1)
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            value = parse_json(line, name, number)
        except InvalidInputError:
            if not is_first:
                raise
            yield name, _parse_whole(line, [line for _, line in numbered], name, number)
            return
        is_first = False
        yield f"{name}, line {number}", value


def not_empty(rows: Iterable[_Row], name: str, wanted: str) -> Iterator[_Row]:
    """Yield the rows of a text.

    Args:
        rows: The rows.
        name: What to call the text in errors.
        wanted: What a row should hold.

    Raises:
        InvalidInputError: If there is none.
    """
    is_empty = True
    for row in rows:
        is_empty = False
        yield row
    if is_empty:
        message = f"{name} holds no row; write {wanted}, one a line."
        raise InvalidInputError(message)


def _parse_whole(first: str, rest: list[str], name: str, number: int) -> object:
    """Parse a JSON text of many lines; in JSONL with a broken first line, blame that line."""
    try:
        return parse_json("".join((first, *rest)), name, number)
    except InvalidInputError:
        if _is_json(next((line for line in rest if line.strip()), "")):
            parse_json(first, name, number)
        raise


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict | list)
    except (ValueError, RecursionError):
        return False


def _with_whole_characters(text: str, value: object) -> object:
    """Return the value of a text so that it can be written as UTF-8."""
    if whole_characters(text) is text and "\\ud" not in text and "\\uD" not in text:
        return value
    return json.loads(whole_characters(json.dumps(value, ensure_ascii=False)))
