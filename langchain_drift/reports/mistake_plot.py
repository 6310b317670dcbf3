"""A mistake memory as a picture: actions, what came back, what that led to."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

import networkx as nx

from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.event import Kind
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.recording import ScopeLike
from langchain_drift.reports.axes import LINES, as_said, label, make_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS: Final = {"action": "action", "feedback": "came back", "outcome": "led to"}
_COLOURS: Final = dict(zip(_COLUMNS, (LINES[0], LINES[1], LINES[3]), strict=True))
_TEXT: Final = 66
_LINE: Final = 34
_WIDEST: Final = 9.0

Places = dict[Any, tuple[float, float]]
"""Where each node stands: 0 to 2 across, rows down."""


def plot_mistakes(
    memory: "DriftGuard | nx.DiGraph",
    *,
    kind: Kind = "mistake",
    scope: ScopeLike = None,
    limit: int = 12,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot a memory: which actions failed, what came back, and what that led to.

    A line is as wide as its chain is frequent; the number says how often a node was seen.

    Args:
        memory: A guard, or a graph of `DriftGuard.graph`.
        kind: `mistake` or `success`, of a guard.
        scope: Whose memory, of a guard.
        limit: Actions to show, the most frequent first.
        ax: The axes to draw on; by default those of a new figure.

    Raises:
        InvalidInputError: If the memory is empty, or is neither a guard nor such a graph.
        StoreError: If the memory cannot be read.
        MissingExtraError: If matplotlib is not installed.
    """
    limit = check_count("limit", limit)
    whole = memory.graph(kind, scope=scope) if isinstance(memory, DriftGuard) else memory
    graph = _most_frequent(_checked(whole), limit)
    places = _lay_out(graph)
    rows = max(height for _, height in places.values()) + 1
    axes = make_axes(11, 1.2 + 0.62 * rows) if ax is None else ax
    _draw_edges(axes, graph, places)
    _draw_nodes(axes, graph, places)
    left_out = sum(role == "action" for role, _ in whole) - limit
    _frame(axes, rows, f"{left_out} less frequent actions are left out" if left_out > 0 else "")
    return axes


def _checked(graph: object) -> nx.DiGraph:
    if not isinstance(graph, nx.DiGraph) or any("role" not in d for _, d in graph.nodes(data=True)):
        message = f"{graph!r:.60} is no memory; give a DriftGuard or what its graph() returns."
        raise InvalidInputError(message)
    if not graph:
        message = "The memory is empty in this scope; `guard.scopes()` names those that are not."
        raise InvalidInputError(message)
    return graph


def _most_frequent(graph: nx.DiGraph, limit: int) -> nx.DiGraph:
    actions = [node for node, data in graph.nodes(data=True) if data["role"] == "action"]
    shown = sorted(actions, key=lambda node: -graph.nodes[node]["frequency"])[:limit]
    kept = set(shown).union(*(nx.descendants(graph, node) for node in shown))
    found = graph.copy()
    found.remove_nodes_from([node for node in graph if node not in kept])
    return found


def _lay_out(graph: nx.DiGraph) -> Places:
    """Place actions by frequency, the other nodes as near as can be to what leads to them."""
    columns: dict[str, list[Any]] = defaultdict(list)
    for node, data in graph.nodes(data=True):
        columns[data["role"]].append(node)
    columns["action"].sort(key=lambda node: -graph.nodes[node]["frequency"])
    tallest = max(map(len, columns.values()))
    places: Places = {}
    for across, role in enumerate(_COLUMNS):
        if across:
            columns[role].sort(key=lambda node: _mean(_heights(graph, node, places)))
        wanted = [_mean(_heights(graph, node, places)) for node in columns[role]]
        heights = _spread(wanted, tallest) if across else map(float, range(len(wanted)))
        places |= {node: (across, up) for node, up in zip(columns[role], heights, strict=True)}
    return places


def _spread(wanted: Sequence[float], rows: int) -> list[float]:
    """Return heights near those that are wanted, in their order, at least 1 apart."""
    found: list[float] = []
    for height in wanted:
        found.append(max(height, found[-1] + 1 if found else 0.0))
    highest = rows - 1.0
    for place in reversed(range(len(found))):
        found[place] = min(found[place], highest)
        highest = found[place] - 1
    return found


def _heights(graph: nx.DiGraph, node: object, places: Places) -> Iterable[float]:
    return [places[before][1] for before in graph.predecessors(node) if before in places]


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def _draw_edges(axes: "Axes", graph: nx.DiGraph, places: Places) -> None:
    from matplotlib.patches import PathPatch  # noqa: PLC0415 - an extra
    from matplotlib.path import Path  # noqa: PLC0415 - an extra

    for source, target, data in graph.edges(data=True):
        (left, start), (right, end) = places[source], places[target]
        middle = (left + right) / 2
        curve = [(left, start), (middle, start), (middle, end), (right, end)]
        path = Path(curve, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        width = min(_WIDEST, 1.2 * sqrt(data["frequency"]))
        axes.add_patch(PathPatch(path, fc="none", ec="0.6", alpha=0.6, lw=width, zorder=1))


def _draw_nodes(axes: "Axes", graph: nx.DiGraph, places: Places) -> None:
    for node, data in graph.nodes(data=True):
        colour = _COLOURS[data["role"]]
        said = fill(label(data["text"], _TEXT) or "(nothing)", _LINE)
        text = axes.text(
            *places[node],
            f"{said}\n{_times(data['frequency'])}",
            ha="center",
            va="center",
            fontsize="small",
            linespacing=1.15,
            bbox={
                "boxstyle": "round,pad=0.35",
                "fc": axes.get_facecolor(),
                "ec": colour,
                "lw": 1.4,
            },
            zorder=2,
        )
        as_said(text)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _frame(axes: "Axes", rows: float, note: str) -> None:
    axes.set_xlim(-0.5, 2.5)
    axes.set_ylim(rows - 0.4, -0.6)
    axes.set_xticks(range(len(_COLUMNS)), list(_COLUMNS.values()), fontweight="bold")
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    if note:
        axes.set_xlabel(note)
