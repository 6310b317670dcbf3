"""How tool calls are guarded."""

import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from numbers import Real
from typing import Literal, TypedDict, get_args

from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.policy import resolve_policy
from langchain_drift.mistakes.settings import Policy
from langchain_drift.tool_guard.outcome import Failed, has_error_status
from langchain_drift.tool_guard.place import ScopeOf

OnError = Literal["fail_open", "fail_closed"]
Successes = Literal["after_failure", "all", "none"]


class ToolGuardOptions(TypedDict, total=False):
    """What can be set of a guard of tool calls.

    Attributes:
        policy: What is done with warnings; by default that of the guard's settings. `warn` adds
            them to the result that the model reads, `block` answers the call in the place of the
            tool, `acknowledge` asks a person (only in an agent's middleware), `record_only` does
            not look.
        min_confidence: Lowest confidence at which a warning stops a call, 0 to 1; by default that
            of the guard's settings.
        scope: Whose memory is asked and told: a scope, or a function such as `user_scope`.
        tools: Names of the tools to guard; None for all.
        exclude_tools: Names of tools that are left alone.
        failed: Tells by a tool message whether the call failed; by default its status does.
        successes: Which successes are told: those of calls that were warned of or whose tool
            failed before in the run (`after_failure`), `all`, or `none`. Under `record_only`
            nothing is looked up, so `after_failure` then tells all.
        nudge_after: At how many times the same the model is told that a call does not get on;
            None for never. At least 2.
        stop_after: After how many times the same in a row a call is not run again; None for
            never. At least 2.
        on_error: What happens to a call if the memory cannot be asked, or not in time: it is run
            (`fail_open`), or answered with an error (`fail_closed`).
        timeout: How long a call waits for its review, and as long again until what came of it is
            told, in seconds; None for as long as it takes. What is told late is kept all the same.
    """

    policy: Policy | None
    min_confidence: float | None
    scope: ScopeOf
    tools: Collection[str] | None
    exclude_tools: Collection[str]
    failed: Failed
    successes: Successes
    nudge_after: int | None
    stop_after: int | None
    on_error: OnError
    timeout: float | None


@dataclass(frozen=True, slots=True)
class Options:
    """The same, checked and complete; see `ToolGuardOptions`."""

    policy: Policy | None = None
    min_confidence: float | None = None
    scope: ScopeOf = None
    tools: Collection[str] | None = None
    exclude_tools: Collection[str] = field(default_factory=frozenset)
    failed: Failed = has_error_status
    successes: Successes = "after_failure"
    nudge_after: int | None = 3
    stop_after: int | None = 6
    on_error: OnError = "fail_open"
    timeout: float | None = 5.0

    def __post_init__(self) -> None:
        resolve_policy(
            "warn" if self.policy is None else self.policy,
            0.0 if self.min_confidence is None else self.min_confidence,
            acknowledged=False,
            raise_on_match=False,
        )
        for name in ("tools", "exclude_tools"):
            _check_names(name, getattr(self, name))
        _check_choice("successes", self.successes, get_args(Successes))
        _check_choice("on_error", self.on_error, get_args(OnError))
        for name in ("nudge_after", "stop_after"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name), least=2)
        if self.timeout is not None:
            _check_seconds(self.timeout)

    def guards(self, tool: str) -> bool:
        """Tell whether the calls of a tool are guarded."""
        return (self.tools is None or tool in self.tools) and tool not in self.exclude_tools


def _check_names(name: str, given: object) -> None:
    if given is None:
        return
    if isinstance(given, str) or not isinstance(given, Collection):
        message = f"{name} must be a list of names of tools, not {given!r:.80}."
        raise InvalidInputError(message)
    wrong = next((one for one in given if not isinstance(one, str)), None)
    if wrong is not None:
        message = f"{name} must hold names of tools, not {wrong!r:.80}."
        raise InvalidInputError(message)


def _check_choice(name: str, given: object, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        message = f"{name} is {given!r:.80}, but must be one of {', '.join(allowed)}."
        raise InvalidInputError(message)


def _check_seconds(given: float) -> None:
    is_number = isinstance(given, Real) and not isinstance(given, bool)
    if not is_number or not 0 < given <= threading.TIMEOUT_MAX:
        message = f"timeout is {given!r:.80}, but must be a number of seconds above 0, or None."
        raise InvalidInputError(message)
