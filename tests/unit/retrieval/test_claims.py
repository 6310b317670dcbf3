import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import detect
from langchain_drift.retrieval.claims import claims
from langchain_drift.retrieval.reading import read

CHUNK = "Paris is the capital of France."


def claimed(text):
    said = [each for each in read(text) if each.words]
    return [each.text for each in claims(said, frozenset({"brown"}))]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Sure, happy to help! Paris is nice. Let me know if you need more.", ["Paris is nice."]),
        ("Great question! It costs 5 euros.", ["It costs 5 euros."]),
        ("Hello Mr Brown! It is open. Is there anything else?", ["It is open."]),
        ("I'm not sure, but the capital is Paris.", ["the capital is Paris."]),
        ("I don't know the date. Ana Reis founded it.", ["Ana Reis founded it."]),
        ("Of course the shop is open.", ["Of course the shop is open."]),
        ("Thanks for the 5 euros.", ["Thanks for the 5 euros."]),
        ("Happy to help!", ["Happy to help!"]),
        ("It costs 2 euros, Mr Brown.", ["It costs 2 euros."]),
        ("It opens at 9, Sir!", ["It opens at 9!"]),
        ("It is led by a doctor, Dr Lee.", ["It is led by a doctor, Dr Lee."]),
        ("The head is Lee, Dr Brown's heir.", ["The head is Lee, Dr Brown's heir."]),
    ],
)
def test_what_an_answer_asserts(answer, expected):
    """Courtesies, hedges and words about ignorance are no claims, unless there is nothing else."""
    assert claimed(answer) == expected


@pytest.mark.parametrize("method", [None, "lexical"])
@pytest.mark.parametrize(
    ("answer", "drift"),
    [
        ("Sure, happy to help! Paris is the capital. Let me know if you need more.", False),
        ("I'm not sure, but the capital is Paris.", False),
        ("I'm not sure, but the capital is Lyon.", True),
        ("I don't know who the mayor is, but Paris is the capital of France.", False),
        ("Of course! Lyon is the capital. I hope this helps.", True),
    ],
)
def test_only_claims_are_judged(answer, drift, method):
    """Service talk neither makes a carried answer drift nor hides an invented one."""
    assert detect("What is the capital of France?", [CHUNK], answer, method=method).drift == drift


@given(
    st.lists(st.sampled_from(["Sure!", "It is red.", "I don't know.", "Thank you."]), max_size=5)
)
def test_claims_are_part_of_the_answer(sentences):
    """Nothing is added, and an answer with words never ends up without a claim."""
    said = [each for each in read(" ".join(sentences)) if each.words]
    found = claims(said)
    assert bool(found) == bool(said)
    assert {each.text for each in found} <= {each.text for each in said}
