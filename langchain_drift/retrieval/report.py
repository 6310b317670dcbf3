"""The report: whether an answer stands on its chunks, and what that verdict stands on."""

from collections.abc import Iterator
from numbers import Real
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict

from langchain_drift.errors import InvalidInputError
from langchain_drift.retrieval.relevance import average_precision, precision
from langchain_drift.shown import html_table

Status = Literal["scored", "no_context", "abstained", "unsupported_language"]
"""What happened: scored; there was no chunk with text; the answer said that it has none, or was
empty; the embedder does not read the language."""

Method = Literal["semantic", "lexical", "jaccard", "judge"]
"""How an answer was judged."""

UNDECIDED = 0.5
"""The score where there is no evidence either way."""

_RELEVANT = 0.5


class DriftSignals(BaseModel):
    """The three arrows, each 0 (nothing in common) to 1; None where an end of it is missing.

    They can be read by attribute and by key: `signals["answer_to_context"]`.

    Attributes:
        intent_to_context: How well the chunks fit the question.
        answer_to_context: How well the chunks carry the answer.
        answer_to_intent: How well the answer fits the question.
    """

    model_config = ConfigDict(frozen=True)

    intent_to_context: float | None
    answer_to_context: float | None
    answer_to_intent: float | None

    def __getitem__(self, name: str) -> float | None:
        """Return a signal by its name."""
        if name not in type(self).model_fields:
            raise KeyError(name)
        found: float | None = getattr(self, name)
        return found

    def keys(self) -> Iterator[str]:
        """Yield the names, so that `dict(signals)` and `**signals` work."""
        return iter(type(self).model_fields)


class SentenceSupport(BaseModel):
    """A sentence of the answer and what carries it.

    Attributes:
        text: The sentence.
        drift_score: The probability that the chunks do not carry it, 0 to 1.
        weight: How much it counts in its answer: its content words by their rarity.
        chunk: The number of the chunk that carries it best, from 0; None if none shares a word.
        support: The sentence of that chunk that carries it best.
        unsupported: Values and names of it that no chunk holds, most telling first, then its
            other words that no chunk holds.
        contradicted: Whether it denies what `support` says, or the other way round.
        by_chunk: How like it is to what is most like it in each chunk, 0 to 1 and to three digits:
            by the meaning of its words in the semantic tier, else the share of them in one
            sentence. 0 for a chunk that was not read; empty beyond 100 chunks.
    """

    model_config = ConfigDict(frozen=True)

    text: str
    drift_score: float
    weight: float
    chunk: int | None
    support: str | None
    unsupported: tuple[str, ...]
    contradicted: bool
    by_chunk: tuple[float, ...] = ()


class ChunkRelevance(BaseModel):
    """A chunk and its part in question and answer.

    Attributes:
        index: Its number, from 0.
        relevance: How well it fits the question, 0 to 1; None without a question or text.
        sentences: How many sentences of the answer it carries best.
    """

    model_config = ConfigDict(frozen=True)

    index: int
    relevance: float | None
    sentences: int

    @property
    def is_relevant(self) -> bool:
        """Whether it fits the question."""
        return self.relevance is not None and self.relevance >= _RELEVANT


