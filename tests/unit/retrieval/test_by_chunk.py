"""How like a sentence of an answer is to each chunk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import detect
from langchain_drift.retrieval.by_chunk import by_chunk

CHUNKS = ["The daily limit is 500 euros.", "", "Cards cost 12 euros a year."]


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-1, 1)), max_size=20))
def test_a_chunk_is_as_like_as_its_most_similar_sentence(sentences):
    """The likeness of a chunk is the greatest of its sentences, from 0 to 1; 0 for none."""
    chunk_of = [chunk for chunk, _ in sentences]
    found = by_chunk({n: value for n, (_, value) in enumerate(sentences)}, chunk_of, 5)
    for number, likeness in enumerate(found):
        most = max((value for chunk, value in sentences if chunk == number), default=0)
        assert likeness == pytest.approx(max(0, most), abs=1e-3)


@pytest.mark.parametrize("method", ["semantic", "lexical"])
def test_the_chunk_that_carries_a_sentence_is_the_most_alike(method):
    """The chunk a report names is the one with the greatest likeness; a blank one has 0."""
    answer = "The daily limit is 500 euros. Cards cost 12 euros."
    for sentence in detect("What is the limit?", CHUNKS, answer, method=method).sentences:
        assert sentence.by_chunk[sentence.chunk] == max(sentence.by_chunk) > 0.9
        assert sentence.by_chunk[1] == 0
        assert len(sentence.by_chunk) == 3


def test_of_very_many_chunks_none_is_told():
    """Beyond 100 chunks a report stays small."""
    assert by_chunk({0: 0.5}, [0], 101) == ()
    assert len(by_chunk({0: 0.5}, [0], 100)) == 100
