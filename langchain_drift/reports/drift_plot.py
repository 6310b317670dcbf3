"""Conversations as lines: the score of every turn over the bands of the verdicts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from langchain_drift.conversation.verdict import DriftVerdict
from langchain_drift.reports.axes import LINES, as_said, label, make_axes
from langchain_drift.reports.conversation import Conversation, DriftSource, conversations_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_BANDS: Final = {
    DriftVerdict.FRESH: ("#0072B2", 0.16),
    DriftVerdict.MILD: ("#0072B2", 0.07),
    DriftVerdict.MODERATE: ("#7F7F7F", 0.07),
    DriftVerdict.SEVERE: ("#D55E00", 0.12),
    DriftVerdict.CRITICAL: ("#D55E00", 0.24),
}
_MARKERS: Final = "osDPXph"
_LEFT, _BACK = "v", "^"
_NAME: Final = 28
_TOP: Final = 100.0


def plot_drift(source: DriftSource, *, ax: "Axes | None" = None) -> "Axes":
    """Plot the score of every turn, with the verdict bands and where conversations left.

    A filled triangle that points down marks a departure, one that points up a return. A hollow
    marker is a turn that was not judged: the score stayed. Of more than seven conversations the
    seven with the lowest scores have colours and names, the others are grey.

    Args:
        source: A tracker (the last turns it keeps), a handler, a thread of it, a list of results,
            or a dict of such lists by the name of the conversation.
        ax: The axes to draw on; by default those of a new figure.

    Returns:
        The axes; `ax.figure.savefig("drift.png")` writes them to a file.

    Raises:
        InvalidInputError: If there is no turn to show.
        MissingExtraError: If matplotlib is not installed.
    """
    found = conversations_of(source)
    axes = make_axes(8, 4) if ax is None else ax
    _draw_bands(axes)
    shown = sorted(range(len(found)), key=lambda place: _lowest(found[place]))[: len(LINES)]
    handles = [_draw(axes, found[place], n) for n, place in enumerate(sorted(shown))]
    others = [found[place] for place in range(len(found)) if place not in shown]
    for each in others:
        (line,) = axes.plot(each.numbers, _heights(each), color="0.6", alpha=0.5, lw=0.8, zorder=2)
        handles += [line] if each is others[0] else []
    names = [label(found[place].name, _NAME) for place in sorted(shown)]
    names += [f"{len(others)} others"] if others else []
    if len(found) > 1:
        _name_lines(axes, handles, names)
    _label(axes)
    return axes


def _lowest(conversation: Conversation) -> float:
    return _TOP if conversation.lowest is None else conversation.lowest


def _heights(conversation: Conversation) -> list[float]:
    return [float("nan") if score is None else score for score in conversation.scores]


def _draw(axes: "Axes", conversation: Conversation, n: int) -> "Line2D":
    colour, heights = LINES[n], _heights(conversation)
    (line,) = axes.plot(
        conversation.numbers,
        heights,
        color=colour,
        marker=_MARKERS[n],
        ms=4,
        lw=1.6,
        zorder=3,
        clip_on=False,  # a score of 100 is on the edge
    )
    turns = list(zip(conversation.turns, conversation.numbers, heights, strict=True))
    kept = [(number, height) for turn, number, height in turns if turn.abstained]
    left = [(number, height) for turn, number, height in turns if turn.departed]
    back = [(number, height) for turn, number, height in turns if turn.returned]
    ground = axes.get_facecolor()
    _mark(axes, kept, 22, marker=_MARKERS[n], color=ground, edgecolors=colour)
    _mark(axes, left, 110, marker=_LEFT, color=colour, edgecolors=ground)
    _mark(axes, back, 110, marker=_BACK, color=colour, edgecolors=ground)
    return line


def _mark(axes: "Axes", places: Sequence[tuple[int, float]], size: int, **style: Any) -> None:  # noqa: ANN401 - matplotlib's
    if places:
        across, up = zip(*places, strict=True)
        axes.scatter(across, up, s=size, zorder=4, clip_on=False, **style)


def _draw_bands(axes: "Axes") -> None:
    top = _TOP
    for verdict, (colour, strength) in _BANDS.items():
        least = verdict.lower_bound
        axes.axhspan(least, top, color=colour, alpha=strength, lw=0, zorder=0)
        axes.text(
            1.01,
            (least + top) / 2,
            verdict.value,
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize="small",
        )
        top = least


def _name_lines(axes: "Axes", handles: "list[Line2D]", names: list[str]) -> None:
    legend = axes.legend(
        handles,
        names,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=min(4, len(names)),
        frameon=False,
        fontsize="small",
    )
    for text in legend.get_texts():
        as_said(text)


def _label(axes: "Axes") -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - an extra

    axes.set_ylim(0, _TOP)
    axes.set_yticks([0, *sorted(verdict.lower_bound for verdict in _BANDS)[1:], _TOP])
    axes.set_ylabel("on purpose (score)")
    axes.set_xlabel("turn  (▼ left its purpose, ▲ came back)")
    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    axes.spines[["top", "right"]].set_visible(False)
