"""The figures of an evaluation, on a strategy whose scores are written in the turns."""

import pytest

from langchain_drift.conversation.result import Abstention, TurnEvidence
from langchain_drift.conversation.strategy import Judgement, Strategy
from langchain_drift.errors import InvalidInputError
from langchain_drift.evaluation import LabelledConversation, LabelledTurn, evaluate


class Written(Strategy):
    """Takes the score from the reply; `hm` abstains. The turn alone is half as good."""

    name = "written"

    def __init__(self, *, has_evidence=True):
        self.has_evidence = has_evidence

    def start(self):
        return {"score": 100.0}

    def step(self, purpose, state, turn):
        if turn.assistant == "hm":
            return state, Judgement(score=state["score"], abstained=Abstention.NOTHING_TO_JUDGE)
        score = float(turn.assistant)
        return {"score": score}, Judgement(score=score, evidence=self._evidence(score))

    def _evidence(self, score):
        if not self.has_evidence:
            return None
        shares = dict.fromkeys(("similarity", "rival_similarity", "substance", "coverage"), 0.5)
        on = score / 200
        return TurnEvidence(nearest="", rival="", on_purpose=on, user_on_purpose=on, **shares)


def talk(*turns, **more):
    """Return a conversation of (label, score) pairs; `!` marks an ack."""
    made = [
        LabelledTurn(user="0", assistant=str(score), label=label.rstrip("!"), ack="!" in label)
        for label, score in turns
    ]
    return LabelledConversation(id="x", purpose="p", turns=tuple(made), **more)


LEAVES = talk(("on", 90), ("off", 60), ("off!", 50), ("on", 40), ("on", 50), ("on", 80))
EARLY = talk(("on", 50), ("off", 40), ("on", 30), ("neutral", 30), ("on", 30))
MISSED = talk(("on", 90), ("off", 90), ("adjacent", 20))
CALM = [talk(("on", 90), ("neutral", 50)), talk(("on", 90), ("on", 90))]
ALL = [LEAVES, EARLY, MISSED, *CALM]


def test_turns_are_counted_by_label():
    """Every turn counts as a turn; only on and off ones are ranked."""
    found = evaluate(ALL, strategy=Written())
    assert (found.dialogues, found.turns, found.on, found.off) == (5, 18, 11, 4)


def test_off_turns_are_ranked_below_on_turns():
    """Of 44 pairs the off turn is below in 26.5, ties halved; the interval holds the value."""
    found = evaluate(ALL, strategy=Written())
    below = {60: 6, 50: 6 + 1, 40: 8 + 0.5, 90: 2.5}
    assert found.auroc == pytest.approx(sum(below.values()) / 44)
    assert found.auroc_without_ack == pytest.approx((sum(below.values()) - 7) / 33)
    assert found.auroc_interval[0] <= found.auroc <= found.auroc_interval[1]


def test_alarms_are_scores_below_55():
    """Two of four off turns and five of eleven on turns alarm."""
    found = evaluate(ALL, strategy=Written())
    assert found.alarm.tpr == pytest.approx(2 / 4)
    assert found.alarm.fpr == pytest.approx(5 / 11)
    assert found.alarm_without_ack.tpr == pytest.approx(1 / 3)


def test_departures_are_timed_until_the_return():
    """One is noticed late, one at once but after an earlier alarm, one never while it lasts."""
    found = evaluate([LEAVES, EARLY, talk(("off", 90), ("on", 10))], strategy=Written()).departures
    assert found.n == 3
    assert found.within == pytest.approx((1 / 3, 2 / 3, 2 / 3))
    assert found.clean_within == pytest.approx((0, 1 / 3, 1 / 3))
    assert found.missed == pytest.approx(1 / 3)
    assert found.alarm_before == pytest.approx(1 / 3)


def test_without_return_a_departure_lasts_to_the_end():
    """An alarm at any later turn, whatever its label, notices it."""
    found = evaluate([MISSED], strategy=Written()).departures
    assert (found.within, found.missed) == ((0.0, 1.0, 1.0), 0.0)


def test_false_alarms_are_counted_where_nobody_leaves():
    """Any alarm counts in a calm conversation, also on a neutral turn."""
    found = evaluate(ALL, strategy=Written()).false_alarms
    assert (found.n, found.rate, found.turn_rate) == (2, 0.5, 0.25)


def test_recovery_is_looked_up_two_turns_after_the_return():
    """Of the two that alarmed and returned, one is settled."""
    found = evaluate(ALL, strategy=Written()).recovery
    assert (found.n, found.off_after_two) == (2, 0.5)


def test_a_missing_reply_is_replaced_by_the_user():
    """A turn without a reply is judged by what the user said."""
    turn = LabelledTurn(user="10", label="off")
    found = evaluate([LabelledConversation(id="", purpose="", turns=(turn,))], strategy=Written())
    assert found.alarm.tpr == 1


def test_without_filter_ranks_each_turn_alone():
    """A turn's own evidence replaces the score; a turn without keeps the value before."""
    chats = [talk(("on", "hm"), ("on", 100), ("off", 100), ("off", "hm"))]
    found = evaluate(chats, strategy=Written(), without_filter=True)
    assert found.auroc == pytest.approx(0.75)
    assert found.alarm.fpr == 0.5
    assert found.abstained == 0.5


def test_without_filter_needs_evidence():
    """A strategy that gives no evidence cannot be ranked by it."""
    with pytest.raises(InvalidInputError, match="gives no evidence"):
        evaluate([LEAVES], strategy=Written(has_evidence=False), without_filter=True)


def test_nothing_gives_nothing():
    """Without conversations every figure is 0 or None."""
    found = evaluate([], strategy=Written())
    assert (found.turns, found.auroc, found.auroc_interval, found.abstained) == (
        0,
        None,
        None,
        None,
    )
    assert found.departures.within == (None, None, None)
