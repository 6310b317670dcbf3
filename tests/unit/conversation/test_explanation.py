import itertools

import pytest

from langchain_drift import Abstention, Cause, DriftScorer, DriftVerdict, TurnEvidence
from langchain_drift.conversation.explanation import explain

BANK = "You are an assistant for Harbour Bank. Help with accounts, cards and loans."
BREAD = ("How do I bake bread?", "Mix flour, water, salt and yeast and bake the dough.")
GOOD = {DriftVerdict.FRESH, DriftVerdict.MILD}
BAD = {DriftVerdict.SEVERE, DriftVerdict.CRITICAL}


def evidence(**changed):
    """Return evidence of a turn, with some of it changed."""
    plain = {
        "nearest": "Help with cards.",
        "similarity": 0.2,
        "rival": "Baking bread.",
        "rival_similarity": 0.6,
        "on_purpose": 0.1,
        "user_on_purpose": 0.1,
        "substance": 1.0,
        "coverage": 1.0,
        "new_words": ("bread", "flour"),
    }
    return TurnEvidence(**plain | changed)


def said(verdict=DriftVerdict.CRITICAL, found=None, **changed):
    """Explain a turn that is clearly off purpose unless told otherwise."""
    plain = {"abstained": None, "cause": None, "refused": False, "turn_number": 3}
    return explain(verdict, evidence=found, **plain | changed)


@pytest.mark.parametrize("reason", list(Abstention))
def test_every_abstention_has_a_reason(reason):
    """Each way not to judge is one sentence of its own that begins alike."""
    found = said(abstained=reason)
    assert found.startswith("Not judged: ")
    assert found.endswith(".")
    assert len({said(abstained=other) for other in Abstention}) == len(Abstention)


def test_an_off_purpose_turn_names_both_sides():
    """The explanation quotes the nearest statement and the nearer topic with their cosines."""
    found = said(found=evidence())
    assert "Help with cards" in found
    assert "Baking bread" in found
    assert "(0.20)" in found
    assert "(0.60)" in found


def test_without_a_nearer_topic_the_new_words_are_named():
    """Where no topic is nearer the words that the purpose lacks speak."""
    assert "bread, flour" in said(found=evidence(rival_similarity=0.1))


def test_without_new_words_nothing_dangles():
    """Where there are no new words the explanation does not announce any."""
    assert "lacks: ." not in said(found=evidence(rival_similarity=0.1, new_words=()))


def test_a_turn_on_purpose_by_nearness_names_the_topic_it_sounds_like():
    """Where another topic is nearer than the prompt, the topic near the purpose is the reason."""
    near = evidence(on_purpose=0.9, related="Running a bakery.", related_similarity=0.7)
    found = said(DriftVerdict.FRESH, near)
    assert "Running a bakery” (0.70), which is near the purpose" in found
    assert "Help with cards" not in found
    plain = near.model_copy(update={"similarity": 0.65})
    assert "nearest to “Help with cards” (0.65)" in said(DriftVerdict.FRESH, plain)
    farther = near.model_copy(update={"related_similarity": 0.5})
    assert "near the purpose" not in said(DriftVerdict.FRESH, farther)
    shared = near.model_copy(update={"known_words": ("card",)})
    assert "near the purpose" not in said(DriftVerdict.FRESH, shared)


def test_a_turn_that_inherits_is_not_called_far_from_what_it_is_near_to():
    """A doubtful turn alone is told as it is: nearer to another topic, or no clear case."""
    assert "is nearer to “Baking bread”" in said(DriftVerdict.FRESH, evidence())
    unclear = said(DriftVerdict.FRESH, evidence(similarity=0.7))
    assert "no clear case, nearest to “Help with cards” (0.70), but it follows" in unclear
    assert "Baking" not in unclear


def test_the_verdict_and_the_reason_do_not_contradict():
    """Good bands say on purpose, bad bands say off purpose, whatever the turn alone is."""
    for verdict, on in itertools.product(DriftVerdict, (0.05, 0.95)):
        found = said(verdict, evidence(on_purpose=on))
        assert found.startswith("On purpose") == (verdict in GOOD)
        assert ("ff purpose" in found.split(":")[0]) == (verdict in BAD)


def test_a_first_turn_is_not_explained_by_others():
    """At turn 1 no explanation speaks of turns before it, whatever the verdict."""
    for verdict, on in itertools.product(DriftVerdict, (0.05, 0.95)):
        found = said(verdict, evidence(on_purpose=on), turn_number=1)
        assert "follows turns" not in found
        assert "turns before" not in found


def test_the_cause_is_told():
    """An assistant that leaves alone, an injection and a refusal are each told."""
    assert "user kept to the purpose" in said(found=evidence(), cause=Cause.ASSISTANT)
    assert "user kept" not in said(found=evidence(), cause=Cause.BOTH)
    assert "change the instructions" in said(found=evidence(is_injection=True))
    declined = said(
        DriftVerdict.FRESH, evidence(cue="I can't help"), cause=Cause.USER, refused=True
    )
    assert "“I can't help”" in declined
    assert "off-purpose request" in declined


def test_long_quotes_are_cut():
    """A long statement is quoted by its start, on one line."""
    found = said(found=evidence(nearest="Help\nwith cards. " * 200, rival="Bread. " * 200))
    assert len(found) < 400
    assert "\n" not in found


def test_without_evidence_the_band_is_the_reason():
    """A strategy without evidence is explained by the verdict alone."""
    assert said(DriftVerdict.MODERATE) == "Doubtful."


@pytest.mark.parametrize(
    ("user", "assistant"),
    [
        BREAD,
        ("What is a deposit slip?", "A form that accompanies cash you pay in."),
        ("How long should I boil an egg?", "About nine minutes for a firm yolk."),
        ("Freeze my card please", "I have frozen your card."),
        ("Hi Dad", "Hi Dad, all is well with me."),
        ("What are the opening hours of the branch?", "It is open from 9 to 5."),
    ],
)
def test_the_first_turn_follows_nothing(user, assistant):
    """No explanation of a first turn speaks of turns before it."""
    scorer = DriftScorer(BANK)
    _, result = scorer.step(scorer.start(), user, assistant)
    assert "follows turns" not in result.explanation
    assert "turns before" not in result.explanation
