"""Compare libraries for approximate neighbours: `python scripts/compare_indexes.py [NUMBER]`.

Needs `faiss-cpu` and `usearch`. One thread. The vectors are those of the bundled embedder for 1,000
short instructions, mixed in threes with noise: harder than what the benchmarks ask, and as spread.
Times are CPU times; recall is the share of the ten nearest that are found among the first ten.
"""

import subprocess
import sys
import time

import faiss
import numpy as np

from langchain_drift import MiniLMEmbeddings

# fmt: off
VERBS = (
    "restart", "clear", "resend", "archive", "rotate", "approve", "merge", "refund", "export",
    "translate",
)
THINGS = (
    "webhook", "cache", "backup", "invoice", "token", "branch", "folder", "index", "queue",
    "gallery", "calendar", "report", "page", "transcript", "log", "map", "list", "set", "spool",
    "route",
)
# fmt: on
PLACES = ("for the shop", "on staging", "after lunch", "without a ticket", "from the old disk")
ASKED, MOST = 200, 100


def mix(number: int, seed: int) -> np.ndarray:
    """Return vectors of mixed instructions."""
    texts = [f"{v} the {t} {p}" for v in VERBS for t in THINGS for p in PLACES]
    base = np.array(MiniLMEmbeddings().embed_documents(texts), dtype=np.float32)
    random = np.random.default_rng(seed)
    weights = random.uniform(0.2, 1, size=(number, 3, 1))
    chosen = base[random.integers(len(base), size=(number, 3))]
    mixed = (weights * chosen).sum(axis=1) + random.normal(scale=0.7 / 384**0.5, size=(number, 384))
    return (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32)


def measure(
    name: str, build: object, ask: object, questions: np.ndarray, right: np.ndarray
) -> None:
    """Print what building and asking take, and how much is found."""
    begin = time.process_time()
    build()
    built = time.process_time() - begin
    begin = time.process_time()
    found = [ask(question)[:10] for question in questions]
    asked = 1000 * (time.process_time() - begin) / len(questions)
    shares = [len(set(a) & set(b)) / 10 for a, b in zip(found, right, strict=True)]
    print(f"{name:24} build {built:6.1f} s  ask {asked:5.2f} ms  recall {np.mean(shares):.3f}")


def main(number: int) -> None:
    """Compare on a number of vectors."""
    vectors, questions = mix(number, 1), mix(ASKED, 2)
    right = np.argsort(-(questions @ vectors.T), axis=1)[:, :10]
    faiss.omp_set_num_threads(1)

    def exact(question: np.ndarray) -> np.ndarray:
        return np.argsort(-np.einsum("ij,j->i", vectors, question))[:10]

    measure("numpy, exact", lambda: None, exact, questions[:50], right[:50])
    half = faiss.ScalarQuantizer.QT_fp16
    ours = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(384), 384, 2 * int(number**0.5), half, faiss.METRIC_INNER_PRODUCT
    )
    ours.cp.niter, ours.nprobe = 8, max(32, ours.nlist // 8)

    def train() -> None:
        ours.train(vectors[:: max(1, number // (40 * ours.nlist))])
        ours.add(vectors)

    measure("faiss, lists", train, lambda q: ours.search(q[None], MOST)[1][0], questions, right)
    graph = faiss.IndexHNSWSQ(384, half, 16, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction, graph.hnsw.efSearch = 128, 160

    def link() -> None:
        graph.train(vectors[:1000])
        graph.add(vectors)

    measure("faiss, graph", link, lambda q: graph.search(q[None], MOST)[1][0], questions, right)
    from usearch.index import Index  # noqa: PLC0415 - last, for what is said in CONTRIBUTING

    other = Index(ndim=384, metric="cos", dtype="f16", expansion_add=128, expansion_search=160)
    measure(
        "usearch, graph",
        lambda: other.add(np.arange(number), vectors, threads=1),
        lambda q: other.search(q, MOST).keys,
        questions,
        right,
    )
    code = "from usearch.index import Index; Index(ndim=8); import onnxruntime"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)  # noqa: S603 - our own code
    print(f"a process that loads onnxruntime after usearch ends with {done.returncode}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
