import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_drift import DriftScorer
from langchain_drift.conversation.refusal import find_refusal

PAIRS = Path(__file__).parents[2] / "data" / "refusals.jsonl"
SERVICE_REPLIES = PAIRS.with_name("service_replies.jsonl")
LEAST = 0.9
ASKED = "What is the weather like in Rome?"
DECLINED = "Sorry, I can't help with that."
SERVICE = [
    ("Can I pay by card?", "Yes, we take Visa and Mastercard in all of our branches."),
    ("Where is my parcel?", "It left the depot this morning and arrives before noon tomorrow."),
    ("Is the red one in stock?", "Sorry, the red one is sold out; the blue one is in stock."),
    ("Do you ship to Norway?", "Unfortunately we do not ship to Norway at the moment."),
    ("Can I return shoes?", "You can return them within 30 days with the receipt."),
    ("My card was declined", "Your card was declined because the daily limit was reached."),
    ("Reset my PIN", "Done. The new PIN arrives by post in three days."),
    ("I lost my ticket", "I'm sorry to hear that! I have sent a new ticket to your email."),
    ("Can I bring a dog?", "Dogs are welcome on the terrace but not inside the restaurant."),
    ("What is the fee?", "The fee is 3 euros a month and falls away under the age of 26."),
    ("Can I change the date?", "The date can be changed once, up to 24 hours before departure."),
    ("Is breakfast included?", "Breakfast is only included in the flex rate."),
    ("Which size fits me?", "With 98 cm of chest a medium fits best."),
    ("How long does it take?", "It usually takes two working days, at most five."),
    ("I can't log in", "Please open the app, choose Forgot password and follow the link."),
    ("Book a table for four", "Your table for four is booked for Friday at eight."),
    ("Any vegetarian dishes?", "The lasagne and the curry are vegetarian."),
    ("What time do you close?", "We close at six, on Saturdays at two."),
    ("Do I need a visa?", "Citizens of the EU need no visa for stays below 90 days."),
    ("Is my flight on time?", "Flight 212 is delayed by forty minutes because of fog."),
    ("Cancel my subscription", "Your subscription ends on the last day of May."),
    ("Can I get a discount?", "Students get ten percent with a valid card."),
    ("Where do I park?", "The car park is behind the building; the first hour is free."),
    ("How do I clean the filter?", "Rinse it under warm water and let it dry for a day."),
    ("Do you repair screens?", "Yes, a new screen costs 89 euros and takes an hour."),
    ("I want a refund", "The refund of 42 euros was sent to your card today."),
    ("Is the pool heated?", "The outdoor pool is heated to 27 degrees until October."),
    ("Can two people share it?", "The account can be shared by up to two people."),
    ("My order is wrong", "I apologise for the mix-up; the right jacket ships today."),
    ("Transfer 50 euros to Ann", "I have transferred 50 euros to Ann."),
    ("May I speak to someone?", "A colleague will call you back within the hour."),
    ("What is the baggage limit?", "One bag of up to 23 kg, and a small one for the cabin."),
    ("Is the museum open today?", "It is closed on Mondays and opens tomorrow at ten."),
    ("How do I freeze my card?", "Open Cards in the app and tap Freeze; it acts at once."),
    ("Do you take cash?", "We cannot take cash on board, only cards."),
]


def pairs(*halves):
    """Return the pairs of refusal and compliance of some parts of the data."""
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["half"] in halves]


def test_the_pairs_of_the_tuning_half_are_told_apart():
    """At least 90 % of the replies that the cues were written with are told rightly by them."""
    told = [
        bool(find_refusal(row["user"], row[kind])) is (kind == "refusal")
        for row in pairs("tune")
        for kind in ("refusal", "compliance")
    ]
    assert len(told) == 72
    assert sum(told) >= LEAST * len(told)


@pytest.mark.parametrize("half", ["kept", "held"])
def test_the_pairs_kept_out_of_tuning_are_told_apart(half):
    """In at least 90 % of pairs that nothing was tuned on the refusal scores better."""
    found = pairs(half)
    told = []
    for row in found:
        scorer = DriftScorer(row["purpose"])
        scores = [
            scorer.step(scorer.start(), row["user"], row[kind])[1].drift.score
            for kind in ("refusal", "compliance")
        ]
        told.append(scores[0] > scores[1])
    assert len(told) == {"kept": 36, "held": 60}[half]
    assert sum(told) >= LEAST * len(told)


