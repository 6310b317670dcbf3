import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.text.polarity import find_sides, is_negated


@pytest.mark.parametrize(
    "text",
    [
        "do not delete it", "don't", "I can't", "never again", "No.", "no onions", "without cheese",
        "Nobody came", "nicht löschen", "Das ist keine gute Idee für mich", "no quiero nada",
        "Je ne veux pas de ça", "Non voglio questo per me", "Eu não quero isso", "Ik wil het niet",
        "ne pas supprimer", "I do not know why it does not work", "dont do that",
        "I'm not sure, but it is not open", "I'm not sure.", "I don't know if it is open",
    ],
)  # fmt: skip
def test_negated(text):
    """A negating word of seven languages negates."""
    assert is_negated(text)


@pytest.mark.parametrize(
    "text",
    [
        "delete it", "No, cancel it", "not without reason", "Do not deploy without tests",
        "hotels in Chiang Mai", "Ich war am Montag in der Stadt", "Estou no banco para você",
        "La carte dont je parle est à moi", "", "note the knot",
        "I'm not sure, but it opens at nine", "Well, I’m not quite sure but it is red",
        "I don't know exactly, but the shop opens at nine",
    ],
)  # fmt: skip
def test_not_negated(text):
    """Answers, double negations and look-alikes of other languages do not negate."""
    assert not is_negated(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("enabling TLS", {("enable/disable", "enable")}),
        ("it was disabled", {("enable/disable", "disable")}),
        ("turn the payment retry off", {("on/off", "off")}),
        ("turn on the light", {("on/off", "on")}),
        ("on Monday in the morning", set()),
        ("scale up", {("up/down", "up")}),
        ("set up the server", set()),
        ("sign out", {("in/out", "out")}),
        ("test it", set()),
        ("Keep the logs", {("keep/delete", "keep")}),
        ("the worker keeps running", set()),
    ],
)
def test_sides(text, expected):
    """Inflected words take sides; particles only after their verbs, doubtful verbs as orders."""
    assert find_sides(text) == expected


def test_environments_exclude_one_another():
    """Staging, production and the test server are sides of one opposition."""
    texts = ("deploy to staging", "deploy to prod", "use the test server", "a dev box")
    sides = [find_sides(text) for text in texts]
    assert len({name for side in sides for name, _ in side}) == 1
    assert len(frozenset.union(*sides)) == 4


@given(st.text())
def test_any_text_can_be_judged(text):
    """No text fails."""
    assert isinstance(is_negated(text), bool)
    assert isinstance(find_sides(text), frozenset)
