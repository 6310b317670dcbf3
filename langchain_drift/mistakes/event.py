"""One observation: an action, what came back, and what it led to."""

from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import uuid4

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from langchain_drift.mistakes.scope import Scope

Kind = Literal["mistake", "success"]
LONGEST_ACTION = 1_000_000
LONGEST_REPLY = 20_000
_LONGEST_NAME = 512


def storable(text: str) -> str:
    """Return a text that every store can hold: half characters and NUL are written out."""
    text = text.replace("\x00", "\\x00")
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _shortened(text: str) -> str:
    """Cut what a tool said in the middle: its head and its end say what went wrong."""
    text = storable(text)
    left_out = len(text) - LONGEST_REPLY
    if left_out <= 0:
        return text
    half = LONGEST_REPLY // 2
    return f"{text[:half]} [… {left_out} characters left out …] {text[-half:]}"


def _not_blank(text: str) -> str:
    if not text.strip():
        message = "it is blank; leave it out or give a name"
        raise ValueError(message)
    return text


Name = Annotated[str, AfterValidator(storable), Field(max_length=_LONGEST_NAME)]
Reply = Annotated[str, AfterValidator(_shortened)]
Action = Annotated[str, Field(max_length=LONGEST_ACTION), AfterValidator(storable)]


class Event(BaseModel):
    """One observation of a mistake or a success; it is never changed.

    Attributes:
        event_id: Its identity within its scope: an event whose id was seen there counts once.
        kind: `mistake` or `success`.
        scope: Whose memory it belongs to.
        action: What was done, in the words it was given in; a tool call as `name {json}`. May be
            empty: a step without input.
        feedback: What came back, such as an error message; the middle of more than 20,000
            characters is left out. May be empty.
        outcome: What it led to, likewise. May be empty.
        at: When it happened; in UTC.
        hypothesis: A guess nobody checked; it warns but cannot block.
        source: Where it comes from, such as a thread or run; empty for unknown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    event_id: Annotated[Name, AfterValidator(_not_blank)] = Field(
        default_factory=lambda: uuid4().hex
    )
    kind: Kind = "mistake"
    scope: Scope = Field(default_factory=Scope)
    action: Action
    feedback: Reply = ""
    outcome: Reply = ""
    at: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC))
    hypothesis: bool = False
    source: Name = ""
