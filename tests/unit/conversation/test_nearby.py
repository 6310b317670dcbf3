import numpy as np
import pytest

from langchain_drift.conversation.background import background, topics
from langchain_drift.conversation.nearby import Nearby
from langchain_drift.embeddings import default_embeddings
from langchain_drift.embeddings.vectors import embed


@pytest.fixture(scope="module")
def flats():
    """The topics near an assistant that lets flats."""
    embeddings = default_embeddings()
    statements = embed(embeddings, ["You help tenants find a flat to rent."])
    return Nearby(background(embeddings), statements, 12)


def match(nearby, text):
    return nearby.match(embed(default_embeddings(), [text])[0])


def test_what_belongs_to_the_topic_is_near_though_the_prompt_has_no_word_of_it(flats):
    """Tenants ask for washing machines; who asks for a penalty kick has left."""
    near = match(flats, "Is there a washing machine in the unit?")
    far = match(flats, "Why was the penalty kick given in the last minute?")
    assert near.lead > far.lead + 1
    assert near.near > far.near
    assert near.affinity > far.affinity


def test_the_nearest_topics_are_no_rivals(flats):
    """A topic that the purpose itself names is never held against it."""
    [renting] = [i for i, topic in enumerate(topics()) if "Renting flats" in topic.about]
    assert renting not in flats.far
    assert len(flats.far) == len(topics()) - 12


def test_a_match_names_a_near_topic_and_a_rival(flats):
    """The topic that explains a turn is near the purpose, the rival is not."""
    found = match(flats, "When can I come to view the apartment?")
    assert "flats" in topics()[found.topic].about
    assert found.topic not in flats.far
    assert found.topic_cosine > found.rival_cosine
    stray = match(flats, "Which chord comes after G in this song on the guitar?")
    assert stray.rival in flats.far
    assert stray.rival_cosine > stray.topic_cosine


def test_without_a_topic_the_others_keep_their_names(flats):
    """A cohort that lacks topics still names those that are left."""
    embeddings = default_embeddings()
    whole = background(embeddings)
    named = match(flats, "Which chord comes after G in this song on the guitar?").rival
    left_out = range(named)
    statements = embed(embeddings, ["You help tenants find a flat to rent."])
    reduced = Nearby(whole.without(left_out), statements, 12)
    assert match(reduced, "Which chord comes after G in this song on the guitar?").rival == named


def test_numbers_do_not_depend_on_the_embedders_scale(flats):
    """Shifting every cosine by the same amount changes no number."""
    embeddings = default_embeddings()
    plain = background(embeddings)
    crowd = np.float32(0.5) ** 0.5

    def crowded(vectors):
        flat = vectors.reshape(-1, vectors.shape[-1]) * crowd
        more = np.hstack((flat, np.full((len(flat), 1), crowd, np.float32)))
        return more.reshape(*vectors.shape[:-1], -1)

    texts = ["You help tenants find a flat to rent.", "How high is the deposit?"]
    purpose, turn = (crowded(row[None]) for row in embed(embeddings, texts))
    shifted = type(plain)(
        "crowded",
        plain.topics,
        *(
            crowded(getattr(plain, name))
            for name in ("abouts", "exchanges", "said", "small_talk", "follow_ups", "questions")
        ),
        mean=plain.mean / 2 + 0.5,
        spread=plain.spread / 2,
    )
    found, expected = Nearby(shifted, purpose, 12).match(turn[0]), match(flats, texts[1])
    assert found.affinity == pytest.approx(expected.affinity, abs=1e-3)
    assert found.near == pytest.approx(expected.near, abs=1e-3)
    assert found.lead == pytest.approx(expected.lead, abs=1e-3)
