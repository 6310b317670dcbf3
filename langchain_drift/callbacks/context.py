"""The handler for everything that runs inside a `with` block."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from langchain_core.tracers.context import register_configure_hook

from langchain_drift.callbacks.handler import DriftCallbackHandler

P = ParamSpec("P")
R = TypeVar("R")

_current: ContextVar[DriftCallbackHandler | None] = ContextVar("langchain_drift", default=None)
# Once, as the module loads: LangChain never lets go of a hook.
register_configure_hook(_current, inheritable=True)


def _with_parameters_of(
    other: Callable[P, object],
) -> Callable[[Callable[..., R]], Callable[P, R]]:
    def show(function: Callable[..., R]) -> Callable[P, R]:
        function.__signature__ = inspect.signature(other)  # type: ignore[attr-defined] # for help()
        return function

    return show


@_with_parameters_of(DriftCallbackHandler)
@contextmanager
def get_drift_callback(*args: Any, **options: Any) -> Iterator[DriftCallbackHandler]:  # noqa: ANN401 - the parameters are the handler's
    """Watch every chain, agent and graph that is run inside the `with` block.

    Tasks and LangChain's own threads started inside are watched too; a plain `threading.Thread`
    is not. Of nested blocks the innermost watches.

    Args:
        *args: What `DriftCallbackHandler` takes.
        **options: What `DriftCallbackHandler` takes.

    Yields:
        The handler; its turns can be read after the block too.

    Raises:
        InvalidInputError: If a parameter has a value it cannot take.

    Example:
        ```python
        with get_drift_callback(system_prompt="You are a banking assistant.") as drift:
            chain.invoke("What is my balance?")
        drift.turns[-1].drift.score
        ```
    """
    handler = DriftCallbackHandler(*args, **options)
    token = _current.set(handler)
    try:
        yield handler
    finally:
        _current.reset(token)
