"""The published embedding score: a cosine, stretched over three zones."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from langchain_drift.conversation.published_contract import PublishedScore, join_replies
from langchain_drift.embeddings import CachedEmbeddings, as_embeddings, default_embeddings
from langchain_drift.embeddings.vectors import aembed, embed
from langchain_drift.errors import InvalidInputError

_LOW = 0.10
_HIGH = 0.20


class ZonedCosine:
    """Scores replies by the cosine of their joined text with the prompt.

    Up to 0.10 a cosine scores 0 to 25, up to 0.20 it scores 25 to 75, and up to `max_similarity`
    75 to 100. The zones were published for all-MiniLM-L6-v2; for an embedder that gives unrelated
    texts more than 0.20 they say nothing: use `PurposeStrategy`.

    Args:
        embeddings: Any LangChain `Embeddings`, or what `as_embeddings` accepts; by default the
            bundled MiniLM. Vectors of the texts used last are remembered.
        max_similarity: The cosine that scores 100, above 0.20 and at most 1.

    Raises:
        InvalidInputError: If `embeddings` cannot embed or `max_similarity` is out of range.
    """

    name = "zoned_cosine"

    def __init__(self, embeddings: object | None = None, max_similarity: float = 0.32) -> None:
        if not _is_similarity(max_similarity):
            message = (
                f"max_similarity is {max_similarity!r}, but must be a number above {_HIGH:.2f}, "
                "where the last zone begins, and at most 1."
            )
            raise InvalidInputError(message)
        given = default_embeddings() if embeddings is None else as_embeddings(embeddings)
        self.embeddings = given if isinstance(given, CachedEmbeddings) else CachedEmbeddings(given)
        self.max_similarity = max_similarity

    def score(self, system_prompt: str, assistant_responses: Sequence[str]) -> PublishedScore:
        """Score replies, taken together; none at all score 100.

        Raises:
            InvalidInputError: If the replies are a single string, or one is no string.
            EmbeddingError: If the embedder gives vectors that cannot be used.
        """
        texts = _texts(system_prompt, assistant_responses)
        return self._result(embed(self.embeddings, texts))

    async def ascore(
        self, system_prompt: str, assistant_responses: Sequence[str]
    ) -> PublishedScore:
        """Score replies without blocking the event loop; see `score`."""
        texts = _texts(system_prompt, assistant_responses)
        return self._result(await aembed(self.embeddings, texts))

    def _result(self, vectors: NDArray[np.float32]) -> PublishedScore:
        """Return the score of the vectors of prompt and reply, or of no vectors."""
        score = self._zoned(float(vectors[0] @ vectors[1])) if len(vectors) else 100.0
        return score, {self.name: round(score, 2)}

    def _zoned(self, cosine: float) -> float:
        if cosine <= _LOW:
            return max(cosine / _LOW * 25, 0.0)
        if cosine <= _HIGH:
            return 25 + (cosine - _LOW) / (_HIGH - _LOW) * 50
        return 75 + min((cosine - _HIGH) / (self.max_similarity - _HIGH), 1.0) * 25


def _texts(system_prompt: str, assistant_responses: Sequence[str]) -> list[str]:
    reply = join_replies(assistant_responses)
    return [system_prompt, reply] if assistant_responses else []


def _is_similarity(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and _HIGH < value <= 1
