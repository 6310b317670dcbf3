import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.retrieval.lexical import overlap
from langchain_drift.retrieval.places import least_gap
from langchain_drift.retrieval.rarity import is_content, stem_of, weight_of
from langchain_drift.retrieval.reading import Context, Sentence, read
from langchain_drift.retrieval.relevance import average_precision, lexical_features
from langchain_drift.retrieval.vectors import EVERYDAY, ChunkVectors, Embedder

VOCABULARY = ("cats", "dogs", "eat", "chase", "fish", "cars", "the", "and", "fast")
WORDS = st.lists(st.sampled_from(VOCABULARY), min_size=1)
TEXTS = WORDS.map(" ".join)


def test_rare_words_say_more_than_frequent_ones():
    """Function words and chatter say next to nothing, rare words most."""
    assert weight_of("the") == weight_of("wow") == 0.05
    assert weight_of("the") < weight_of("people") < weight_of("library") < weight_of("xylograph")
    assert weight_of("xylograph") == 1
    assert not is_content("and")


def test_numbers_share_a_stem_however_they_are_written():
    """The words four, 4 and 4th meet, and so do 1,000 and 1000."""
    assert stem_of("four") == stem_of("4") == stem_of("4th") == stem_of("fourth")
    assert stem_of("1,000") == stem_of("1000")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("i ' m not sure", ["i'm", "not", "sure"]),
        ("they don 't know", ["they", "don't", "know"]),
        ("the dog 's tail", ["the", "dog's", "tail"]),
    ],
)
def test_words_that_a_corpus_tore_apart_are_joined(typed, words):
    """`don 't` and `i ' m` are read as people write them."""
    found = [word for each in read(typed) for word in each.words]
    assert found == words


@given(TEXTS)
def test_a_copy_has_nothing_unknown(text):
    """A sentence held against itself has nothing unknown, no new phrase and no other order."""
    found = overlap(Sentence(text), Context.of([text]))
    assert found.unknown == 0
    assert found.phrases == 0
    assert found.order == pytest.approx(0)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
def test_shares_stay_between_0_and_1_and_more_chunks_never_hurt(answer, chunks):
    """Each share is from 0 to 1; adding a chunk makes no word unknown."""
    few, many = Context.of(chunks[:1]), Context.of(chunks)
    first, second = (overlap(Sentence(answer), each) for each in (few, many))
    for found in (first, second):
        assert all(0 <= value <= 1 for value in (found.unknown, found.phrases, found.order))
    assert second.unknown <= first.unknown
    assert second.phrases <= first.phrases


def test_the_gap_is_that_of_the_place_most_alike():
    """Of all places the one counts at which the two words stand as far apart as in the answer."""
    assert least_gap({0: [0]}, {0: [2, 5]}, 2) == 0
    assert least_gap({0: [0], 1: [3]}, {1: [5]}, 1) == 1
    assert least_gap({0: [5]}, {0: [1]}, 1) == math.inf
    assert least_gap({0: [0]}, {1: [1]}, 1) == math.inf


def test_a_paraphrase_is_nearer_than_a_stranger():
    """Similar words count in the semantic tier although no chunk holds them."""
    chunks = read("The physician examined the child.")
    said = read("The doctor looked at the kid.")
    other = read("The engine burned two litres.")
    embedder = Embedder()
    vectors = ChunkVectors(chunks, embedder.embed([*chunks, *said, *other]))
    near, far = vectors.compare(said[0]), vectors.compare(other[0])
    assert near.apart < far.apart
    assert near.alignment.by_sentence.max() > far.alignment.by_sentence.max()


def test_a_sentence_aligned_with_itself_matches_word_for_word():
    """Each word of a copy has similarity 1 and the order is the same."""
    chunk = read("Members may borrow ten books for three weeks.")
    vectors = ChunkVectors(chunk, Embedder().embed(chunk))
    found = vectors.compare(chunk[0])
    assert found.apart == pytest.approx(0, abs=1e-3)
    assert np.allclose(found.alignment.similarity, 1, atol=1e-3)
    assert found.alignment.order == pytest.approx(0)
    assert found.best == 0


def test_the_scale_of_an_embedder_is_taken_from_everyday_sentences():
    """An embedder to which all texts are alike finds a stranger about as far as any other."""
    chunk, stranger = read("The museum opens at nine."), read(EVERYDAY[0])
    vectors = ChunkVectors(chunk, Embedder().embed([*chunk, *stranger]))
    assert 0.7 < vectors.compare(stranger[0]).apart < 1.3


def test_a_question_is_held_against_neighbouring_sentences():
    """Words that stand far apart are held, but not together."""
    question = read("When does the museum open?")
    near = lexical_features(question, Context.of(["The museum is old. It will open at nine."]))
    apart = " ".join(["The museum is old.", *["It rains."] * 5, "They open letters."])
    far = lexical_features(question, Context.of([apart]))
    assert near == {"missing": 0, "scattered": 0}
    assert far["missing"] == 0
    assert far["scattered"] > 0


@given(st.lists(st.booleans(), max_size=12))
def test_average_precision_is_1_only_for_a_perfect_ranking(relevant):
    """It is None without relevant chunks, and 1 if and only if they come first."""
    found = average_precision(relevant)
    if not any(relevant):
        assert found is None
    else:
        assert (found == 1) == (relevant == sorted(relevant, reverse=True))
        assert 0 < found <= 1
