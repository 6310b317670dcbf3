from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from langchain_drift import MiniLMEmbeddings
from langchain_drift.conversation import background as module
from langchain_drift.conversation.background import (
    Background,
    abackground,
    background,
    cohort_texts,
    follow_ups,
    small_talk,
    topics,
)
from langchain_drift.embeddings.fingerprint import fingerprint
from langchain_drift.errors import InvalidInputError


class Seeded(Embeddings):
    """Gives the same vectors for the same number of texts and counts its calls."""

    def __init__(self, name, *, fails=False):
        self.fingerprint = name
        self.fails = fails
        self.calls = 0

    def embed_documents(self, texts):
        self.calls += 1
        if self.fails:
            message = "no network"
            raise ConnectionError(message)
        return np.random.default_rng(len(texts)).normal(size=(len(texts), 8)).tolist()

    def embed_query(self, text):
        return self.embed_documents([text])[0]


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """Start each test with no background kept."""
    monkeypatch.setattr(module, "_backgrounds", type(module._backgrounds)())


def test_the_cohort_is_wide():
    """There are 240 different topics in at least 20 areas, none of them a tenth of all."""
    found = topics()
    assert len(found) == len({topic.about for topic in found}) == 240
    areas = Counter(topic.area for topic in found)
    assert len(areas) >= 20
    assert max(areas.values()) < 24


def test_the_texts_are_in_order():
    """Abouts, exchanges, what is said in each topic, small talk, follow-ups, their questions."""
    texts = cohort_texts()
    talk, followed = len(small_talk()), len(follow_ups())
    assert len(texts) == 240 * 14 + talk + 2 * followed
    assert texts[:240] == [topic.about for topic in topics()]
    assert texts[240:480] == [topic.exchange for topic in topics()]
    assert tuple(texts[480:492]) == topics()[0].said
    assert texts[-1] == follow_ups()[-1].user
    assert texts[-1 - followed] == follow_ups()[-1].exchange
    assert all(text.strip() for text in texts)
    for part in (texts[:-followed], texts[-followed:]):
        assert len(set(part)) == len(part)


def test_the_shipped_vectors_are_those_of_the_bundled_embedder():
    """The stored cohort belongs to today's texts and embedder, so none of it is embedded."""
    minilm = MiniLMEmbeddings()
    shipped = module._shipped()
    assert shipped is not None
    assert shipped.fingerprint == fingerprint(minilm)
    fresh = minilm.embed_array(cohort_texts()[:16])
    assert (np.sum(fresh * shipped.abouts[:16], axis=1) > 0.995).all()


def test_an_embedder_reads_the_cohort_once():
    """The cohort is one call per process and fingerprint, also for another object."""
    one, other = Seeded("one"), Seeded("one")
    assert background(one) is background(one) is background(other)
    assert (one.calls, other.calls) == (1, 0)


async def test_sync_and_async_cohorts_are_the_same():
    """Both ways share one cohort."""
    embeddings = Seeded("async")
    found = await abackground(embeddings)
    assert background(embeddings) is found
    assert embeddings.calls == 1


def test_few_cohorts_are_kept():
    """The cohorts used last are kept, the oldest goes first."""
    embedders = [Seeded(str(i)) for i in range(6)]
    for one in embedders:
        background(one)
    assert len(module._backgrounds) == 4
    background(embedders[-1])
    background(embedders[0])
    assert (embedders[-1].calls, embedders[0].calls) == (1, 2)


def test_threads_share_a_cohort():
    """Threads that begin together end with the same numbers."""
    embeddings = Seeded("threads")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(background, [embeddings] * 8))
    assert len({one.mean for one in found}) == 1
    assert len(module._backgrounds) == 1


def test_a_failing_embedder_leaves_nothing():
    """An embedder that fails can be asked again."""
    embeddings = Seeded("fails", fails=True)
    with pytest.raises(Exception, match="no network"):
        background(embeddings)
    assert not module._backgrounds
    embeddings.fails = False
    assert background(embeddings).fingerprint == fingerprint(embeddings)


def test_the_scale_is_the_embedders_own():
    """Mean and spread are those of unrelated pairs; nearly equal vectors have a least spread."""
    near = np.random.default_rng(0).normal((1, 0), 1e-2, size=(len(cohort_texts()), 2))
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    found = Background.of("near", near.astype(np.float32))
    assert found.mean == pytest.approx(1, abs=1e-3)
    assert found.spread == pytest.approx(1e-3)
    assert len(found.small_talk) == len(small_talk()) == 120
    assert len(found.questions) == len(found.follow_ups) == len(follow_ups())


def test_topics_can_be_left_out():
    """Without some topics the others keep their vectors, their numbers and the scale."""
    vectors = np.random.default_rng(0).normal(size=(len(cohort_texts()), 4)).astype(np.float32)
    whole = Background.of("any", vectors)
    rest = whole.without({0, 239})
    assert rest.topics.tolist() == list(range(1, 239))
    assert (rest.said == whole.said[1:239]).all()
    assert (rest.mean, rest.spread) == (whole.mean, whole.spread)


def test_what_is_said_belongs_to_one_topic():
    """Every topic has twelve texts, and no text stands in two topics."""
    said = [text for topic in topics() for text in topic.said]
    assert {len(topic.said) for topic in topics()} == {12}
    assert len({text.casefold() for text in said}) == len(said)


def test_an_embedder_that_tells_no_texts_apart_is_refused():
    """One vector for all texts scores nothing: it is an error, not a perfect conversation."""
    same = np.tile(np.float32([0.6, 0.8]), (len(cohort_texts()), 1))
    with pytest.raises(InvalidInputError, match="the same vector"):
        Background.of("same", same)
