"""A big memory for benchmarks: prose with real vectors, SQL and tool calls, one event each."""

import json
from dataclasses import replace

import numpy as np
from langchain_core.embeddings import Embeddings

from langchain_drift.embeddings.default import default_embeddings
from langchain_drift.mistakes.event import Event
from langchain_drift.mistakes.recording import make_records
from langchain_drift.mistakes.vectors import pack

# fmt: off
VERBS = [
    "restart", "clear", "resend", "archive", "rotate", "approve", "merge", "refund", "export",
    "translate",
]
THINGS = [
    "payment webhook", "build cache", "night backup", "invoice of a customer", "api token",
    "release branch", "temp folder", "search index", "mail queue", "image gallery",
    "holiday calendar", "stock report", "login page", "chat transcript", "sensor log", "map tiles",
    "price list", "training set", "printer spool", "delivery route",
]
PLACES = [
    "for the shop", "on staging", "after the weekend", "without a ticket", "from the old disk",
]
# fmt: on


def _prose():
    return [f"{v} the {t} {p}" for v in VERBS for t in THINGS for p in PLACES]


class Mixtures(Embeddings):
    """Vectors of pairs of prose: real ones, mixed, so that they are spread as real ones are."""

    def __init__(self):
        self.texts = _prose()
        self.vectors = np.array(default_embeddings().embed_documents(self.texts), dtype=np.float32)

    fingerprint = "mixtures"

    def make(self, number, seed):
        """Return texts and their vectors."""
        random = np.random.default_rng(seed)
        first, second = random.integers(len(self.texts), size=(2, number))
        vectors = self.vectors[first] + 0.5 * self.vectors[second]
        vectors += random.normal(scale=0.25 / np.sqrt(384), size=vectors.shape)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        texts = [
            f"{self.texts[a]}, then {self.texts[b]}" for a, b in zip(first, second, strict=True)
        ]
        return texts, vectors.astype(np.float32)

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text):
        first, second = (self.texts.index(part) for part in text.split(", then "))
        vector = self.vectors[first] + 0.5 * self.vectors[second]
        return (vector / np.linalg.norm(vector)).tolist()


def code(number, seed):
    """Return SQL and tool calls, with what came back."""
    random = np.random.default_rng(seed)
    found = []
    for n in range(number):
        a, b, c = (int(x) for x in random.integers(5_000, size=3))
        if n % 2:
            text = f"SELECT column_{a}, column_{b} FROM table_{c % 500} WHERE id = {c}"  # noqa: S608 - only an example
            found.append((text, f"no such column: column_{a}"))
        else:
            call = {"path": f"/srv/folder_{a % 700}/file_{b}", "mode": ["fast", "safe"][c % 2]}
            text = f"tool_{c % 200} {json.dumps(call)}"
            found.append((text, f"cannot open '/srv/folder_{a % 700}/file_{b}': it is locked"))
    return found


def records(mixtures, number):
    """Yield records, half prose and half code, each of an action of its own."""
    half, copies = number // 2, max(1, number // 100_000)
    base = [
        Event(action=text, feedback=feedback, kind="mistake" if n % 4 else "success")
        for n, (text, feedback) in enumerate(code(half // copies, 1))
    ]
    bases = make_records(base, mixtures)
    (prose_base,) = make_records([Event(action=mixtures.texts[0], feedback="it failed")], _One())
    made = 0
    for copy in range(copies):
        texts, vectors = mixtures.make(half // copies, 100 + copy)
        for place, record in enumerate(bases):
            made += 1
            yield replace(
                record,
                event_id=f"code-{made}",
                key=f"code-{made}" if copy else record.key,
                terms=(*record.terms, f"copy_{copy}"),
                action=f"{record.action} {'-- ' * bool(copy)}",
                at=1.7e9 + made,
            )
            made += 1
            yield replace(
                prose_base,
                event_id=f"prose-{made}",
                key=f"prose-{made}",
                kind="mistake" if made % 5 else "success",
                action=texts[place],
                terms=tuple(dict.fromkeys(texts[place].replace(",", "").split())),
                vector=pack(vectors[place]),
                at=1.7e9 + made,
            )


class _One(Embeddings):
    fingerprint = "mixtures"

    def embed_documents(self, texts):
        return [[1.0, *[0.0] * 383] for _ in texts]

    def embed_query(self, text):
        return [1.0, *[0.0] * 383]
