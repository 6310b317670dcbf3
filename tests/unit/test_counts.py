import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import KeywordStrategy, MiniLMEmbeddings, PublishedFormulaStrategy
from langchain_drift.counts import check_count
from langchain_drift.embeddings import CachedEmbeddings
from langchain_drift.errors import InvalidInputError
from langchain_drift.evaluation.labelled import sample
from langchain_drift.evaluation.metrics import bootstrap_auroc
from langchain_drift.text import passages

TAKERS = {
    "top_n": lambda value: KeywordStrategy(top_n=value),
    "window_size": lambda value: PublishedFormulaStrategy(window_size=value),
    "threads": lambda value: MiniLMEmbeddings(threads=value),
    "max_entries": lambda value: CachedEmbeddings(MiniLMEmbeddings(), max_entries=value),
    "limit": lambda value: passages("a text", limit=value),
    "size": lambda value: passages("a text", size=value),
    "draws": lambda value: bootstrap_auroc([1, 0], [1, 0], [0, 1], draws=value),
    "limit of a sample": lambda value: sample([], value),
}


@given(st.integers(-5, 10**30), st.integers(-5, 5))
def test_a_whole_number_that_is_large_enough_is_returned(value, least):
    """What is at least `least` comes back as it is, and anything below is refused by name."""
    if value >= least:
        assert check_count("n", value, least=least) == value
    else:
        with pytest.raises(InvalidInputError, match=rf"n is {value}, .* at least {least}\."):
            check_count("n", value, least=least)


def test_numpy_counts_too():
    """A whole number of numpy is one, and comes back as Python's."""
    assert type(check_count("n", np.int32(3))) is int


def test_the_hint_ends_the_sentence():
    """What the smallest value means can be told in the message."""
    with pytest.raises(InvalidInputError, match=r"at least 0; 0 means all\.$"):
        check_count("n", -1, least=0, hint="0 means all")


@pytest.mark.parametrize("value", [True, 1.0, "3", None, float("nan"), [1], -1])
@pytest.mark.parametrize("name", TAKERS)
def test_every_count_of_the_api_is_checked_alike(name, value):
    """All parameters that are counts refuse what is none, by name and value."""
    with pytest.raises(InvalidInputError, match=f"{name.split()[0]} is .* whole number") as caught:
        TAKERS[name](value)
    assert repr(value) in str(caught.value)
