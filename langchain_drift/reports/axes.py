"""Axes to draw on, and text on them that is shown as it was said."""

from typing import TYPE_CHECKING

from langchain_drift.errors import MissingExtraError
from langchain_drift.shown import on_a_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F")
"""Colours that people with any kind of colour vision tell apart (Okabe and Ito's, and a grey)."""


def make_axes(width: float, height: float) -> "Axes":
    """Return the axes of a new figure of so many inches.

    pyplot makes the figure, so a notebook shows it; without a display it falls back to files.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot as plt  # noqa: PLC0415 - an extra
    except ImportError as error:
        package, extra = "matplotlib", "plot"
        raise MissingExtraError(package, extra) from error
    _, axes = plt.subplots(figsize=(width, height), layout="constrained")
    return axes


def as_said(text: "Text") -> None:
    """Show a text as it is: a dollar sign begins no formula."""
    text.set_parse_math(False)


def label(text: str, longest: int) -> str:
    """Return a text as a label on one line."""
    return on_a_line(text, longest)
