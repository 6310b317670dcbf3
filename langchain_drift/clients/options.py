"""What `wrap` can be asked for, checked at the door."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from langchain_drift.clients.turn import ClientTurn
from langchain_drift.conversation.scorer import ExplainFunction
from langchain_drift.conversation.strategy import Strategy
from langchain_drift.conversation.turn import FewShotExample
from langchain_drift.errors import InvalidInputError
from langchain_drift.sessions.summarize import Summarizer
from langchain_drift.tracker import DriftTracker

OnTurn = Callable[[ClientTurn], object]
"""Is called with each turn once it is scored."""

_OURS = ("self", "system_prompt", "few_shot_examples", "session_id")
_ONCE = ("strategies", "decay_rate", "window_size", "off_topic_marker")


class TrackerOptions(TypedDict, total=False):
    """Parameters of `DriftTracker` that `wrap` passes on."""

    mode: Literal["always", "ondemand"]
    strategies: Sequence[Strategy] | None
    decay_rate: float | None
    window_size: int | None
    strip_md: bool
    off_topic_marker: str | None
    explain_fn: ExplainFunction | None
    max_summary_sessions: int
    summarize_fn: Summarizer | None
    frozen: bool
    max_tokens: int | None
    token_counter: object


_ONE_FILE = {"persist", "persist_path"}


@dataclass(frozen=True)
class Trackers:
    """Makes the trackers of conversations, all with one strategy: it holds no conversation.

    Attributes:
        prompt: The system prompt of all; None where each request has its own.
        examples: Exchanges that show the purpose.
        options: The further parameters of a tracker.
    """

    prompt: str | None
    examples: tuple[FewShotExample, ...]
    options: Mapping[str, Any]

    @classmethod
    def of(
        cls, prompt: str | None, examples: Iterable[FewShotExample] | None, given: Mapping[str, Any]
    ) -> "Trackers":
        """Check everything by making a first tracker.

        Raises:
            InvalidInputError: If a parameter is unknown or has a value it cannot take.
        """
        parameters = inspect.signature(DriftTracker.__init__).parameters
        known = [name for name in parameters if name not in _OURS]
        unknown = [name for name in given if name not in known]
        if unknown:
            message = (
                f"wrap() has no parameter {unknown[0]!r}. Beside its own it takes those of "
                f"DriftTracker: {', '.join(known)}."
            )
            raise InvalidInputError(message)
        if not isinstance(examples, Iterable | None):
            message = (
                f"few_shot_examples must be a list of FewShotExample objects, not {examples!r}."
            )
            raise InvalidInputError(message)
        if _ONE_FILE & set(given):
            message = (
                f"{' and '.join(sorted(_ONE_FILE & set(given)))} keeps one conversation in one "
                "file, and a wrapped client has many; keep a DriftTracker(persist=True) of your "
                "own for that."
            )
            raise InvalidInputError(message)
        held = tuple(examples or ())
        first = DriftTracker("" if prompt is None else prompt, held, **given)
        rest = {name: value for name, value in given.items() if name not in _ONCE}
        return cls(prompt, held, {**rest, "strategies": [first.scorer.strategy]})

    def make(self, system: str | None, name: str) -> DriftTracker:
        """Make the tracker of a conversation of its own system prompt and its name."""
        prompt = self.prompt if self.prompt is not None else system or ""
        return DriftTracker(prompt, self.examples, session_id=name, **self.options)


def on_turn(given: OnTurn | None) -> OnTurn | None:
    """Return a function to call with turns that may be left out.

    Raises:
        InvalidInputError: If it is no plain function.
    """
    if given is not None and (not callable(given) or inspect.iscoroutinefunction(given)):
        message = (
            f"on_turn must be a plain function, not {given!r}; from it, schedule a coroutine "
            "with asyncio.run_coroutine_threadsafe."
        )
        raise InvalidInputError(message)
    return given
