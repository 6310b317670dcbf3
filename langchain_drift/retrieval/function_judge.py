"""A function as a judge."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from numbers import Real

from langchain_drift.errors import InvalidInputError
from langchain_drift.retrieval.judge import JudgeVerdict

JudgeFunction = Callable[
    [str, Sequence[str], str],
    "JudgeVerdict | float | bool | Awaitable[JudgeVerdict | float | bool]",
]
"""Takes question, chunks and answer; returns a verdict, a drift score, or whether it drifted."""


class FunctionJudge:
    """Judges with a function, see `as_judge`; a plain one runs in a thread where it may block."""

    def __init__(self, function: JudgeFunction) -> None:
        self.function = function

    def judge(self, question: str, chunks: Sequence[str], answer: str) -> JudgeVerdict:
        """Call the function; a coroutine is run to its end."""
        found = self.function(question, chunks, answer)
        if inspect.isawaitable(found):
            return _verdict(asyncio.run(_wait(found)))
        return _verdict(found)

    async def ajudge(self, question: str, chunks: Sequence[str], answer: str) -> JudgeVerdict:
        """Call the function, or wait for its coroutine."""
        if inspect.iscoroutinefunction(self.function):
            return _verdict(await self.function(question, chunks, answer))
        found = await asyncio.to_thread(self.function, question, chunks, answer)
        return _verdict(await found if inspect.isawaitable(found) else found)


def _verdict(found: object) -> JudgeVerdict:
    if isinstance(found, JudgeVerdict):
        return found
    if isinstance(found, Real):
        return JudgeVerdict(drift_score=float(found))
    message = (
        f"The judge returned {found!r:.80}; return a JudgeVerdict, a drift score from 0 to 1, or "
        "whether the answer drifted."
    )
    raise InvalidInputError(message)


async def _wait(found: Awaitable[object]) -> object:
    return await found
