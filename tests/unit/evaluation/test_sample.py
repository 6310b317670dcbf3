"""Sampling labelled conversations, and errors about values of any kind."""

import json

import pytest

from langchain_drift.errors import InvalidInputError
from langchain_drift.evaluation import LabelledConversation, read_labelled
from langchain_drift.evaluation.labelled import sample

CHATS = [LabelledConversation(id=f"chat-{i}", purpose="p", turns=()) for i in range(50)]


def test_a_sample_is_the_same_in_any_order_and_grows():
    """The ids decide who is taken; a larger sample holds the smaller one; order is kept."""
    few, turned = sample(CHATS, 5), sample(CHATS[::-1], 5)
    assert [each.id for each in few] == [each.id for each in turned[::-1]]
    assert few == [each for each in CHATS if each in few]
    assert {each.id for each in few} < {each.id for each in sample(iter(CHATS), 6)}


def test_a_sample_as_large_as_the_whole_is_the_whole():
    """A limit above the number takes all, ids that repeat included."""
    twice = CHATS + CHATS
    assert sample(twice, 1000) == twice
    assert len(sample(twice, 7)) == 7


def test_a_sample_of_nothing_is_refused():
    """The limit is at least 1."""
    with pytest.raises(InvalidInputError, match="limit is 0"):
        sample(CHATS, 0)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (json.dumps({"purpose": "p", "turns": "x"}), r"line 1, turns: .*not 'x'"),
        ('{"purpose": "p", "turns": ' + "[" * 900 + "]" * 900 + "}", r"line 1, turns\.0"),
        ("1" * 5000, "too many digits"),
    ],
)
def test_a_row_of_any_kind_is_answered_with_its_line(line, named):
    """Deep values and long numbers are errors of the package."""
    with pytest.raises(InvalidInputError, match=named):
        list(read_labelled([line]))
