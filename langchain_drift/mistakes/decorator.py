"""A decorator that asks a guard before each call of a function."""

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar, cast

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.action import ActionLike
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.recording import ScopeLike
from langchain_drift.mistakes.review import GuardReview
from langchain_drift.mistakes.settings import Policy

P = ParamSpec("P")
R = TypeVar("R")
_NAMES = ("context", "task", "prompt", "action")


def guard_step(  # noqa: PLR0913 - the published parameters and the scope
    guard: DriftGuard,
    *,
    input_getter: Callable[..., ActionLike] | None = None,
    scope: ScopeLike = None,
    min_confidence: float | None = None,
    raise_on_match: bool = False,
    policy: Policy | None = None,
    acknowledged_getter: Callable[..., bool] | None = None,
    on_review: Callable[[GuardReview], object] | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Ask a guard before each call of a function or method, sync or async.

    The action is what `input_getter` returns; else the argument named `context`, `task`, `prompt`
    or `action`, in this order; else the first argument that is a string or a tool call, `self`
    aside.

    Args:
        guard: The guard.
        input_getter: Makes the action of the arguments of the call.
        scope: Whose memory to ask.
        min_confidence: See `DriftGuard.before_step`.
        raise_on_match: See there.
        policy: See there.
        acknowledged_getter: Tells by the arguments of the call whether it is acknowledged.
        on_review: Called with each review that lets the call pass.

    Raises:
        InvalidInputError: At the call, if there is no action in its arguments.

    Example:
        ```python
        @guard_step(guard, policy="block")
        def execute(action: str) -> str: ...
        ```
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        def ask(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
            action = input_getter(*args, **kwargs) if input_getter else None
            return {
                "context": _find_action(signature, args, kwargs) if action is None else action,
                "scope": scope,
                "min_confidence": min_confidence,
                "raise_on_match": raise_on_match,
                "policy": policy,
                "acknowledged": bool(acknowledged_getter and acknowledged_getter(*args, **kwargs)),
            }

        @functools.wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            _tell(on_review, guard.before_step(**ask(args, kwargs)))
            return function(*args, **kwargs)

        @functools.wraps(function)
        async def aguarded(*args: P.args, **kwargs: P.kwargs) -> Any:  # noqa: ANN401 - awaited R
            _tell(on_review, await guard.abefore_step(**ask(args, kwargs)))
            return await cast("Awaitable[Any]", function(*args, **kwargs))

        is_async = inspect.iscoroutinefunction(function)
        return cast("Callable[P, R]", aguarded) if is_async else guarded

    return decorate


def _tell(on_review: Callable[[GuardReview], object] | None, review: GuardReview) -> None:
    if on_review:
        on_review(review)


def _find_action(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> ActionLike:
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    for name in _NAMES:
        if _is_action(bound.arguments.get(name)):
            return cast("ActionLike", bound.arguments[name])
    for value in bound.arguments.values():
        if _is_action(value):
            return cast("ActionLike", value)
    message = (
        f"No argument of {signature} is an action: name it {', '.join(_NAMES)}, pass a string, or "
        "give `input_getter`."
    )
    raise InvalidInputError(message)


def _is_action(value: object) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, dict) and "name" in value
