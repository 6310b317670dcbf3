import json
from pathlib import Path

import pytest

from langchain_drift.conversation.lexical import KeywordStrategy, TokenOverlapStrategy
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.result import Abstention
from langchain_drift.conversation.turn import FewShotExample, Turn
from langchain_drift.errors import InvalidInputError

PUBLISHED = json.loads(Path(__file__).with_name("published_scores.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("prompt", "replies", "expected"),
    [
        ("Bank cards and loans", ["a loan for a card; bank"], 100 / 3),
        ("Bank cards and loans", ["CARDS.", "The bank, loans!"], 100),
        ("Bank cards and loans", ["It is raining."], 0),
        ("Credit-card, credit-card", ["a creditcard"], 100),
        ("the of and", ["anything"], 100),
        ("", ["anything"], 100),
        ("Bank", [""], 0),
        ("Bank", [], 100),
    ],
)
def test_keywords(prompt, replies, expected):
    """The keyword score is the share of the prompt's keywords that the replies use."""
    score, named = KeywordStrategy().score(prompt, replies)
    assert score == pytest.approx(expected)
    assert named == {"keyword": round(expected, 2)}


def test_the_most_frequent_keywords_count():
    """Beyond `top_n` only the most frequent keywords count, of equal ones the first."""
    prompt = "zeta alpha beta beta"
    assert KeywordStrategy(top_n=1).score(prompt, ["beta"])[0] == 100
    assert KeywordStrategy(top_n=2).score(prompt, ["beta zeta"])[0] == 100
    assert KeywordStrategy(top_n=2).score(prompt, ["beta alpha"])[0] == 50


@pytest.mark.parametrize("top_n", [0, -1, 2.5, True, None])
def test_top_n_is_checked(top_n):
    """A number of keywords that is no whole number of at least 1 is refused."""
    with pytest.raises(InvalidInputError, match="must be a whole number of at least 1"):
        KeywordStrategy(top_n)


def test_contractions_hide_no_content_word():
    """A word that looks like a contraction without its apostrophe is a keyword."""
    assert KeywordStrategy().score("A shell id doesn't", ["shell"])[0] == 50


@pytest.mark.parametrize(("replies", "expected"), PUBLISHED["token_overlap"])
def test_token_overlap_as_published(replies, expected):
    """With function words, the token overlap is that of the published package."""
    score, _ = TokenOverlapStrategy(include_stopwords=True).score(PUBLISHED["prompt"], replies)
    assert score == pytest.approx(expected)


@pytest.mark.parametrize(
    ("prompt", "replies", "expected"),
    [
        ("bank card", ["the bank and the river"], 50),
        ("bank bank card", ["card"], 100 / 5**0.5),
        ("bank card", ["card", "bank"], 100),
        ("", [""], 100),
        ("the", ["bank"], 100),
        ("bank", ["the"], 0),
        ("bank", [], 100),
    ],
)
def test_token_overlap(prompt, replies, expected):
    """The token overlap is the cosine of the word counts, times 100, and at most 100."""
    score, named = TokenOverlapStrategy().score(prompt, replies)
    assert score == pytest.approx(expected)
    assert score <= 100
    assert named == {"token_overlap": round(expected, 2)}


@pytest.mark.parametrize("strategy", [KeywordStrategy(), TokenOverlapStrategy()])
@pytest.mark.parametrize("replies", ["bank", ["bank", None]])
def test_replies_are_checked(strategy, replies):
    """A single string and a reply that is no string are refused."""
    with pytest.raises(InvalidInputError, match=r"pass a list of replies|Pass its text"):
        strategy.score("Bank", replies)


@pytest.mark.parametrize("strategy", [KeywordStrategy(), TokenOverlapStrategy()])
def test_a_turn_is_judged_alone(strategy):
    """A step scores the turn's own reply against prompt and examples: nothing decays or stays."""
    shots = [FewShotExample(user="What rate?", assistant="Five percent.")]
    purpose = Purpose.of("Bank cards", shots)
    state = strategy.start()
    for reply in ("Rain.", "bank cards user what rate assistant five percent", "Rain."):
        state, judgement = strategy.step(purpose, state, Turn(user="bank cards", assistant=reply))
        assert judgement.score == pytest.approx(0 if reply == "Rain." else 100)


def test_an_empty_reply_is_no_score_of_zero():
    """A tool call after a turn on purpose leaves its score and says why."""
    strategy, purpose = KeywordStrategy(), Purpose("Bank")
    state, _ = strategy.step(purpose, strategy.start(), Turn(assistant="The bank."))
    _, judgement = strategy.step(purpose, state, Turn(user="Rain?", assistant=" \n"))
    assert judgement.score == 100
    assert judgement.abstained is Abstention.NO_REPLY
