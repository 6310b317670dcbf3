"""What the handler can be asked for, checked at the door."""

import inspect
import threading
from collections.abc import Callable, Iterable
from numbers import Real

from langsmith import Client

from langchain_drift.callbacks.publisher import FeedbackClient, OnTurn, Outlets
from langchain_drift.characters import whole_characters
from langchain_drift.conversation.scorer import DriftScorer
from langchain_drift.conversation.strategy import Strategy
from langchain_drift.conversation.turn import FewShotExample
from langchain_drift.errors import InvalidInputError

WHERE_BLOCKING_WORKS = (
    "A callback handler watches beside the run and cannot stop it: LangChain swallows what it "
    "raises, depending on how the run is called. Blocking works inside the run: in agent "
    "middleware (after_model, wrap_model_call) or in a graph node, with a DriftScorer there."
)
_OUTLETS = ("event", "stream")


def refuse_blocking(*, raise_error: object, policy: object) -> None:
    """Refuse what a callback handler cannot do.

    Raises:
        InvalidInputError: If errors shall be raised or the policy is not `observe`.
    """
    if raise_error:
        message = f"raise_error is {raise_error!r}. {WHERE_BLOCKING_WORKS}"
        raise InvalidInputError(message)
    if policy != "observe":
        message = f"policy is {policy!r}; a handler only knows 'observe'. {WHERE_BLOCKING_WORKS}"
        raise InvalidInputError(message)


def examples(given: Iterable[FewShotExample] | None) -> tuple[FewShotExample, ...]:
    """Return few-shot examples that may be left out; what they hold is checked by the scorer.

    Raises:
        InvalidInputError: If it is no collection.
    """
    if not isinstance(given, Iterable | None):
        message = f"few_shot_examples must be a list of FewShotExample objects, not {given!r}."
        raise InvalidInputError(message)
    return tuple(given or ())


def the_scorer(
    system_prompt: str | DriftScorer | None,
    scorer: DriftScorer | None,
    few_shot_examples: tuple[FewShotExample, ...],
    strategy: Strategy | None,
) -> DriftScorer | None:
    """Return the scorer of all conversations; None if each has its own.

    Raises:
        InvalidInputError: If the parameters exclude one another or are of the wrong kind.
    """
    if isinstance(system_prompt, DriftScorer):
        if scorer is not None:
            message = "A scorer was given twice: as the first argument and as scorer."
            raise InvalidInputError(message)
        system_prompt, scorer = None, system_prompt
    if scorer is None:
        # Made even without a prompt, to check examples and strategy now and not at a first turn.
        prompt = "" if system_prompt is None else system_prompt
        made = DriftScorer(prompt, few_shot_examples, strategy=strategy)
        return made if system_prompt is not None else None
    if not isinstance(scorer, DriftScorer):
        message = f"scorer must be a DriftScorer, not {scorer!r}."
        raise InvalidInputError(message)
    if system_prompt is not None or few_shot_examples or strategy is not None:
        message = "A scorer has its own system_prompt, few_shot_examples and strategy; leave them."
        raise InvalidInputError(message)
    return scorer


def outlets(
    publish: Iterable[str], *, on_turn: OnTurn | None, langsmith: bool | FeedbackClient
) -> Outlets:
    """Return where results go.

    Raises:
        InvalidInputError: If an outlet is unknown or no function or client.
    """
    chosen = names("publish", [publish] if isinstance(publish, str) else publish)
    unknown = chosen.difference(_OUTLETS)
    if unknown:
        message = f"publish must name {' or '.join(_OUTLETS)}, not {sorted(unknown)}."
        raise InvalidInputError(message)
    if on_turn is not None and (not callable(on_turn) or _is_async(on_turn)):
        message = (
            f"on_turn must be a plain function, not {on_turn!r}; from it, schedule a coroutine "
            "with asyncio.run_coroutine_threadsafe."
        )
        raise InvalidInputError(message)
    return Outlets("event" in chosen, "stream" in chosen, on_turn, _client(langsmith))


def seconds(field: str, value: float) -> float:
    """Return a number of seconds that one can wait.

    Raises:
        InvalidInputError: If it is none.
    """
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= threading.TIMEOUT_MAX:
        message = f"{field} is {value!r:.80}, but must be a number of seconds, 0 or more."
        raise InvalidInputError(message)
    return float(value)


def name(field: str, value: object) -> str | None:
    """Return a name that may be left out.

    Raises:
        InvalidInputError: If it is an empty string or no string.
    """
    if value is not None and (not isinstance(value, str) or not value):
        message = f"{field} must be a name as a string, not {value!r}."
        raise InvalidInputError(message)
    return value and whole_characters(value)


def names(field: str, given: Iterable[str] | None) -> frozenset[str]:
    """Return names that may be left out.

    Raises:
        InvalidInputError: If it is a single string or holds something else than strings.
    """
    if isinstance(given, str | bytes) or not isinstance(given, Iterable | None):
        message = f"{field} must be a list of names, not {given!r}."
        raise InvalidInputError(message)
    found = tuple(given or ())
    wrong = [item for item in found if not isinstance(item, str)]
    if wrong:
        message = f"{field} must hold names, not {wrong[0]!r}."
        raise InvalidInputError(message)
    return frozenset(found)


def _is_async(function: Callable[..., object]) -> bool:
    called = getattr(type(function), "__call__", None)  # noqa: B004 - its kind, not whether
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


def _client(langsmith: bool | FeedbackClient) -> FeedbackClient | None:  # noqa: FBT001 - private
    if isinstance(langsmith, bool):
        return Client() if langsmith else None
    if not callable(getattr(langsmith, "create_feedback", None)):
        message = f"langsmith must be True, False or a LangSmith client, not {langsmith!r}."
        raise InvalidInputError(message)
    return langsmith