@pytest.mark.parametrize("half", ["kept", "held"])
def test_declining_what_is_off_purpose_raises_no_alarm(half):
    """At least 90 % of the refusals that nothing was tuned on leave the chat without an alarm."""
    kept = []
    for row in pairs(half):
        scorer = DriftScorer(row["purpose"])
        _, result = scorer.step(scorer.start(), row["user"], row["refusal"])
        kept.append(not result.drift.is_alarm())
    assert sum(kept) >= LEAST * len(kept)


def test_service_that_declines_a_wish_raises_no_alarm():
    """At most one in fifty replies that deny something within the purpose is an alarm."""
    rows = [json.loads(line) for line in SERVICE_REPLIES.read_text("utf-8").splitlines()]
    alarms = 0
    for row in rows:
        scorer = DriftScorer(row["purpose"])
        _, result = scorer.step(scorer.start(), row["user"], row["assistant"])
        alarms += result.drift.is_alarm()
    assert len(rows) == 80
    assert alarms <= len(rows) / 50


def test_ordinary_service_sentences_are_no_refusals():
    """At least 90 % of ordinary answers, "sorry" and "unfortunately" included, are answers."""
    assert len(SERVICE) >= 30
    wrong = [reply for user, reply in SERVICE if find_refusal(user, reply)]
    assert len(wrong) <= (1 - LEAST) * len(SERVICE), wrong


@pytest.mark.parametrize(
    "reply",
    [
        DECLINED,
        "I can only help with banking questions.",
        "That is outside of what I do here.",
        "I'm just a banking assistant. Let's get back to your account.",
        "Sorry, that's not something I can discuss. What can I do for your account?",
        "Dabei kann ich leider nicht helfen.",
    ],
)
def test_a_plain_refusal_is_seen(reply):
    """A reply that only declines is a refusal, and its cue is quoted from it."""
    found = find_refusal(ASKED, reply)
    assert found
    assert found.cue
    assert found.cue in reply[found.start : found.end]


def test_declining_and_answering_all_the_same_is_an_answer():
    """A reply that declines first and then answers at length is no refusal."""
    answer = (
        "Bake the dough at 220 degrees for forty minutes. Flour, yeast, salt and warm water are "
        "mixed, kneaded by hand and left under a cloth overnight until the loaf doubles in volume."
    )
    assert not find_refusal(ASKED, f"I can only help with banking. {answer}")


def test_declining_and_listing_steps_is_an_answer():
    """A reply that declines first and then lists steps or code is no refusal."""
    assert not find_refusal(ASKED, f"{DECLINED}\n1. Mix flour.\n2. Bake it.")
    assert not find_refusal(ASKED, f"{DECLINED}\n```\nprint(1)\n```")


@pytest.mark.parametrize("marker", ["This is off-topic", "OUT OF BOUNDS"])
def test_the_marker_is_a_refusal(marker):
    """The words the assistant is told to say are a refusal, in any case."""
    assert find_refusal(ASKED, f"{marker.lower()}.", marker=marker)


def test_a_quoted_marker_is_no_refusal():
    """The marker within a sentence is not said but spoken of."""
    assert not find_refusal(ASKED, "He said zebra stop.", marker="zebra stop")


@pytest.mark.parametrize("marker", [None, "", "  "])
def test_without_a_marker_only_the_cues_count(marker):
    """No marker, or a blank one, matches nothing."""
    assert not find_refusal(ASKED, "It is sunny.", marker=marker)
    assert find_refusal(ASKED, DECLINED, marker=marker)


@settings(deadline=None, max_examples=80)
@given(st.text(max_size=200), st.text(max_size=300))
def test_any_reply_can_be_read(user, reply):
    """Any two texts give None or a place within the reply."""
    found = find_refusal(user, reply)
    assert found is None or 0 <= found.start <= found.end <= len(reply)
