"""Conversations as lines over the bands of the verdicts."""

import math

import pytest

from langchain_drift import (
    DriftCallbackHandler,
    DriftTracker,
    DriftVerdict,
    InvalidInputError,
    ThreadReport,
    TurnRecord,
    plot_drift,
)


def lines(axes):
    return [line for line in axes.get_lines() if len(line.get_xdata())]


def marks(axes):
    """Return how many points each scatter has."""
    return [len(found.get_offsets()) for found in axes.collections]


def test_a_line_goes_through_the_scores(pyplot, chat):
    """The height of a line at a turn is the score after it."""
    (line,) = lines(plot_drift(chat(95, 10, 80)))
    assert list(line.get_xdata()) == [1, 2, 3]
    assert list(line.get_ydata()) == [95, 10, 80]


def test_every_verdict_is_a_named_band(pyplot, chat):
    """The bands cover 0 to 100 without a gap and carry their names."""
    axes = plot_drift(chat(95))
    assert [text.get_text() for text in axes.texts] == [verdict.value for verdict in DriftVerdict]
    edges = sorted((band.get_y(), band.get_y() + band.get_height()) for band in axes.patches)
    assert edges == [(0, 35), (35, 55), (55, 75), (75, 90), (90, 100)]


def test_departures_and_returns_are_marked(pyplot, chat):
    """There is a mark for each departure and each return, and none where nothing happened."""
    assert marks(plot_drift(chat(95, 10, 80, 20, 15))) == [2, 1]
    assert marks(plot_drift(chat(95, 90))) == []


def test_a_turn_that_was_not_judged_is_hollow(pyplot, chat):
    """A turn whose score stayed has a marker of its own."""
    first, second = chat(95, 95)
    second = second.model_copy(update={"abstained": "no_reply"})
    assert marks(plot_drift([first, second])) == [1]


def test_a_missing_score_is_a_gap(pyplot, chat):
    """A turn without a score leaves a gap at its number."""
    (line,) = lines(plot_drift(chat(95, None, 80)))
    assert list(line.get_xdata()) == [1, 2, 3]
    assert math.isnan(line.get_ydata()[1])


def test_conversations_are_overlaid_with_their_names(pyplot, chat):
    """Each of several conversations has a line of its own colour and its name."""
    axes = plot_drift({"a": chat(95, 90), "_b $x$": chat(95, 20, 80)})
    assert len({line.get_color() for line in lines(axes)}) == 2
    texts = axes.get_legend().get_texts()
    assert [text.get_text() for text in texts] == ["a", "_b $x$"]
    axes.figure.canvas.draw()


def test_of_many_conversations_the_worst_stand_out(pyplot, chat):
    """The seven lowest have a colour and a name, the others share grey and one entry."""
    axes = plot_drift({str(n): chat(95, 90 - n) for n in range(20)})
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == [*map(str, range(13, 20)), "13 others"]
    assert len(lines(axes)) == 20


def test_hostile_names_are_drawn_as_text(pyplot, chat, hostile):
    """A formula, markup or an escape in a name is drawn as it stands."""
    axes = plot_drift({hostile: chat(95), "$\\frac{": chat(20)})
    axes.figure.canvas.draw()
    assert not set(axes.get_legend().get_texts()[0].get_text()) & set("\x1b\x00\u202e\n")


def test_axes_can_be_given(pyplot, chat):
    """A plot goes where it is told and makes no figure then."""
    _, (left, right) = pyplot.subplots(1, 2)
    assert plot_drift(chat(95), ax=right) is right
    assert not left.get_lines()
    assert len(pyplot.get_fignums()) == 1


def test_a_tracker_a_handler_and_a_thread_can_be_plotted(pyplot, chat):
    """Whatever keeps turns can be given as it is."""
    tracker = DriftTracker("Help customers with savings accounts, credit cards and loans.")
    tracker.record_turn("What do I need for a loan?", "Proof of income for the loan.")
    (line,) = lines(plot_drift(tracker))
    assert list(line.get_ydata()) == [tracker.check().drift.score]
    records = [TurnRecord(**dict(turn), thread_id="7", run_id="r") for turn in chat(95, 20)]
    thread = ThreadReport(thread_id="7", turns=tuple(records), total_turns=2)
    (line,) = lines(plot_drift(thread))
    assert list(line.get_ydata()) == [95, 20]
    with pytest.raises(InvalidInputError, match="DriftCallbackHandler has no turn to show"):
        plot_drift(DriftCallbackHandler("You help."))


@pytest.mark.parametrize("source", [3, "chat.json", [3], {"a": 3}, None])
def test_what_has_no_turns_is_refused(source):
    """Something else is refused in a sentence that says what can be given."""
    with pytest.raises(InvalidInputError, match="give a tracker, a handler"):
        plot_drift(source)


def test_a_redone_turn_keeps_its_number(pyplot, chat):
    """A turn that was answered again stands at the number it had."""
    first, second = chat(95, 20)
    again = second.model_copy(update={"drift": second.drift.model_copy(update={"score": 90})})
    (line,) = lines(plot_drift([first, second, again]))
    assert list(line.get_xdata()) == [1, 2, 2]
