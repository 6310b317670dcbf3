"""Labelled conversations: what was said, and whether it served the purpose."""

import hashlib
import heapq
import reprlib
from collections.abc import Iterable, Iterator
from operator import itemgetter
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from langchain_drift.conversation.turn import FewShotExample
from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError
from langchain_drift.json_lines import decode, file_lines, not_empty, parse_json

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
        InvalidInputError: If a line holds no labelled conversation, which the error names, or
            there is none.
    """
    lines: Iterable[str | bytes]
    if isinstance(source, str | PathLike):
        lines, name = file_lines(Path(source)), str(source)
    else:
        lines, name = source, "the input"
    numbered = enumerate(decode(lines, name), start=1)
    rows = ((number, line) for number, line in numbered if line.strip())
    for number, line in not_empty(rows, name, "purpose and labelled turns"):
        row = _row(line, name, number)
        yield _conversation({"id": str(number), **row}, f"{name}, line {number}")


def sample(conversations: Iterable[LabelledConversation], limit: int) -> list[LabelledConversation]:
    """Return at most `limit` conversations in their order, the same ones every time.

    Those whose ids have the smallest hashes are taken, so that files in any order are sampled
    fairly.

    Args:
        conversations: Read once; no more than `limit` are held.
        limit: At least 1.

    Raises:
        InvalidInputError: If the limit is not a whole number of at least 1.
    """
    limit = check_count("limit", limit)
    hashed = ((_hash(each.id), place, each) for place, each in enumerate(conversations))
    return [each for _, _, each in sorted(heapq.nsmallest(limit, hashed), key=itemgetter(1))]


def _hash(name: str) -> str:
    return hashlib.sha1(name.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def _row(line: str, name: str, number: int) -> dict[str, Any]:
    row = parse_json(line, name, number)
    if not isinstance(row, dict):
        message = (
            f"{name}, line {number} holds {shown(row)}; write one object with purpose and "
            "turns a line."
        )
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
        message = (
            f"{where}{reason_of(error)}. A row is an object with purpose and turns, each turn with "
            "user, assistant and label."
        )
        raise InvalidInputError(message) from error


def reason_of(error: ValidationError) -> str:
    """Return where in the row the first error is, what it is and what stands there."""
    found = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in found["loc"])
    about = f", {place}: " if place else ": "
    reason = found["msg"].removeprefix("Value error, ")
    if found["type"] in ("missing", "value_error"):
        return f"{about}{reason}"
    return f"{about}{reason}, not {shown(found['input'])}"


def _with_labels(turns: object, labels: object, where: str) -> list[object]:
    """Return the turns with the labels that stand beside them."""
    if not isinstance(turns, list) or not isinstance(labels, list):
        message = f"{where}: turns and labels must be lists, not {shown(turns)}, {shown(labels)}."
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
            f"{where}: a turn is labelled {shown(turn['label'])} and in labels {shown(label)}; "
            "keep one of the two."
        )
        raise InvalidInputError(message)
    return {**turn, "label": label}


def shown(value: object) -> str:
    """Return a value as a short text for a message."""
    text = reprlib.repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
