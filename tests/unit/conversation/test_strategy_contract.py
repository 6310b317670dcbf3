"""What every strategy must do, whatever it measures."""

import copy
import hashlib
import importlib.machinery
import json
import pickle
import sys
import types

import pytest

from langchain_drift.conversation.composite import CompositeStrategy
from langchain_drift.conversation.embedding_strategies import (
    CallableEmbeddingStrategy,
    OpenAIEmbeddingStrategy,
    SentenceTransformerStrategy,
)
from langchain_drift.conversation.lexical import KeywordStrategy, TokenOverlapStrategy
from langchain_drift.conversation.published import PublishedFormulaStrategy
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.turn import FewShotExample, Turn
from langchain_drift.conversation.zoned_cosine import ZonedCosine

PURPOSE = Purpose(
    "You are a banking assistant. Help with accounts, cards, loans and transfers.",
    (FewShotExample(user="What does a loan cost?", assistant="Five percent a year."),),
)
TURNS = [
    Turn(user="What is my balance?", assistant="Your accounts hold 12 euros."),
    Turn(user="And my card?", assistant=""),
    Turn(user="Block my card.", assistant="The card is blocked; a new card is on its way."),
    Turn(user="How do I cook pasta?", assistant="Boil it for nine minutes in salted water."),
    Turn(user="Thanks", assistant="You're welcome!"),
    Turn(user="Who won?", assistant="I can't help with football, only with your accounts."),
    Turn(user="", assistant="🙂"),
    Turn(user="转账要多久？", assistant="转账需要一天。"),  # a script of its own
    Turn(user="And a transfer?", assistant="Transfers between accounts are free."),
]


def hashed(text):
    """Return a vector that texts share in part if they share words."""
    digests = [hashlib.sha256(word.encode()).digest() for word in ["", *text.lower().split()]]
    return [sum(column) - 127.5 * len(digests) for column in zip(*digests, strict=True)]


class Client:
    """Looks like an OpenAI client."""

    def __init__(self):
        self.embeddings = self

    def create(self, model, input):  # noqa: A002 - its name
        vectors = [hashed(text) for text in input]
        data = [types.SimpleNamespace(index=i, embedding=v) for i, v in enumerate(vectors)]
        return types.SimpleNamespace(data=data)


class SentenceTransformer:
    """Looks like a model of sentence-transformers."""

    def __init__(self, name, device=None):
        pass

    def encode(self, texts):
        return [hashed(text) for text in texts]


MAKERS = {
    "keyword": KeywordStrategy,
    "token_overlap": TokenOverlapStrategy,
    "published": PublishedFormulaStrategy,
    "published_whole": lambda: PublishedFormulaStrategy(window_size=0),
    "published_zoned": lambda: PublishedFormulaStrategy(ZonedCosine(hashed)),
    "purpose": lambda: PurposeStrategy(hashed),
    "callable": lambda: CallableEmbeddingStrategy(hashed),
    "openai": lambda: OpenAIEmbeddingStrategy(Client()),
    "sentence_transformer": SentenceTransformerStrategy,
    "composite": lambda: CompositeStrategy([KeywordStrategy(), TokenOverlapStrategy()], [1, 2]),
    "composite_of_all": lambda: CompositeStrategy(
        [
            PurposeStrategy(hashed),
            PurposeStrategy(hashed),
            CompositeStrategy([PublishedFormulaStrategy()]),
        ]
    ),
}


@pytest.fixture(params=MAKERS)
def strategy(request, monkeypatch):
    """Return each strategy in turn."""
    package = types.ModuleType("sentence_transformers")
    package.__spec__ = importlib.machinery.ModuleSpec("sentence_transformers", None)
    package.SentenceTransformer = SentenceTransformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    return MAKERS[request.param]()


def run(strategy, turns=TURNS):
    """Return the state and the judgement after each turn."""
    state, found = strategy.start(), []
    for turn in turns:
        state, judgement = strategy.step(PURPOSE, state, turn)
        found.append((state, judgement))
    return found


def test_the_state_is_plain_json(strategy):
    """A state read back from JSON is the same state, before the first turn and after each."""
    for state in [strategy.start(), *(state for state, _ in run(strategy))]:
        assert json.loads(json.dumps(state, allow_nan=False)) == state


def test_a_conversation_goes_on_from_json(strategy):
    """A conversation that is stored after each turn is judged like one that is not."""
    state = strategy.start()
    for turn, (_, expected) in zip(TURNS, run(strategy), strict=True):
        stored = json.loads(json.dumps(state))
        state, judgement = strategy.step(PURPOSE, stored, turn)
        assert judgement == expected


async def test_the_state_passed_in_is_not_changed(strategy):
    """A step, sync or async, leaves the state it was given as it was."""
    state = strategy.start()
    for turn in TURNS:
        before = copy.deepcopy(state)
        await strategy.astep(PURPOSE, state, turn)
        after, _ = strategy.step(PURPOSE, state, turn)
        assert state == before
        state = after


def test_scores_are_in_range(strategy):
    """Each score, each part and the metadata are plain JSON, scores from 0 to 100."""
    for _, judgement in run(strategy):
        assert 0 <= judgement.score <= 100
        assert all(0 <= part <= 100 for part in judgement.parts.values())
        json.dumps(judgement.model_dump(mode="json"), allow_nan=False)


@pytest.mark.parametrize("reply", ["", " \n\t"])
async def test_an_empty_reply_keeps_the_score(strategy, reply):
    """Without a reply nothing is judged, at the start or later, sync or async."""
    turn = Turn(user="Block my card.", assistant=reply)
    for state, score in [(strategy.start(), 100), *((s, j.score) for s, j in run(strategy))]:
        after, judgement = strategy.step(PURPOSE, state, turn)
        assert judgement.score == score
        assert judgement.abstained == "no_reply"
        assert after == state
        assert (after, judgement) == await strategy.astep(PURPOSE, state, turn)


def test_an_abstention_keeps_the_score(strategy):
    """Whenever a strategy abstains or sees a refusal, its score is the one before."""
    score = 100
    for _, judgement in run(strategy):
        if judgement.abstained or judgement.refused:
            assert judgement.score == score
        score = judgement.score


async def test_sync_and_async_agree(strategy):
    """Both ways give the same states and judgements."""
    state = strategy.start()
    for turn, expected in zip(TURNS, run(strategy), strict=True):
        state, judgement = await strategy.astep(PURPOSE, state, turn)
        assert (state, judgement) == expected


def test_the_same_turns_give_the_same(strategy):
    """A strategy holds nothing of a conversation: a second one is judged like the first."""
    assert run(strategy) == run(strategy)


def test_conversations_do_not_mix(strategy):
    """Two conversations that take turns are judged like each alone."""
    expected = run(strategy), run(strategy, TURNS[::-1])
    states, found = [strategy.start(), strategy.start()], ([], [])
    for pair in zip(TURNS, TURNS[::-1], strict=True):
        for side, turn in enumerate(pair):
            states[side], judgement = strategy.step(PURPOSE, states[side], turn)
            found[side].append((states[side], judgement))
    assert found == expected


def test_a_copy_judges_alike(strategy):
    """A strategy that went through pickle gives the same judgements."""
    again = pickle.loads(pickle.dumps(strategy))  # noqa: S301 - our own bytes
    assert run(again) == run(strategy)
