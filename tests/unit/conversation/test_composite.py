import math

import pytest

from langchain_drift.conversation.composite import CompositeStrategy
from langchain_drift.conversation.lexical import KeywordStrategy, TokenOverlapStrategy
from langchain_drift.conversation.published import PublishedFormulaStrategy
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.result import Abstention, TurnEvidence
from langchain_drift.conversation.strategy import Judgement, Strategy
from langchain_drift.conversation.turn import Turn
from langchain_drift.errors import InvalidInputError

PURPOSE = Purpose("Bank")
TURN = Turn(user="q", assistant="a")
QUIET = Abstention.NOTHING_TO_JUDGE


class Says(Strategy):
    """Gives its judgements one after the other; counts steps in its state."""

    def __init__(self, *judgements, name="says"):
        self.name = name
        self.judgements = [
            j if isinstance(j, Judgement) else Judgement(score=j) for j in judgements
        ]

    def start(self):
        return {"steps": 0}

    def step(self, purpose, state, turn):
        judgement = self.judgements[min(state["steps"], len(self.judgements) - 1)]
        return {"steps": state["steps"] + 1}, judgement


def silent(score, reason=QUIET):
    """Return the judgement of a strategy that abstains."""
    return Judgement(score=score, abstained=reason)


def evidence(nearest):
    """Return evidence that is known by its nearest statement."""
    return TurnEvidence(
        nearest=nearest, similarity=1, rival="", rival_similarity=0, on_purpose=1,
        user_on_purpose=1, substance=1, coverage=1,
    )  # fmt: skip


def judge(composite, turns=1):
    """Return the last state and judgement."""
    state = composite.start()
    for _ in range(turns):
        state, judgement = composite.step(PURPOSE, state, TURN)
    return state, judgement


@pytest.mark.parametrize(
    ("weights", "expected"),
    [(None, 50), ([3, 1], 35), ([0.5, 0.5], 50), ([1, 0], 20), ([1e-300, 1e-300], 50)],
)
def test_the_weighted_mean(weights, expected):
    """The score is the mean of the scores by their weights, whatever the weights sum to."""
    _, judgement = judge(CompositeStrategy([Says(20), Says(80)], weights))
    assert judgement.score == pytest.approx(expected)


def test_equal_scores_stay():
    """The mean of full scores is full, with weights that no binary fraction holds."""
    full = CompositeStrategy([Says(100)] * 3, [0.1, 0.2, 0.7])
    assert judge(full)[1].score == 100


@pytest.mark.parametrize(
    "weights",
    [[1], [1, 1, 1], [], [-1, 2], [0, 0], [math.nan, 1], [math.inf, 1], [1e308, 1e308], ["1", 1]],
)
def test_weights_are_checked(weights):
    """Weights of another number, negative, not finite or without a sum are refused."""
    with pytest.raises(InvalidInputError, match=r"pass one for each|must be finite numbers"):
        CompositeStrategy([Says(1), Says(2)], weights)


def test_strategies_are_checked():
    """No strategy at all, and what is none, are refused."""
    with pytest.raises(InvalidInputError, match="at least one strategy"):
        CompositeStrategy([])
    with pytest.raises(InvalidInputError, match=r"Strategy 1 is .*must be a Strategy object"):
        CompositeStrategy([Says(1), KeywordStrategy])


def test_an_abstaining_strategy_has_no_vote():
    """The mean is of those that judge; the parts tell all running scores."""
    composite = CompositeStrategy([Says(20, name="a"), Says(silent(90), name="b"), Says(60)])
    _, judgement = judge(composite)
    assert judgement.score == 40
    assert judgement.abstained is None
    assert judgement.parts == {"a": 20, "b": 90, "says": 60}


def test_all_abstain():
    """If all abstain, so does the composite: with the first reason and the score it had."""
    first = Says(30, silent(100, Abstention.NO_TOPIC))
    _, judgement = judge(CompositeStrategy([first, Says(50, silent(0))]), turns=2)
    assert judgement.score == 40
    assert judgement.abstained is Abstention.NO_TOPIC


def test_a_weight_of_zero_has_no_vote():
    """If only a strategy without weight judges, the composite abstains."""
    _, judgement = judge(CompositeStrategy([Says(10), Says(silent(70))], [0, 1]))
    assert (judgement.score, judgement.abstained) == (100, QUIET)


def test_a_refusal():
    """If one strategy sees a refusal, the score stays and the other states go on."""
    refusing = Says(60, Judgement(score=60, refused=True))
    state, judgement = judge(CompositeStrategy([refusing, Says(80, 0)]), turns=2)
    assert (judgement.score, judgement.refused, judgement.abstained) == (70, True, None)
    assert state == {"score": 70, "states": [{"steps": 2}, {"steps": 2}]}


def test_same_names_are_told_apart():
    """Each strategy has a part of its own, also if a name looks like a numbered one."""
    named = [Says(1), Says(2), Says(3, name="says_2"), Says(4)]
    _, judgement = judge(CompositeStrategy(named))
    assert judgement.parts == {"says": 1, "says_2": 2, "says_2_2": 3, "says_3": 4}


def test_evidence_and_metadata():
    """The evidence is the first there is; metadata stands by the name of its strategy."""
    composite = CompositeStrategy(
        [
            Says(1),
            Says(Judgement(score=2, evidence=evidence("b"), metadata={"n": 1}), name="b"),
            Says(Judgement(score=3, evidence=evidence("c"))),
        ]
    )
    _, judgement = judge(composite)
    assert judgement.evidence == evidence("b")
    assert judgement.metadata == {"b": {"n": 1}}


def test_a_state_of_another_composite():
    """A state of another number of strategies is refused."""
    state = CompositeStrategy([Says(1)]).start()
    with pytest.raises(InvalidInputError, match=r"Begin again with start\(\)"):
        CompositeStrategy([Says(1), Says(2)]).step(PURPOSE, state, TURN)


async def test_async_steps():
    """The async method calls the async method of each strategy."""

    class Async(Says):
        def step(self, purpose, state, turn):
            raise AssertionError

        async def astep(self, purpose, state, turn):
            return super().step(purpose, state, turn)

    composite = CompositeStrategy([Async(20), Async(40)])
    state, judgement = await composite.astep(PURPOSE, composite.start(), TURN)
    assert judgement.score == 30
    assert state["states"] == [{"steps": 1}, {"steps": 1}]


def test_the_published_contract():
    """Of strategies with `score` the composite has one too, with the parts by name."""
    composite = CompositeStrategy([KeywordStrategy(), TokenOverlapStrategy()], [3, 1])
    score, named = composite.score("bank card loan", ["bank"])
    assert score == pytest.approx(0.75 * 100 / 3 + 0.25 * 100 / 3**0.5)
    assert named == {"keyword": 33.33, "token_overlap": 57.74, "composite": 39.43}
    nested = CompositeStrategy([composite, KeywordStrategy()]).score("bank card loan", ["bank"])
    assert nested[1] == {"composite": 39.43, "keyword": 33.33, "composite_2": 36.38}


def test_no_published_contract():
    """A strategy without `score` is named where the contract is asked for."""
    mixed = CompositeStrategy([KeywordStrategy(), Says(1)])
    with pytest.raises(InvalidInputError, match=r"Says has no score\(system_prompt"):
        judge(PublishedFormulaStrategy(mixed))
