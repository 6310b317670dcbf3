import pytest

from langchain_drift import (
    CallableEmbeddingStrategy,
    CompositeStrategy,
    DriftTracker,
    InvalidInputError,
    KeywordStrategy,
    PublishedFormulaStrategy,
    PurposeStrategy,
)

BANK = "You are an assistant for Harbour Bank. Help with accounts, cards and loans."
MARKER = "Zebra crossing ahead"


def letters(text):
    """Embed a text as the counts of its letters: no refusal depends on it."""
    return [1.0, *(float(text.count(letter)) for letter in "etaoinsrhl")]


LOOKING = {
    "alone": lambda: [PurposeStrategy()],
    "its own marker": lambda: [PurposeStrategy(off_topic_marker="Ask elsewhere")],
    "beside another": lambda: [KeywordStrategy(), PurposeStrategy()],
    "in a composite": lambda: [CompositeStrategy([PurposeStrategy(), KeywordStrategy()])],
    "by a subclass": lambda: [CallableEmbeddingStrategy(letters)],
}


def refuses(tracker, reply):
    """Whether a tracker takes a reply for a refusal."""
    return tracker.record_turn("Who won the football match yesterday?", reply).refused


@pytest.mark.parametrize("name", LOOKING)
def test_a_marker_given_beside_strategies_is_honoured(name):
    """Every strategy that looks for refusals uses the tracker's marker, wherever it stands."""
    tracker = DriftTracker(BANK, strategies=LOOKING[name](), off_topic_marker=MARKER)
    assert refuses(tracker, f"{MARKER}.")
    assert not refuses(DriftTracker(BANK, strategies=LOOKING[name]()), f"{MARKER}.")


def test_the_default_leaves_each_strategy_its_own():
    """A tracker without a marker keeps those of the strategies."""
    own = PurposeStrategy(off_topic_marker=MARKER)
    tracker = DriftTracker(BANK, strategies=[own])
    assert tracker.scorer.strategy is own
    assert refuses(tracker, f"{MARKER}.")


def test_none_turns_the_marker_off():
    """None is no marker, and with strategies that look for none it asks nothing."""
    own = PurposeStrategy(off_topic_marker=MARKER)
    none = DriftTracker(BANK, strategies=[own], off_topic_marker=None)
    assert not refuses(none, f"{MARKER}.")
    assert none.scorer.strategy.off_topic_marker is None
    DriftTracker(BANK, strategies=[KeywordStrategy()], off_topic_marker=None)


def test_given_strategies_are_not_changed():
    """Strategies can be shared between trackers with different markers."""
    shared = PurposeStrategy()
    mixed = CompositeStrategy([shared, KeywordStrategy()], [3, 1])
    tracker = DriftTracker(BANK, strategies=[mixed], off_topic_marker=MARKER)
    assert (shared.off_topic_marker, mixed.strategies[0]) == ("This is off-topic", shared)
    assert tracker.scorer.strategy.weights == mixed.weights


@pytest.mark.parametrize(
    "strategies",
    [
        [KeywordStrategy()],
        [PublishedFormulaStrategy()],
        [CompositeStrategy([KeywordStrategy()])],
    ],
)
def test_a_marker_that_nothing_looks_for_is_refused(strategies):
    """The error names the marker, the strategies and the way out."""
    with pytest.raises(InvalidInputError, match=f"'{MARKER}'") as caught:
        DriftTracker(BANK, strategies=strategies, off_topic_marker=MARKER)
    assert type(strategies[0]).__name__ in str(caught.value)
    assert "PurposeStrategy" in str(caught.value)
