"""Vectors of texts from any LangChain embedder, checked and of length 1."""

from collections.abc import Sequence

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from langchain_drift.embeddings.checks import check_texts
from langchain_drift.embeddings.names import describe
from langchain_drift.errors import EmbeddingError


def embed(embeddings: Embeddings, texts: Sequence[str]) -> NDArray[np.float32]:
    """Embed texts in one call; equal texts are sent once.

    Args:
        embeddings: Any embedder; its `embed_array` is called if it has one, else
            `embed_documents`.
        texts: Any number of texts.

    Returns:
        Vectors `[len(texts), dimensions]` of length 1 in the order of the texts; shape (0, 0) and
        no call if there are no texts.

    Raises:
        InvalidInputError: If a text is not a string.
        EmbeddingError: If the embedder gives vectors that cannot be used; see `unit_vectors`.
    """
    checked = check_texts(texts)
    distinct = list(dict.fromkeys(checked))
    if not distinct:
        return np.empty((0, 0), dtype=np.float32)
    call = getattr(embeddings, "embed_array", embeddings.embed_documents)
    return _in_order(checked, distinct, unit_vectors(embeddings, distinct, call(distinct)))


async def aembed(embeddings: Embeddings, texts: Sequence[str]) -> NDArray[np.float32]:
    """Embed texts in one call without blocking the event loop; see `embed`."""
    checked = check_texts(texts)
    distinct = list(dict.fromkeys(checked))
    if not distinct:
        return np.empty((0, 0), dtype=np.float32)
    call = getattr(embeddings, "aembed_array", embeddings.aembed_documents)
    return _in_order(checked, distinct, unit_vectors(embeddings, distinct, await call(distinct)))


def unit_vectors(embedder: object, texts: Sequence[str], found: object) -> NDArray[np.float32]:
    """Check what an embedder gave for texts and scale each vector to length 1.

    Args:
        embedder: The embedder, to be named in messages.
        texts: The texts that were embedded, at least one.
        found: What it gave: one sequence of numbers for each text.

    Returns:
        Vectors `[len(texts), dimensions]`.

    Raises:
        EmbeddingError: If vectors are missing or too many, differ in dimension, are empty, are not
            numbers, or hold a NaN, an infinite number or only zeros.
    """
    rows = _rows(embedder, texts, found)
    dimensions = rows[0].size
    for index, row in enumerate(rows):
        fault = _fault(row, dimensions)
        if fault:
            message = (
                f"{describe(embedder)} gave {fault} at text {index}: {texts[index]!r:.40}. "
                "Check the embedder with this text, or use another one."
            )
            raise EmbeddingError(message)
    # Scaled by the largest part first, so that squares of huge or tiny numbers stay in range.
    matrix = np.stack(rows)
    matrix /= np.abs(matrix).max(axis=1, keepdims=True)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix.astype(np.float32)


def check_dimensions(embedder: object, vectors: NDArray[np.float32], expected: int) -> None:
    """Check that an embedder gave vectors of the dimension that it gave before.

    Raises:
        EmbeddingError: If it did not.
    """
    if vectors.shape[1] != expected:
        message = (
            f"{describe(embedder)} gave vectors of dimension {vectors.shape[1]}, before it gave "
            f"{expected}. Use one that always gives the same, with one model behind it."
        )
        raise EmbeddingError(message)


def _rows(embedder: object, texts: Sequence[str], found: object) -> list[NDArray[np.float64]]:
    """Return one array for each text, whatever its shape."""
    try:
        rows = [np.asarray(row, dtype=np.float64) for row in found]  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        message = (
            f"{describe(embedder)} gave {found!r:.80} for {len(texts)} texts; one list of numbers "
            f"for each text is needed ({error})."
        )
        raise EmbeddingError(message) from error
    if len(rows) != len(texts):
        message = (
            f"{describe(embedder)} gave {len(rows)} vectors for {len(texts)} texts; "
            "it must give one for each, in the same order."
        )
        raise EmbeddingError(message)
    return rows


def _fault(row: NDArray[np.float64], dimensions: int) -> str | None:
    """Say what is wrong with a vector, or None."""
    if row.ndim != 1:
        return f"an array with {row.ndim} axes instead of a vector"
    if row.size == 0:
        return "an empty vector"
    if row.size != dimensions:
        return f"dimension {row.size} instead of {dimensions}"
    if np.isnan(row).any():
        return "a vector with NaN"
    if np.isinf(row).any():
        return "a vector with an infinite number"
    return None if row.any() else "a vector of zeros"


def _in_order(
    texts: Sequence[str], distinct: Sequence[str], vectors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Give equal texts their common vector."""
    if len(texts) == len(distinct):
        return vectors
    place = {text: row for row, text in enumerate(distinct)}
    return vectors[[place[text] for text in texts]]
