"""Embed the background cohort with the bundled embedder and store the vectors beside it.

Run after changing `background.jsonl`, `smalltalk.jsonl` or the bundled model:

    python scripts/build_background.py
"""

from pathlib import Path

import numpy as np

from langchain_drift.conversation.background import cohort_digest, cohort_texts
from langchain_drift.embeddings import MiniLMEmbeddings
from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.embeddings.vectors import embed

TARGET = Path(__file__).parent.parent / "langchain_drift" / "conversation" / "background.npz"


def main() -> None:
    """Write the vectors, the embedder's fingerprint and a digest of the texts."""
    embedder = MiniLMEmbeddings()
    np.savez_compressed(
        TARGET,
        vectors=embed(embedder, cohort_texts()).astype(np.float16),
        fingerprint=fingerprint(embedder),
        digest=cohort_digest(),
    )
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
