"""Learn the weights of the retrieval room from labelled answers.

Each argument is SOURCE=FILE: a JSONL file of the schema that `langchain-drift evaluate grounding`
reads, and the source it belongs to. Sources weigh the same, whatever their size, and so do drift
and no drift within a source.

    python scripts/fit_grounding.py wice=a.jsonl q2=b.jsonl --relevance nq=c.jsonl --leave-one-out
    python scripts/fit_grounding.py wice=a.jsonl q2=b.jsonl --relevance nq=c.jsonl --write

What is learned: one weight per feature of `retrieval/evidence.py` and a bias, for each tier. A
feature speaks against an answer or not at all, so weights are not negative, those of `size`
and `says` aside. The checks of numbers and of negation are to be strict and have a least weight.
The bias is moved to the level at which the sources are decided best on average.
Rows of the task `relevance` (no answer) teach the arrow from the question to the chunks.
Needs scipy.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from langchain_drift.embeddings import MiniLMEmbeddings
from langchain_drift.evaluation.metrics import auroc
from langchain_drift.retrieval import evidence, relevance
from langchain_drift.retrieval.answer import Answer
from langchain_drift.retrieval.claims import claims
from langchain_drift.retrieval.evidence import Evidence, gather
from langchain_drift.retrieval.facts import KnownFacts
from langchain_drift.retrieval.known_names import words_of
from langchain_drift.retrieval.model import Model, Weights
from langchain_drift.retrieval.reading import Context, read
from langchain_drift.retrieval.vectors import ChunkVectors, Embedder

TARGET = Path(__file__).parent.parent / "langchain_drift" / "retrieval" / "weights.json"
PENALTY = 0.01
LEAST = {"number": 2.25, "contradiction": 3.0}
EITHER_SIGN = {"size", "says"}
LEVELS = np.arange(-8, 9) / 20
SMOOTH = 5

Row = tuple[dict[str, float], bool]
"""The features of a row, and whether it is labelled drift."""


def read_rows(path: Path) -> list[dict]:
    """Read a labelled file."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def answer_features(row: dict, embedder: Embedder) -> dict[str, float]:
    """Return the features of an answer: those of its sentences, by what each says."""
    context = Context.of(row["contexts"])
    mentioned = words_of([row["question"]])
    answer = claims([each for each in read(row["answer"]) if each.words], mentioned)
    if not context.sentences or not answer:
        return {}
    facts, whole = KnownFacts(context, mentioned), Answer.of(row["answer"], answer, context)
    chunks = ChunkVectors(context.sentences, embedder.embed([*context.sentences, *answer]))
    return pooled([gather(each, whole, context, facts, chunks.compare(each)) for each in answer])


def pooled(found: Sequence[Evidence]) -> dict[str, float]:
    """Return the mean of the features of sentences, by what each says."""
    weights = [each.weight for each in found]
    names = [name for name in found[0].features if all(name in each.features for each in found)]
    return {
        name: float(np.average([each.features[name] for each in found], weights=weights))
        for name in names
    }


def relevance_features(row: dict, embedder: Embedder) -> dict[str, float]:
    """Return the features of a question and its chunks."""
    question, context = read(row["question"]), Context.of(row["contexts"])
    chunks = ChunkVectors(context.sentences, embedder.embed([*context.sentences, *question]))
    return relevance.lexical_features(question, context) | relevance.semantic_features(
        question, chunks
    )


def learn(sources: Sequence[Sequence[Row]], names: Sequence[str]) -> Weights:
    """Learn the weights of some features from sources that weigh the same."""
    x = np.array([[row[0][name] for name in names] for rows in sources for row in rows])
    y = np.array([row[1] for rows in sources for row in rows])
    weight = np.concatenate([balanced([row[1] for row in rows]) for rows in sources]) / len(sources)
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    z, sign = (x - mean) / spread, 2 * y - 1

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (z @ values[:-1] + values[-1])
        slope = -sign * weight / (1 + np.exp(margin))
        penalty = PENALTY * (values[:-1] ** 2).sum()
        gradient = np.append(z.T @ slope + 2 * PENALTY * values[:-1], slope.sum())
        return float((weight * np.logaddexp(0, -margin)).sum() + penalty), gradient

    least = [
        None if name in EITHER_SIGN else LEAST.get(name, 0.0) * s
        for name, s in zip(names, spread, strict=True)
    ]
    bounds = [(low, None) for low in least] + [(None, None)]
    start = np.array([low or 0.0 for low in least] + [0.0])
    found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x
    weights = found[:-1] / spread
    learned = Weights(
        bias=float(found[-1] - weights @ mean),
        weights=dict(zip(names, weights.tolist(), strict=True)),
    )
    return learned.model_copy(update={"bias": learned.bias - level(sources, learned)})


