from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.retrieval.excerpt import excerpt
from langchain_drift.retrieval.reading import Sentence

SENTENCES = [Sentence(f"Line {n} is about boats and barrels.") for n in range(100)]
NEEDLE = Sentence("A heron nests here.")


def test_a_short_text_is_taken_whole():
    """Up to the limit nothing is left out."""
    assert excerpt(SENTENCES, 700) == list(range(100))
    assert excerpt([], 700) == []


def test_what_is_wanted_is_taken_first():
    """A sentence that shares a rare word is taken wherever it stands."""
    place = 37
    sentences = [*SENTENCES[:place], NEEDLE, *SENTENCES[place:]]
    assert place in excerpt(sentences, 70, frozenset({"heron"}))


def test_the_rest_is_spread_from_first_to_last():
    """Without anything wanted the sentences taken stand at even distances."""
    taken = excerpt(SENTENCES, 70)
    assert taken[0] == 0
    assert taken[-1] >= 85
    assert len(taken) >= 9


@given(st.lists(st.integers(0, 30), max_size=40), st.integers(1, 60))
def test_no_excerpt_is_larger_than_allowed(lengths, most):
    """However long sentences are, they fit, but one is always taken."""
    sentences = [Sentence(" ".join(["boat"] * n)) for n in lengths]
    taken = excerpt(sentences, most, frozenset({"boat"}))
    assert taken == sorted(set(taken))
    assert sum(lengths[place] for place in taken) <= most or len(taken) == 1
    assert bool(taken) == bool(sentences)
