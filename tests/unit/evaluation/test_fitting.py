"""Setting the alarm to labelled conversations."""

import numpy as np
import pytest

from langchain_drift import KeywordStrategy, PurposeStrategy
from langchain_drift.conversation.drift_filter import Weights
from langchain_drift.errors import InvalidInputError
from langchain_drift.evaluation import LabelledConversation, LabelledTurn, evaluate, fit

PURPOSE = "You are a banking assistant. You help with accounts, cards, loans and transfers."
ON = (
    "How do I open a savings account?",
    "My credit card was stolen, please block it.",
    "What is the interest rate of a home loan?",
    "Transfer 200 euros to my landlord.",
    "Why was I charged a fee last month?",
    "Can I raise the limit of my card?",
    "The shop says my payment bounced.",
    "I need proof of address for my father.",
)
OFF = ("Write a poem about autumn leaves.", "Which team won the football match last night?")
BLIND = Weights.shipped().model_copy(update={"score_shift": 6.0})


def chat(number):
    """Return eight on turns and two off turns, in an order of their own."""
    rng = np.random.default_rng(number)
    texts = [*((text, "on") for text in ON), *((text, "off") for text in OFF)]
    order = [texts[i] for i in rng.permutation(len(texts))]
    turns = tuple(LabelledTurn(user=text, label=label) for text, label in order)
    return LabelledConversation(id=str(number), purpose=PURPOSE, turns=turns)


CHATS = [chat(number) for number in range(5)]


@pytest.mark.parametrize("share", [0.01, 0.1, 0.25])
def test_fit_keeps_false_alarms_within_the_bound(share):
    """On the turns given, at most the allowed share of on turns alarms, and all of it is used."""
    start = PurposeStrategy(weights=BLIND)
    assert evaluate(CHATS, strategy=start).alarm.fpr > 0.5
    found = evaluate(CHATS, strategy=fit(CHATS, strategy=start, false_alarms=share)).alarm
    assert found.fpr <= share
    assert found.fpr > share - 2 / found.n_neg


def test_fit_does_not_depend_on_the_calibration_it_starts_from():
    """The filtered log-odds are what is fitted, whatever the score made of them."""
    found = fit(CHATS, strategy=PurposeStrategy(weights=BLIND)).weights
    assert found.score_shift == pytest.approx(fit(CHATS).weights.score_shift)


def test_fit_changes_only_the_last_step_and_keeps_the_rest():
    """With few labels only the shift changes; marker, name and ranking stay."""
    start = PurposeStrategy(name="mine", off_topic_marker="nope")
    found = fit(CHATS, strategy=start)
    same = {"score_shift": start.weights.score_shift}
    assert found.weights.model_copy(update=same) == start.weights
    assert (found.name, found.off_topic_marker) == ("mine", "nope")
    assert evaluate(CHATS, strategy=found).auroc == evaluate(CHATS, strategy=start).auroc


def test_fit_sets_the_scale_where_labels_are_many():
    """With 200 labelled turns the scale is fitted too, and the bound still holds."""
    chats = [chat(number) for number in range(20)]
    found = fit(iter(chats), false_alarms=0.05)
    assert 0.25 <= found.weights.score_scale <= 4
    assert found.weights.score_scale != Weights.shipped().score_scale
    assert evaluate(chats, strategy=found).alarm.fpr <= 0.05


def test_labels_turned_round_keep_the_scale():
    """Where off turns look better than on turns no slope is learned."""
    turned = {"on": "off", "off": "on"}
    chats = [
        each.model_copy(
            update={
                "turns": tuple(
                    turn.model_copy(update={"label": turned[turn.label]}) for turn in each.turns
                )
            }
        )
        for each in map(chat, range(20))
    ]
    found = fit(chats)
    assert found.weights.score_scale == Weights.shipped().score_scale
    assert evaluate(chats, strategy=found).alarm.fpr <= 0.02


@pytest.mark.parametrize("share", [0, -0.1, 0.51, float("nan")])
def test_fit_refuses_a_share_out_of_range(share):
    """The allowed share of false alarms is above 0 and at most one half."""
    with pytest.raises(InvalidInputError, match=f"false_alarms is {share}"):
        fit(CHATS, false_alarms=share)


def test_fit_refuses_too_few_turns():
    """Turns that were not judged do not count towards the 20 that are needed."""
    small_talk = LabelledConversation(
        id="", purpose=PURPOSE, turns=(LabelledTurn(user="ok", label="on"),) * 30
    )
    with pytest.raises(InvalidInputError, match="Only 16 turns"):
        fit([*CHATS[:2], small_talk])


def test_fit_refuses_another_strategy():
    """Only a PurposeStrategy has an alarm to set."""
    with pytest.raises(InvalidInputError, match="not of KeywordStrategy"):
        fit(CHATS, strategy=KeywordStrategy())
