import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.retrieval.contradiction import contradicts
from langchain_drift.retrieval.reading import Sentence

WORDS = ("dogs", "not", "never", "allowed", "the", "open", "is", "shop")


def says_the_opposite(answer, source, others=()):
    return contradicts(Sentence(answer), Sentence(source), [Sentence(each) for each in others])


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("Dogs are allowed on the trail.", "Dogs are not allowed on the trail."),
        ("Dogs are never allowed on the trail.", "Dogs are allowed on the trail."),
        ("Yes, it can be taken with food.", "It must not be taken with food."),
        ("The option enables caching.", "The option disables caching."),
    ],
)
def test_the_opposite_contradicts(answer, source):
    """What one denies the other affirms, or they name opposite sides."""
    assert says_the_opposite(answer, source)


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("Dogs are not allowed.", "Dogs are not allowed on the trail."),
        ("Avoid putting secrets in names.", "Do not put secrets in names."),
        ("I'm not sure, but it opens at nine.", "It opens at nine."),
        ("I've never heard of stamps, but philately is their study.", "Philately studies stamps."),
        ("Winter is the coldest season.", "Winter is the coldest season (not in the tropics)."),
        ("No, the shop is closed on Sunday.", "The shop is closed on Sunday."),
        ("Delete models that you do not need.", "Delete the models you need least."),
        ("Cats like fish.", "The museum is not open today."),
    ],
)
def test_no_opposite_no_contradiction(answer, source):
    """The same polarity, a hedge, another clause or another matter is no contradiction."""
    assert not says_the_opposite(answer, source)


def test_a_chunk_that_agrees_settles_it():
    """Where another sentence of the chunks agrees, the nearest one does not contradict."""
    answer, source = "Office use is not covered.", "Office use is covered by the guarantee."
    assert says_the_opposite(answer, source)
    assert not says_the_opposite(answer, source, ["In hotels office use is not covered."])


@given(st.lists(st.sampled_from(WORDS), max_size=8))
def test_no_sentence_contradicts_itself(words):
    """Whatever a sentence says, it does not say the opposite of itself."""
    text = " ".join(words)
    assert not says_the_opposite(text, text, [text])
