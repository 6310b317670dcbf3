"""Asking a person about steps that failed before: what they are shown, and what they may answer.

The words are those of LangChain's human in the loop: `approve`, `edit`, `reject`. What is asked
about stands in the state before anybody is asked, so the question is the same at every resume.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from langchain_core.runnables import RunnableConfig
from langgraph.constants import CONFIG_KEY_CHECKPOINTER
from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field, RootModel, create_model
from typing_extensions import TypedDict

from langchain_drift.errors import InvalidInputError


class Question(TypedDict):
    """A step that a person is asked about.

    Attributes:
        id: The id of the tool call, or `action`.
        name: The tool, or `action`.
        args: Its arguments, or the action in words.
        warnings: See `MistakeWarning`, as plain JSON.
        reinforcements: See `Reinforcement`, as plain JSON.
        description: The same in words.
    """

    id: str
    name: str
    args: dict[str, Any] | str
    warnings: list[dict[str, Any]]
    reinforcements: list[dict[str, Any]]
    description: str


class Answer(TypedDict, total=False):
    """What a person decided.

    Attributes:
        type: What it is.
        message: Why it was rejected.
        edited_action: What is to run instead, as `{"name": …, "args": {…}}`; an action in words
            as a string.
    """

    type: Literal["approve", "edit", "reject"]
    message: str
    edited_action: dict[str, Any] | str


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Approve(_Strict):
    """A person agrees."""

    type: Literal["approve"]


class _EditType(_Strict):
    type: Literal["edit"]


class Reject(_Strict):
    """A person does not agree."""

    type: Literal["reject"]
    message: str | None = None


def describe(warnings: Sequence[Mapping[str, Any]]) -> str:
    """Return warnings in words, for a person."""
    lines = []
    for warning in warnings:
        times = "once" if warning["frequency"] == 1 else f"{warning['frequency']} times"
        sure = f"confidence {warning['confidence']:.2f}"
        lines.append(f"{warning['trigger']} failed {times}: {warning['risk']} ({sure})")
    return "\n".join(lines)


def ask_person(questions: Sequence[Question], config: RunnableConfig) -> dict[str, Answer]:
    """Interrupt the run once for all questions; return the decisions by id when it is resumed.

    A person answers `{"decisions": {id: decision, …}}`, or `{"decisions": [decision, …]}` in the
    order of the questions as to LangChain's own middleware; about a single step the decision alone
    does. An edit cannot change the tool. Any other answer is refused with
    `pydantic.ValidationError` and can be given again.

    Args:
        questions: What is asked, at least one.
        config: The config of the run.

    Raises:
        InvalidInputError: If the run has no checkpointer: it could never be resumed.
    """
    if not (config.get("configurable") or {}).get(CONFIG_KEY_CHECKPOINTER):
        message = (
            "A person is to be asked, but the graph has no checkpointer, so it could not be "
            "resumed. Compile it with `checkpointer=…`, or choose the policy `warn` or `block`."
        )
        raise InvalidInputError(message)
    schema = cast("type[Any]", make_schema(questions))
    return _by_id(interrupt(make_request(questions), response_schema=schema), questions)


def make_request(questions: Sequence[Question]) -> dict[str, Any]:
    """Return what a person is shown; `action_requests` and `review_configs` are as LangChain's."""
    decisions = ["approve", "edit", "reject"]
    requests = [
        {"name": one["name"], "args": one["args"], "description": one["description"]}
        for one in questions
    ]
    configs = [{"action_name": one["name"], "allowed_decisions": decisions} for one in questions]
    return {
        "type": "mistake_guard",
        "action_requests": requests,
        "review_configs": configs,
        "calls": [dict(one) for one in questions],
    }


def make_schema(questions: Sequence[Question]) -> object:
    """Return the type of the answers to some questions."""
    decisions = [_decision(one) for one in questions]
    # Fields are numbered, for an id need not be a name in Python.
    fields: dict[str, Any] = {
        f"call_{number}": (decision, Field(alias=one["id"]))
        for number, (one, decision) in enumerate(zip(questions, decisions, strict=True))
    }
    by_id = create_model("DecisionsById", __base__=_Strict, **fields)
    # A subclass, so that the schema that people see has a plain name in it.
    listed = cast("Any", RootModel)[tuple[tuple(decisions)]]  # type: ignore[misc] # made here
    in_order = type("DecisionsInOrder", (listed,), {"__module__": __name__})
    forms = cast("Any", by_id | in_order)
    whole = create_model("GuardAnswer", __base__=_Strict, decisions=(forms, ...))
    return whole if len(questions) > 1 else whole | decisions[0]


def _decision(question: Question) -> Any:  # noqa: ANN401 - a type
    """Return the type of what can be decided about a step."""
    if isinstance(question["args"], str):
        edited: Any = Annotated[str, Field(min_length=1)]
    else:
        name = Literal[question["name"]]  # type: ignore[valid-type] # made here
        edited = create_model(
            "EditedAction", __base__=_Strict, name=(name, ...), args=(dict[str, Any], ...)
        )
    edit = create_model("Edit", __base__=_EditType, edited_action=(edited, ...))
    return Annotated[Approve | edit | Reject, Field(discriminator="type")]


def _by_id(answer: Any, questions: Sequence[Question]) -> dict[str, Answer]:  # noqa: ANN401 - the type is made above
    decisions = getattr(answer, "decisions", None)
    if decisions is None:
        given: Sequence[BaseModel] = [answer]
    elif isinstance(decisions, RootModel):
        given = decisions.root
    else:
        given = [getattr(decisions, f"call_{number}") for number in range(len(questions))]
    plain = [cast("Answer", one.model_dump(exclude_none=True)) for one in given]
    return {one["id"]: decision for one, decision in zip(questions, plain, strict=True)}
