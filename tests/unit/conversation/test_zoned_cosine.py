import hashlib
import json
import math
import pickle
from pathlib import Path

import pytest

from langchain_drift.conversation.zoned_cosine import ZonedCosine
from langchain_drift.embeddings import CachedEmbeddings, default_embeddings
from langchain_drift.errors import EmbeddingError, InvalidInputError

PUBLISHED = json.loads(Path(__file__).with_name("published_scores.json").read_text("utf-8"))


def hashed(text):
    """Return the sum of the 64 signs of each word's hash, as the published package was run with."""
    digests = [
        hashlib.sha256(word.strip(".,!?;:").encode()).digest() for word in text.lower().split()
    ]
    signs = [[1 if d[i // 8] >> (i % 8) & 1 else -1 for i in range(64)] for d in digests]
    return [sum(column) for column in zip(*signs, strict=True)]


def at(cosine):
    """Return a function whose prompt and reply have this cosine."""
    reply = [cosine, math.sqrt(1 - cosine**2)]
    return lambda text: [1.0, 0.0] if text == "prompt" else reply


@pytest.mark.parametrize(("cosine", "expected"), PUBLISHED["zones"])
def test_zones_as_published(cosine, expected):
    """Each cosine has the score that the published package gives it."""
    score, named = ZonedCosine(at(cosine)).score("prompt", ["reply"])
    assert score == pytest.approx(expected, abs=1e-3)
    assert named == {"zoned_cosine": round(score, 2)}


@pytest.mark.parametrize(("replies", "expected"), PUBLISHED["embedding"])
async def test_texts_as_published(replies, expected):
    """Texts, one reply or several, have the published score, sync and async."""
    scorer = ZonedCosine(hashed)
    found = scorer.score(PUBLISHED["prompt"], replies)
    assert found[0] == pytest.approx(expected, abs=1e-3)
    assert found == await scorer.ascore(PUBLISHED["prompt"], replies)


@pytest.mark.parametrize(("most", "expected"), [(0.6, 81.25), (0.4, 87.5), (1.0, 78.125)])
def test_the_last_zone_ends_at_max_similarity(most, expected):
    """The last zone is stretched to the cosine that is to score 100."""
    assert ZonedCosine(at(0.3), most).score("prompt", ["reply"])[0] == pytest.approx(expected)
    assert ZonedCosine(at(most), most).score("prompt", ["reply"])[0] == pytest.approx(100)


@pytest.mark.parametrize("most", [0.2, 0.1, -1, 1.01, math.nan, math.inf, True, None, "0.3"])
def test_max_similarity_is_checked(most):
    """A last zone of no width, or one that no cosine reaches, is refused."""
    with pytest.raises(InvalidInputError, match=r"must be a number above 0\.20"):
        ZonedCosine(hashed, most)


async def test_no_replies():
    """Before the first reply the score is 100, without a call of the embedder."""
    scorer = ZonedCosine(lambda text: 1 / 0)
    assert scorer.score("prompt", []) == (100.0, {"zoned_cosine": 100.0})
    assert await scorer.ascore("prompt", []) == (100.0, {"zoned_cosine": 100.0})


def test_the_prompt_is_embedded_once():
    """A second score embeds only the new reply."""
    seen = []
    scorer = ZonedCosine(lambda text: seen.append(text) or [1.0])
    scorer.score("prompt", ["one"])
    scorer.score("prompt", ["one", "two"])
    assert seen == ["prompt", "one", "one two"]


def test_nan_is_no_score():
    """An embedder that gives NaN is an error, not a fresh conversation."""
    with pytest.raises(EmbeddingError):
        ZonedCosine(lambda text: [math.nan]).score("prompt", ["reply"])


def test_embedders():
    """The bundled embedder serves by default, and no cache is put before a cache."""
    assert ZonedCosine().embeddings is default_embeddings()
    inner = ZonedCosine(hashed).embeddings
    assert isinstance(inner, CachedEmbeddings)
    assert ZonedCosine(inner).embeddings is inner
    with pytest.raises(InvalidInputError, match="cannot embed"):
        ZonedCosine(42)


def test_it_can_be_pickled():
    """A copy in another process gives the same score."""
    scorer = ZonedCosine(hashed, 0.5)
    replies = PUBLISHED["replies"][-1:]
    again = pickle.loads(pickle.dumps(scorer))  # noqa: S301 - our own bytes
    assert again.score("cards", replies) == scorer.score("cards", replies)
