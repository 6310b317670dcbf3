"""Labelled conversations: what was said, and whether it served the purpose."""

import json
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from langchain_drift.conversation.turn import FewShotExample
from langchain_drift.errors import InvalidInputError

Label = Literal["on", "off", "adjacent", "neutral"]
"""On purpose, off purpose, both in one turn, or nothing with a topic of its own (thanks, yes)."""

_SHOWN = 80


class LabelledTurn(BaseModel):
    """A turn with its label.

    Attributes:
        user: What the user said.
        assistant: What the assistant answered; empty where that is not known.
        label: `on`, `off`, `adjacent` (both, not counted) or `neutral` (neither, not counted).
        ack: Whether the turn only affirms, negates, thanks or selects.
    """

    model_config = ConfigDict(frozen=True)

    user: str
    assistant: str = ""
    label: Label
    ack: bool = False


def _first_off(data: dict[str, Any]) -> int | None:
    return _first(data.get("turns", ()), "off", 0)


def _first_on_again(data: dict[str, Any]) -> int | None:
    depart = data.get("depart")
    return None if depart is None else _first(data.get("turns", ()), "on", depart + 1)


def _first(turns: tuple[LabelledTurn, ...], label: Label, start: int) -> int | None:
    return next((i for i in range(start, len(turns)) if turns[i].label == label), None)


class LabelledConversation(BaseModel):
    """A conversation whose turns are labelled.

    Attributes:
        id: What to call it.
        purpose: The system prompt it is held against.
        examples: Example exchanges that show the purpose.
        turns: Its turns in order.
        depart: Index of the turn at which it leaves its purpose, None if it never does; by
            default the first `off` turn.
        back: Index of the turn at which it returns, None if it never does; by default the first
            `on` turn after `depart`.
    """

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    id: str
    purpose: str
    examples: tuple[FewShotExample, ...] = ()
    turns: tuple[LabelledTurn, ...]
    depart: int | None = Field(default_factory=_first_off)
    back: int | None = Field(default_factory=_first_on_again)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        """Check that the departure and the return are turns, one after the other."""
        n = len(self.turns)
        if self.depart is not None and not 0 <= self.depart < n:
            message = f"depart is {self.depart}; give the index of one of the {n} turns, or null"
            raise ValueError(message)
        if self.back is not None and not (self.depart is not None and self.depart < self.back < n):
            message = (
                f"back is {self.back} and depart {self.depart} in {n} turns; give the index of a "
                "turn after depart, or null"
            )
            raise ValueError(message)
        return self


def read_labelled(source: str | PathLike[str] | Iterable[str]) -> Iterator[LabelledConversation]:
    """Read labelled conversations from JSONL, one a line, without holding the file in memory.

    A row is `{"purpose", "turns": [{"user", "assistant", "label"}]}`, with `id`, `examples`,
    `depart`, `back` and `ack` where known. The labels may stand beside the turns instead, as
    `"labels": ["on", …]`. Other keys are ignored.

    Args:
        source: The path of a file, or the lines themselves.

    Raises:
        InvalidInputError: If a line holds no labelled conversation; the error names it.
    """
    if isinstance(source, str | PathLike):
        yield from _read_file(Path(source))
    else:
        yield from _read_lines(source, "the input")


def _read_file(path: Path) -> Iterator[LabelledConversation]:
    try:
        with path.open(encoding="utf-8-sig") as lines:
            yield from _read_lines(lines, str(path))
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}); give the path of a JSONL file."
        raise InvalidInputError(message) from error
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8."
        raise InvalidInputError(message) from error


def _read_lines(lines: Iterable[str], name: str) -> Iterator[LabelledConversation]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            where = f"{name}, line {number}"
            yield _conversation({"id": str(number), **_row(line, where)}, where)


def _row(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        message = f"{where} is not JSON ({error}): {_shown(line)}. Write one object a line."
        raise InvalidInputError(message) from error
    if not isinstance(row, dict):
        message = f"{where} holds {_shown(row)}; write one object with purpose and turns a line."
        raise InvalidInputError(message)
    return row


def _conversation(row: dict[str, Any], where: str) -> LabelledConversation:
    if row.get("examples", ()) is None:
        row = {**row, "examples": ()}
    if row.get("labels") is not None:
        row = {**row, "turns": _with_labels(row.get("turns"), row["labels"], where)}
    try:
        return LabelledConversation.model_validate(row)
    except ValidationError as error:
        message = f"{where}{_reason(error)}. Correct the row."
        raise InvalidInputError(message) from error


def _reason(error: ValidationError) -> str:
    """Return where in the row the first error is, what it is and what stands there."""
    found = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in found["loc"])
    about = f", {place}: " if place else ": "
    reason = found["msg"].removeprefix("Value error, ")
    if found["type"] in ("missing", "value_error"):
        return f"{about}{reason}"
    return f"{about}{reason}, not {_shown(found['input'])}"


def _with_labels(turns: object, labels: object, where: str) -> list[object]:
    """Return the turns with the labels that stand beside them."""
    if not isinstance(turns, list) or not isinstance(labels, list):
        message = f"{where}: turns and labels must be lists, not {_shown(turns)}, {_shown(labels)}."
        raise InvalidInputError(message)
    if len(turns) != len(labels):
        message = f"{where} has {len(labels)} labels for {len(turns)} turns; give one label a turn."
        raise InvalidInputError(message)
    return [_with_label(turn, label, where) for turn, label in zip(turns, labels, strict=True)]


def _with_label(turn: object, label: object, where: str) -> object:
    if not isinstance(turn, dict):
        return turn
    if turn.get("label", label) != label:
        message = (
            f"{where}: a turn is labelled {_shown(turn['label'])} and in labels {_shown(label)}; "
            "keep one of the two."
        )
        raise InvalidInputError(message)
    return {**turn, "label": label}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
