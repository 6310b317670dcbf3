"""Judges that wrap models which score pairs of texts, or mark spans."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_drift.retrieval.judge import JudgeVerdict


class PairJudge:
    """Judges with a model that scores pairs of source and claim, such as HHEM.

    Args:
        predict: Takes pairs of source text and claim; returns for each how consistent the two
            are, 0 to 1: the `predict` of HHEM, a cross-encoder with a sigmoid.
    """

    def __init__(self, predict: Callable[[list[tuple[str, str]]], Any]) -> None:
        self.predict = predict

    def judge(self, question: str, chunks: Sequence[str], answer: str) -> JudgeVerdict:
        """Score the answer against all chunks together."""
        del question
        (consistency,) = [float(x) for x in self.predict([("\n\n".join(chunks), answer)])]
        return JudgeVerdict(drift_score=1 - consistency)

    async def ajudge(self, question: str, chunks: Sequence[str], answer: str) -> JudgeVerdict:
        """Score in a thread; see `judge`."""
        return await asyncio.to_thread(self.judge, question, chunks, answer)


class SpanJudge:
    """Judges with a model that marks unsupported spans, such as LettuceDetect.

    The score is the share of the answer's characters that it marks, but at least the confidence
    in the surest span.

    Args:
        predict: Takes `context`, `question` and `answer` by keyword; returns spans as mappings
            with `start`, `end` and, if known, `confidence`.
        options: More keyword arguments for it, such as `output_format="spans"`.
    """

    def __init__(
        self, predict: Callable[..., Sequence[Mapping[str, Any]]], **options: object
    ) -> None:
        self.predict = predict
        self.options = options

    def judge(self, question: str, chunks: Sequence[str], answer: str) -> JudgeVerdict:
        """Mark the spans of the answer that the chunks do not carry."""
        spans = self.predict(context=list(chunks), question=question, answer=answer, **self.options)
        marked = {place for span in spans for place in range(int(span["start"]), int(span["end"]))}
        surest = max((float(span.get("confidence", 1)) for span in spans), default=0.0)
        return JudgeVerdict(
            drift_score=max(surest, len(marked) / max(1, len(answer))),
            unsupported=tuple(answer[int(span["start"]) : int(span["end"])] for span in spans),
        )

    async def ajudge(self, question: str, chunks: Sequence[str], answer: str) -> JudgeVerdict:
        """Mark in a thread; see `judge`."""
        return await asyncio.to_thread(self.judge, question, chunks, answer)
