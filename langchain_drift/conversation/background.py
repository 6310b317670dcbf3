"""The background cohort: what everyday topics look like to an embedder.

A similarity alone says little: one embedder gives unrelated texts 0.05, another 0.7. So every
similarity is held against a cohort, as speaker verification does with its score normalisation
(Auckenthaler et al. 2000, *Score normalization for text-independent speaker verification
systems*): 240 everyday topics and 120 pieces of small talk, written from general knowledge.
"""

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.embeddings.vectors import aembed, embed

Vectors = NDArray[np.float32]

_KEPT = 4
_lock = threading.Lock()
_backgrounds: OrderedDict[str, "Background"] = OrderedDict()


@dataclass(frozen=True)
class Topic:
    """An everyday topic of the cohort.

    Attributes:
        area: The broad area, such as `travel`.
        about: One sentence that says what a helper for the topic does.
        exchange: A typical question and its answer.
    """

    area: str
    about: str
    exchange: str


@dataclass(frozen=True)
class Background:
    """The cohort as vectors of one embedder, with the embedder's own scale.

    Attributes:
        fingerprint: The embedder the vectors come from.
        abouts: Vectors of what the topics are about, `[topics, dimensions]`.
        exchanges: Vectors of the topics' exchanges, `[topics, dimensions]`.
        small_talk: Vectors of the small talk, `[texts, dimensions]`.
        mean: Mean cosine of an exchange with the about of another topic.
        spread: Standard deviation of those cosines.
    """

    fingerprint: str
    abouts: Vectors
    exchanges: Vectors
    small_talk: Vectors
    mean: float
    spread: float

    @classmethod
    def of(cls, name: str, vectors: Vectors) -> "Background":
        """Make a background of the vectors of `cohort_texts`, in that order."""
        count = len(topics())
        abouts, exchanges = vectors[:count], vectors[count : 2 * count]
        unrelated = (exchanges @ abouts.T)[~np.eye(count, dtype=bool)]
        spread = max(float(unrelated.std()), 1e-3)
        return cls(name, abouts, exchanges, vectors[2 * count :], float(unrelated.mean()), spread)


@cache
def topics() -> tuple[Topic, ...]:
    """Return the everyday topics of the cohort."""
    return tuple(
        Topic(row["area"], row["about"], f"{row['user']}\n{row['assistant']}")
        for row in _rows("background.jsonl")
    )


def cohort_texts() -> list[str]:
    """Return the texts of the cohort: abouts, exchanges, small talk."""
    about = [topic.about for topic in topics()]
    exchange = [topic.exchange for topic in topics()]
    return about + exchange + [row["text"] for row in _rows("smalltalk.jsonl")]


def background(embeddings: Embeddings) -> Background:
    """Return the cohort for an embedder, computed once per process and fingerprint."""
    name = fingerprint(embeddings)
    found = _find(name)
    return found or _keep(Background.of(name, embed(embeddings, cohort_texts())))


async def abackground(embeddings: Embeddings) -> Background:
    """Return the cohort for an embedder without blocking the event loop."""
    name = fingerprint(embeddings)
    found = _find(name)
    return found or _keep(Background.of(name, await aembed(embeddings, cohort_texts())))


def _find(name: str) -> Background | None:
    with _lock:
        if name in _backgrounds:
            _backgrounds.move_to_end(name)
            return _backgrounds[name]
    shipped = _shipped()
    return _keep(shipped) if shipped and shipped.fingerprint == name else None


def _keep(found: Background) -> Background:
    with _lock:
        _backgrounds[found.fingerprint] = found
        while len(_backgrounds) > _KEPT:
            _backgrounds.popitem(last=False)
    return found


@cache
def _shipped() -> Background | None:
    """Return the cohort as the bundled embedder sees it, if it was made from today's texts."""
    path = files(__package__) / "background.npz"
    if not path.is_file():
        return None
    with path.open("rb") as file, np.load(file) as stored:
        vectors = stored["vectors"].astype(np.float32)
        name = str(stored["fingerprint"])
        digest = str(stored["digest"])
    if digest != cohort_digest():
        return None
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Background.of(name, vectors)


def cohort_digest() -> str:
    """Return a digest of the cohort's texts, which tells whether stored vectors still fit."""
    return hashlib.sha256("\0".join(cohort_texts()).encode()).hexdigest()


def _rows(name: str) -> Iterable[dict[str, str]]:
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
