"""The background cohort: what everyday topics look like to an embedder.

A similarity alone says little: one embedder gives unrelated texts 0.05, another 0.7. So every
similarity is held against a cohort, as speaker verification does with its score normalisation
(Auckenthaler et al. 2000, *Score normalization for text-independent speaker verification
systems*). The cohort also knows what is said in a topic that its name does not tell: whoever
rents flats is asked about washing machines. All of it is written from general knowledge.
"""

import asyncio
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.embeddings.vectors import aembed, embed
from langchain_drift.errors import InvalidInputError

Vectors = NDArray[np.float32]

_KEPT = 4
_LEAST_SPREAD = 1e-5
_lock = threading.Lock()
_backgrounds: OrderedDict[str, "Background"] = OrderedDict()


@dataclass(frozen=True)
class Topic:
    """An everyday topic of the cohort.

    Attributes:
        area: The broad area, such as `travel`.
        about: One sentence that says what a helper for the topic does.
        exchange: A typical question and its answer.
        said: Twelve short texts that are typical of the topic.
    """

    area: str
    about: str
    exchange: str
    said: tuple[str, ...]


@dataclass(frozen=True)
class FollowUp:
    """An exchange that could stand in a conversation about anything."""

    user: str
    assistant: str

    @property
    def exchange(self) -> str:
        """The question and its answer."""
        return f"{self.user}\n{self.assistant}"


@dataclass(frozen=True)
class Background:
    """The cohort as vectors of one embedder, with the embedder's own scale.

    Attributes:
        fingerprint: The embedder the vectors come from.
        topics: Indices of the topics in `topics()` that the rows below stand for.
        abouts: Vectors of what the topics are about, `[topics, dimensions]`.
        exchanges: Vectors of the topics' exchanges, `[topics, dimensions]`.
        said: Vectors of what is said in the topics, `[topics, texts, dimensions]`.
        small_talk: Vectors of the small talk, `[texts, dimensions]`.
        follow_ups: Vectors of the follow-ups, `[texts, dimensions]`.
        questions: Vectors of the users' side of the follow-ups, `[texts, dimensions]`.
        mean: Mean cosine of an exchange with the about of another topic.
        spread: Standard deviation of those cosines.
    """

    fingerprint: str
    topics: NDArray[np.intp]
    abouts: Vectors
    exchanges: Vectors
    said: Vectors
    small_talk: Vectors
    follow_ups: Vectors
    questions: Vectors
    mean: float
    spread: float

    @classmethod
    def of(cls, name: str, vectors: Vectors) -> "Background":
        """Make a background of the vectors of `cohort_texts`, in that order.

        Raises:
            InvalidInputError: If they are all the same.
        """
        count, texts = len(topics()), len(topics()[0].said)
        sizes = (count, count, count * texts, len(small_talk()), len(follow_ups()))
        abouts, exchanges, said, talk, followed, questions = np.split(vectors, np.cumsum(sizes))
        unrelated = (exchanges @ abouts.T)[~np.eye(count, dtype=bool)]
        if unrelated.std() < _LEAST_SPREAD:
            message = (
                f"The embedder {name} gives unrelated texts the same vector, so it can tell no "
                "drift; check that it reads the texts it is given."
            )
            raise InvalidInputError(message)
        return cls(
            fingerprint=name,
            topics=np.arange(count),
            abouts=abouts,
            exchanges=exchanges,
            said=said.reshape(count, texts, -1),
            small_talk=talk,
            follow_ups=followed,
            questions=questions,
            mean=float(unrelated.mean()),
            spread=max(float(unrelated.std()), 1e-3),
        )

    def without(self, left_out: Iterable[int]) -> "Background":
        """Return the cohort without some topics, given by their index in `topics()`."""
        kept = ~np.isin(self.topics, list(left_out))
        return replace(
            self,
            topics=self.topics[kept],
            abouts=self.abouts[kept],
            exchanges=self.exchanges[kept],
            said=self.said[kept],
        )


@cache
def topics() -> tuple[Topic, ...]:
    """Return the everyday topics of the cohort."""
    return tuple(
        Topic(row["area"], row["about"], f"{row['user']}\n{row['assistant']}", tuple(row["said"]))
        for row in _rows("background.jsonl")
    )


@cache
def small_talk() -> tuple[str, ...]:
    """Return talk about nothing, of both sides."""
    return tuple(row["text"] for row in _rows("smalltalk.jsonl"))


@cache
def follow_ups() -> tuple[FollowUp, ...]:
    """Return exchanges that continue any topic, such as asking for a price or a time."""
    return tuple(FollowUp(**row) for row in _rows("follow_ups.jsonl"))


def cohort_texts() -> list[str]:
    """Return the texts of the cohort.

    Abouts, exchanges, what is said by topic, small talk, follow-ups, their users' side.
    """
    return [
        *(topic.about for topic in topics()),
        *(topic.exchange for topic in topics()),
        *(text for topic in topics() for text in topic.said),
        *small_talk(),
        *(one.exchange for one in follow_ups()),
        *(one.user for one in follow_ups()),
    ]


def background(embeddings: Embeddings) -> Background:
    """Return the cohort for an embedder, computed once per process and fingerprint."""
    name = fingerprint(embeddings)
    found = _find(name)
    return found or _keep(Background.of(name, embed(embeddings, cohort_texts())))


async def abackground(embeddings: Embeddings) -> Background:
    """Return the cohort for an embedder without blocking the event loop."""
    # An embedder that does not say what it is has to embed a sentence to be told.
    name = await asyncio.to_thread(fingerprint, embeddings)
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


def _rows(name: str) -> Iterable[dict[str, Any]]:
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
