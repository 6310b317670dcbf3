"""The adapter: whatever can judge, made a `Judge`."""

from typing import cast

from langchain_core.language_models import BaseChatModel

from langchain_drift.errors import InvalidInputError
from langchain_drift.retrieval.chat_judge import ChatModelJudge
from langchain_drift.retrieval.function_judge import FunctionJudge, JudgeFunction
from langchain_drift.retrieval.judge import Judge


def as_judge(judge: object) -> Judge:
    """Return a judge for anything that can judge.

    Args:
        judge: A `Judge`; a LangChain chat model with structured output; or a function of
            question, chunks and answer that returns a `JudgeVerdict`, a drift score from 0 to 1,
            or whether the answer drifted, plain or as a coroutine.

    Raises:
        InvalidInputError: If it is none of these.
    """
    if isinstance(judge, BaseChatModel):
        return ChatModelJudge(judge)
    if isinstance(judge, Judge):
        return judge
    if callable(judge) and not isinstance(judge, type):
        return FunctionJudge(cast("JudgeFunction", judge))
    message = (
        f"{judge!r:.80} cannot judge. Pass a chat model, a judge with `judge` and `ajudge`, or a "
        "function of question, chunks and answer that returns a drift score from 0 to 1."
    )
    raise InvalidInputError(message)
