"""An answer as a heat map of its sentences and the chunks."""

import pytest

from langchain_drift import InvalidInputError, detect, plot_grounding

CHUNKS = [
    "The daily limit is 500 euros. It can be raised in the app.",
    "Cards cost 12 euros a year.",
    "Opening hours are nine to five.",
]
ANSWER = "The daily limit is 5000 euros. A card costs 12 euros a year."


@pytest.fixture(scope="module")
def report():
    return detect("What is the daily limit?", CHUNKS, ANSWER)


def test_a_cell_is_the_likeness_of_a_sentence_and_a_chunk(pyplot, report):
    """There is a row for each sentence and a column for each chunk."""
    axes = plot_grounding(report)
    (image,) = axes.get_images()
    assert image.get_array().tolist() == [list(each.by_chunk) for each in report.sentences]
    assert len(axes.texts) == 6
    assert len(axes.get_xticks()) == 3


def test_a_frame_marks_the_chunk_that_carries(pyplot, report):
    """The frame of a row stands around the chunk that the report names."""
    frames = [frame.get_xy() for frame in plot_grounding(report).patches]
    assert frames == [(each.chunk - 0.5, row - 0.5) for row, each in enumerate(report.sentences)]
    assert [each.chunk for each in report.sentences] == [0, 1]


def test_a_sentence_above_the_threshold_is_marked(pyplot, report):
    """The mark follows the report's threshold."""
    labels = [text.get_text() for text in plot_grounding(report).get_yticklabels()]
    assert ["▼" in label for label in labels] == [True, False]
    labels = [text.get_text() for text in plot_grounding(report.at(0.0)).get_yticklabels()]
    assert all("▼" in label for label in labels)


def test_hostile_sentences_are_drawn_as_text(pyplot, hostile):
    """A formula or an escape in an answer is drawn as it stands."""
    report = detect(None, ["It costs $5 and $6."], f"It costs $\\frac{{5 and $6. {hostile}")
    axes = plot_grounding(report)
    axes.figure.canvas.draw()
    labels = axes.get_yticklabels()
    assert any("$\\frac{5 and $6." in label.get_text() for label in labels)
    assert not any(label.get_parse_math() for label in labels)


def test_axes_can_be_given(pyplot, report):
    """The plot goes where it is told."""
    _, axes = pyplot.subplots()
    assert plot_grounding(report, ax=axes) is axes


def test_a_report_without_sentences_is_refused(pyplot):
    """Where nothing was held against chunks there is nothing to plot, and the error says so."""
    with pytest.raises(InvalidInputError, match=r"This report \(abstained, semantic\)"):
        plot_grounding(detect("What is the limit?", CHUNKS, "I don't know."))
    with pytest.raises(InvalidInputError, match="at most 100 chunks"):
        plot_grounding(detect(None, CHUNKS * 40, ANSWER, method="lexical"))