class RetrieverDriftReport(BaseModel):
    """Whether an answer drifted away from the question and the retrieved chunks.

    Attributes:
        drift: Whether `drift_score` is above `threshold`; false where nothing was decided.
        drift_score: 0 (carried by the chunks) to 1. A probability, except with `jaccard`. 0.5
            where there is no evidence either way, 1 for claims without any context.
        threshold: What the score was held against.
        status: See `Status`; only `scored` says something about the answer.
        method: How it was judged.
        signals: The three arrows.
        sentences: The sentences of the answer and what carries them.
        chunks: The chunks and their part.
        precision: Share of what the answer says whose words some chunk holds, by rarity.
        coverage: Share of what the sentences that carry the answer say that the answer says too.
        context_read: Share of the words of the chunks that was compared with the answer. Below 1
            only in the semantic tier beyond 12,000 words: then the sentences that share most with
            question and answer are embedded, and others spread evenly. Numbers, names and words
            are looked for in all of them.
        intent_terms: Terms of the question.
        context_terms: Terms of the chunks.
        answer_terms: Terms of the answer.
        context_answers: Whether the chunks fit the question; None without a question or text.
        reason: One sentence for a reader.
        judge_unsupported: Words of the answer that a judge did not find carried.
        fallback: Why `method` judged although there is a judge; None if nothing failed.
    """

    model_config = ConfigDict(frozen=True)

    drift: bool
    drift_score: float
    threshold: float
    status: Status
    method: Method
    signals: DriftSignals
    sentences: tuple[SentenceSupport, ...] = ()
    chunks: tuple[ChunkRelevance, ...] = ()
    precision: float | None = None
    coverage: float | None = None
    context_read: float = 1.0
    intent_terms: frozenset[str] = frozenset()
    context_terms: frozenset[str] = frozenset()
    answer_terms: frozenset[str] = frozenset()
    context_answers: bool | None = None
    reason: str
    judge_unsupported: tuple[str, ...] = ()
    fallback: str | None = None

    @property
    def is_scored(self) -> bool:
        """Whether the score says something about the answer."""
        return self.status == "scored"

    @property
    def unsupported(self) -> tuple[str, ...]:
        """The values, names and words of the answer that no chunk holds, each once."""
        found = (term for each in self.sentences for term in each.unsupported)
        return tuple(dict.fromkeys((*self.judge_unsupported, *found)))

    @property
    def context_precision(self) -> float | None:
        """The share of chunks that fit the question, whatever their order; None without them."""
        return precision([each.is_relevant for each in self._judged_chunks])

    @property
    def context_average_precision(self) -> float | None:
        """How early the chunks that fit the question come: 1 if all come first, None for none."""
        return average_precision([each.is_relevant for each in self._judged_chunks])

    @property
    def _judged_chunks(self) -> list[ChunkRelevance]:
        return [each for each in self.chunks if each.relevance is not None]

    def at(self, threshold: float) -> Self:
        """Return the same report held against another threshold.

        Raises:
            InvalidInputError: If the threshold is not a number from 0 to 1.
        """
        checked = check_threshold(threshold)
        drift = self.status in ("scored", "no_context") and self.drift_score > checked
        return self.model_copy(update={"threshold": checked, "drift": drift})

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON, terms sorted, with what is derived."""
        found = self.model_dump(mode="json")
        for name in ("intent_terms", "context_terms", "answer_terms"):
            found[name] = sorted(found[name])
        return found | {
            "unsupported": list(self.unsupported),
            "context_precision": self.context_precision,
            "context_average_precision": self.context_average_precision,
        }

    def _repr_html_(self) -> str:
        verdict = "drift" if self.drift else self.status
        return html_table(
            f"{self.drift_score:.2f} of at most {self.threshold:.2f}: {verdict}",
            ("sentence", "drift", "chunk", "carried best by", "no chunk holds"),
            [
                (
                    each.text,
                    each.drift_score,
                    "" if each.chunk is None else each.chunk,
                    each.support or "",
                    ", ".join(each.unsupported),
                )
                for each in self.sentences
            ],
            note=self.reason,
        )


def check_threshold(threshold: float) -> float:
    """Return a threshold as a float.

    Raises:
        InvalidInputError: If it is not a number from 0 to 1.
    """
    if isinstance(threshold, bool) or not isinstance(threshold, Real):
        message = f"threshold is {threshold!r}; give a number from 0 to 1."
        raise InvalidInputError(message)
    if not 0 <= threshold <= 1:
        message = f"threshold is {threshold}; give a number from 0 to 1."
        raise InvalidInputError(message)
    return float(threshold)
