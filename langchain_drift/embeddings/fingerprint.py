"""The fingerprint of an embedder: vectors can be compared only within one fingerprint."""

import hashlib
from typing import Final

import numpy as np
from langchain_core.embeddings import Embeddings

from langchain_drift.embeddings.names import class_path, model_of
from langchain_drift.embeddings.vectors import embed

PROBE: Final = "The quick brown fox jumps over the lazy dog, 42 times."
"""The sentence that tells embedders apart which do not say what they are."""


def fingerprint(embeddings: Embeddings) -> str:
    """Return an identity of an embedder that is the same in every process.

    An embedder with a `fingerprint` of its own keeps it. One that names its model is known by its
    class, model and number of dimensions. Any other is asked to embed `PROBE` and known by its
    class and that vector, rounded to three decimals.

    Args:
        embeddings: Any embedder.

    Returns:
        For example `minilm-l6-v2-int8:0123456789ab`.

    Raises:
        EmbeddingError: If the embedder had to be asked and gave a vector that cannot be used.
    """
    own = getattr(embeddings, "fingerprint", None)
    if isinstance(own, str) and own:
        return own
    model = model_of(embeddings)
    if model is None:
        return f"{class_path(embeddings)}:{_probe(embeddings)}"
    dimensions = getattr(embeddings, "dimensions", None)
    size = f":{dimensions}" if isinstance(dimensions, int) else ""
    return f"{class_path(embeddings)}:{model}{size}"


def _probe(embeddings: Embeddings) -> str:
    # Whole thousandths: they have one zero and one byte order on every machine.
    thousandths = np.rint(embed(embeddings, [PROBE])[0] * 1000).astype("<i4")
    return hashlib.sha256(thousandths.tobytes()).hexdigest()[:16]