def level(sources: Sequence[Sequence[Row]], weights: Weights) -> float:
    """Return the log-odds near 0 at which the sources are decided best.

    Balanced accuracy is averaged over the sources, and over the four neighbours of each level, so
    that single rows do not decide.
    """
    found = np.mean([accuracies(rows, weights, LEVELS) for rows in sources], axis=0)
    smooth = np.convolve(found, np.full(SMOOTH, 1 / SMOOTH), mode="valid")
    margin = SMOOTH // 2
    return float(LEVELS[margin:-margin][smooth.argmax()])


def accuracies(rows: Sequence[Row], weights: Weights, limits: Sequence[float]) -> list[float]:
    """Return the balanced accuracy at each limit of the log-odds."""
    scores = np.array([weights.log_odds(features) for features, _ in rows])
    truth = np.array([label for _, label in rows])
    return [
        float(((scores > limit)[truth].mean() + (scores <= limit)[~truth].mean()) / 2)
        for limit in limits
    ]


def balanced(labels: Sequence[bool]) -> np.ndarray:
    """Return weights by which drift and no drift count half of a source each."""
    truth = np.array(labels)
    return np.where(truth, 0.5 / max(1, truth.sum()), 0.5 / max(1, (~truth).sum()))


def report(name: str, rows: Sequence[Row], weights: Weights) -> None:
    """Print how well weights rank and decide, and what the best threshold would decide."""
    scores = np.array([weights.log_odds(features) for features, _ in rows])
    truth = np.array([label for _, label in rows])
    limits = np.unique(scores)
    found = accuracies(rows, weights, limits)
    (decided,) = accuracies(rows, weights, [0.0])
    print(
        f"{name:34} AUROC {auroc(scores, truth):.3f}  balanced {decided:.3f}"
        f"  best {max(found):.3f} at {limits[np.argmax(found)]:+.2f}"
        f"  false {(scores > 0)[~truth].mean():.3f}"
    )


def rows_of(files: Iterable[str], features: object, embedder: Embedder) -> dict[str, list[Row]]:
    """Return the rows of each SOURCE=FILE."""
    found: dict[str, list[Row]] = {}
    for item in files:
        source, _, path = item.partition("=")
        for row in read_rows(Path(path)):
            if features is relevance_features and row.get("kind") == "swapped_passage":
                continue
            values = features(row, embedder)
            if values:
                found.setdefault(source, []).append((values, row["label"] == 1))
    return found


def main() -> None:
    """Learn, report, and write the weights when asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", metavar="SOURCE=FILE")
    parser.add_argument("--relevance", nargs="+", default=[], metavar="SOURCE=FILE")
    parser.add_argument("--check", nargs="*", default=[], metavar="SOURCE=FILE")
    parser.add_argument("--leave-one-out", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    embedder = Embedder(MiniLMEmbeddings(threads=2))
    data = rows_of(args.data, answer_features, embedder)
    check = rows_of(args.check, answer_features, embedder)
    asked = rows_of(args.relevance, relevance_features, embedder)
    tiers = {
        "lexical": (evidence.LEXICAL, data),
        "sentences": (evidence.SENTENCES, data),
        "semantic": (evidence.SEMANTIC, data),
        "relevance_lexical": (relevance.LEXICAL, asked),
        "relevance_sentences": (relevance.SENTENCES, asked),
        "relevance_semantic": (relevance.SEMANTIC, asked),
    }
    learned = {}
    for tier, (names, sources) in tiers.items():
        print(f"== {tier}")
        learned[tier] = learn(list(sources.values()), names)
        print(
            {name: round(value, 2) for name, value in learned[tier].weights.items()},
            round(learned[tier].bias, 2),
        )
        for source, rows in (sources | (check if sources is data else {})).items():
            report(source, rows, learned[tier])
        if args.leave_one_out and len(sources) > 1:
            for source in sources:
                kept = [rows for name, rows in sources.items() if name != source]
                report(f"without {source}", sources[source], learn(kept, names))
    if args.write:
        text = Model(**learned).model_dump_json()
        rounded = json.loads(text, parse_float=lambda value: round(float(value), 4))
        TARGET.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
