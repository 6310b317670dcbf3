"""Show what the background cohort is worth: AUROC with it, with parts of it and without it.

    python scripts/ablate_background.py FILE…

Each FILE is a JSONL file of the schema that `langchain-drift evaluate drift` reads. Columns:

- whole: the shipped cohort.
- no off topics: without every topic that is the nearest one for at least one in fifty of the set's
  off turns, so that the cohort holds no rival that the set's excursions are about.
- no topics: with everything left out that compares a turn with other topics; only the embedder's
  scale is taken from the cohort. The weights are not learned anew for it.
"""

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from langchain_drift import PurposeStrategy
from langchain_drift.conversation.background import Background, background, topics
from langchain_drift.conversation.drift_filter import Weights
from langchain_drift.conversation.evidence import RIVALRY, STATIC
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.reference import Reference
from langchain_drift.embeddings import CachedEmbeddings, MiniLMEmbeddings
from langchain_drift.embeddings.vectors import embed
from langchain_drift.evaluation import LabelledConversation, evaluate, read_labelled

SHARE = 0.02


class Reduced(PurposeStrategy):
    """The purpose strategy with a cohort that lacks some topics."""

    def __init__(self, embeddings: CachedEmbeddings, left_out: frozenset[int]) -> None:
        super().__init__(embeddings)
        self.left_out = left_out

    def _learn(self, purpose: Purpose, cohort: Background, vectors: np.ndarray) -> Reference:
        return super()._learn(purpose, cohort.without(self.left_out), vectors)


def off_topics(rows: Iterable[LabelledConversation], embedder: CachedEmbeddings) -> frozenset[int]:
    """Return the topics that the off turns of a set are about."""
    texts = [
        f"{turn.user}\n{turn.assistant or ''}"[:1000]
        for row in rows
        for turn in row.turns
        if turn.label == "off"
    ]
    cohort = background(embedder)
    said = embed(embedder, texts) @ cohort.said.reshape(-1, cohort.said.shape[-1]).T
    nearest = said.reshape(len(texts), len(topics()), -1).max(axis=2).argmax(axis=1)
    counts = Counter(nearest.tolist())
    return frozenset(topic for topic, count in counts.items() if count >= SHARE * len(texts))


def without_topics(embedder: CachedEmbeddings) -> PurposeStrategy:
    """Return the strategy with every comparison with other topics held at its average."""
    weights = Weights.shipped()
    evidence = list(weights.evidence)
    for name in RIVALRY:
        evidence[STATIC.index(name)] = 0.0
    return PurposeStrategy(
        embedder, weights=weights.model_copy(update={"evidence": tuple(evidence)})
    )


def main() -> None:
    """Print a line for each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    embedder = CachedEmbeddings(MiniLMEmbeddings(threads=2), max_entries=100_000)
    print(f"{'set':24} whole  no off topics  no topics")
    for file in parser.parse_args().files:
        rows = list(read_labelled(file))
        left_out = off_topics(rows, embedder)
        strategies = (
            PurposeStrategy(embedder),
            Reduced(embedder, left_out),
            without_topics(embedder),
        )
        whole, reduced, bare = (evaluate(rows, strategy=one).auroc for one in strategies)
        print(f"{file.stem:24} {whole:.3f}  {reduced:.3f} ({len(left_out):2} of 240)  {bare:.3f}")


if __name__ == "__main__":
    main()
