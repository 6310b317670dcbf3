"""An answer as a heat map: its sentences against the chunks."""

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from langchain_drift.errors import InvalidInputError
from langchain_drift.reports.axes import as_said, label, make_axes
from langchain_drift.retrieval.report import RetrieverDriftReport, SentenceSupport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OFF: Final = "#D55E00"
_SENTENCE: Final = 44
_MOST_NUMBERS: Final = 200
_DARK: Final = 0.55


def plot_grounding(report: RetrieverDriftReport, *, ax: "Axes | None" = None) -> "Axes":
    """Plot how like each sentence of an answer is to each chunk.

    A row is a sentence with its drift score; a sentence above the report's threshold is marked
    with ▼. A frame marks the chunk that carries a sentence best. Below each chunk stands how well
    it fits the question.

    Args:
        report: A report of an answer that was held against at most 100 chunks, sentence by
            sentence.
        ax: The axes to draw on; by default those of a new figure.

    Raises:
        InvalidInputError: If the report has no sentences that were held against chunks.
        MissingExtraError: If matplotlib is not installed.
    """
    rows = [each for each in report.sentences if each.by_chunk]
    if not rows:
        message = (
            f"This report ({report.status}, {report.method}) has no sentence that was held "
            "against each chunk; plot one of the semantic or lexical tier, of at most 100 chunks."
        )
        raise InvalidInputError(message)
    chunks = len(rows[0].by_chunk)
    axes = make_axes(4.5 + 0.7 * min(chunks, 20), 1.6 + 0.4 * len(rows)) if ax is None else ax
    values = np.array([each.by_chunk for each in rows])
    image = axes.imshow(values, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    if values.size <= _MOST_NUMBERS:
        _write_numbers(axes, values)
    _frame_best(axes, rows)
    _label_rows(axes, rows, report.threshold)
    _label_chunks(axes, report, chunks)
    bar = axes.figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02)
    bar.set_label("likeness")
    return axes


def _write_numbers(axes: "Axes", values: NDArray[np.float64]) -> None:
    for (row, column), value in np.ndenumerate(values):
        colour = "white" if value > _DARK else "#222222"
        axes.text(
            column, row, f"{value:.2f}", ha="center", va="center", color=colour, fontsize="small"
        )


def _frame_best(axes: "Axes", rows: list[SentenceSupport]) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - an extra

    for place, each in enumerate(rows):
        if each.chunk is not None:
            corner = (each.chunk - 0.5, place - 0.5)
            axes.add_patch(Rectangle(corner, 1, 1, fill=False, ec="#222222", lw=1.8, zorder=3))


def _label_rows(axes: "Axes", rows: list[SentenceSupport], threshold: float) -> None:
    drifted = [each.drift_score > threshold for each in rows]
    axes.set_yticks(
        range(len(rows)),
        [
            f"{label(each.text, _SENTENCE)}  {'▼' if is_off else ' '}{each.drift_score:.2f}"
            for each, is_off in zip(rows, drifted, strict=True)
        ],
    )
    for text, is_off in zip(axes.get_yticklabels(), drifted, strict=True):
        as_said(text)
        if is_off:
            text.set_color(_OFF)
            text.set_fontweight("bold")
    axes.set_title(
        f"sentences, their drift (▼ above {threshold:.2f}), and the chunks",
        fontsize="medium",
        loc="right",
    )


def _label_chunks(axes: "Axes", report: RetrieverDriftReport, chunks: int) -> None:
    fits = {each.index: each.relevance for each in report.chunks}
    step = 1 + chunks // 20
    shown = range(0, chunks, step)
    axes.set_xticks(shown, [_chunk_name(place, fits.get(place)) for place in shown])
    has_fits = any(fit is not None for fit in fits.values())
    axes.set_xlabel("chunk, and how well it fits the question" if has_fits else "chunk")


def _chunk_name(place: int, fit: float | None) -> str:
    return str(place) if fit is None else f"{place}\n{fit:.2f}"
