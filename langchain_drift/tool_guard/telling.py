"""What a memory is told of a call that has run; pure."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from langchain_drift.mistakes.event import Kind
from langchain_drift.mistakes.terms import words_of
from langchain_drift.tool_guard.event_ids import instead_of, make_event_id
from langchain_drift.tool_guard.history import Call
from langchain_drift.tool_guard.options import Successes
from langchain_drift.tool_guard.outcome import Outcome
from langchain_drift.tool_guard.repetition import failures_of

_SHARED: Final = 0.15


class Told(NamedTuple):
    """An event as it is told to a guard.

    Attributes:
        kind: Whether it failed.
        action: The call.
        feedback: What came back, of a failure.
        outcome: What a success came instead of.
        event_id: The same whenever the same call is told again.
        source: The thread.
    """

    kind: Kind
    action: dict[str, Any]
    feedback: str
    outcome: str
    event_id: str
    source: str


def what_to_tell(  # noqa: PLR0913 - what is known of a call
    call: Call,
    outcome: Outcome | None,
    *,
    past: Sequence[Call],
    thread_id: str | None,
    looked_up: bool,
    warned: bool,
    successes: Successes,
) -> Told | None:
    """Return what a memory is to be told of a call, None for nothing.

    A failure is told with what came back. What a success gave is not kept, for it may be private.

    Args:
        call: The call.
        outcome: What came of it; None if that is not known.
        past: The calls of the run before it.
        thread_id: The thread of the run.
        looked_up: Whether the memory was asked about the call.
        warned: Whether it had a warning.
        successes: Which successes are told.
    """
    if outcome is None:
        return None
    source = thread_id or ""
    name = _name("mistake" if outcome.failed else "success", call, thread_id)
    if outcome.failed:
        return Told("mistake", call.action, outcome.text, "", name, source)
    if successes == "none":
        return None
    failures = failures_of(call.name, past)
    replaced = next((one for one in reversed(failures) if _resembles(one, call)), None)
    if replaced:
        if replaced.message_id is not None:
            name = instead_of(_name("mistake", replaced, thread_id))
        text = f"worked instead of {replaced.read.text}"
        return Told("success", call.action, "", text, name, source)
    due = successes == "all" or not looked_up or failures or warned
    return Told("success", call.action, "", "", name, source) if due else None


def _name(kind: Kind, call: Call, thread_id: str | None) -> str:
    return make_event_id(kind, thread_id, call.message_id or call.read.key, call.call_id)


def _resembles(failure: Call, call: Call) -> bool:
    """Tell whether a call is another try at what failed: its values share words with it."""
    if failure.read.key == call.read.key:
        return False
    words, others = words_of(failure.read.values), words_of(call.read.values)
    return len(words & others) > _SHARED * len(words | others)
