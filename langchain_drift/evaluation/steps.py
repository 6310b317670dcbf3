"""Labelled steps of agents: what was done, what came of it, and whether it could be foreseen."""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from langchain_drift.errors import InvalidInputError
from langchain_drift.evaluation.labelled import reason_of, shown
from langchain_drift.json_lines import file_lines, not_empty, read_values
from langchain_drift.mistakes.action import ActionLike


class LabelledStep(BaseModel):
    """A step of an agent with its label.

    Attributes:
        trace: The run it belongs to; the steps of a run stand together, in their order.
        env: Where it ran, such as a database or a machine: the scope of its memory.
        action: What was done; text, or a tool call `{"name": …, "args": {…}}`.
        feedback: What came back.
        outcome: What it led to.
        failed: Whether it failed.
        should_warn: 1 if it fails as an earlier run in the same place did, 0 if it succeeds and
            never failed before, None if nobody can say: a first failure, or a contradiction.
        repeat: What kind of repeat it is, such as `exact`; figures are given for each kind.
    """

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    trace: str
    env: str = Field(default="", max_length=512)
    action: str | dict[str, Any]
    feedback: str = ""
    outcome: str = ""
    failed: bool
    should_warn: Literal[0, 1] | None
    repeat: str | None = None

    @property
    def told(self) -> tuple[ActionLike, str, str]:
        """What a memory is told of it: action, feedback and outcome."""
        return self.action, self.feedback, self.outcome


def read_labelled_steps(path: str | PathLike[str]) -> Iterator[LabelledStep]:
    """Yield the labelled steps of a JSONL file, as `LabelledStep` has them; other keys are ignored.

    Raises:
        InvalidInputError: If a line holds no labelled step, which the error names, or there is
            none.
    """
    values = read_values(file_lines(Path(path)), str(path))
    for where, value in not_empty(values, str(path), "trace, action and should_warn"):
        for row in value if isinstance(value, list) else [value]:
            if not isinstance(row, dict):
                message = f"{where} holds {shown(row)}; write one object with trace and action."
                raise InvalidInputError(message)
            try:
                yield LabelledStep.model_validate(row)
            except ValidationError as error:
                message = f"{where}{reason_of(error)}. Correct the row."
                raise InvalidInputError(message) from error
