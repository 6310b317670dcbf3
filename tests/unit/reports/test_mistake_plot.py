"""A mistake memory as a picture."""

import itertools

import networkx as nx
import pytest

from langchain_drift import InvalidInputError, plot_mistakes


def texts(axes):
    return [" ".join(text.get_text().split()) for text in axes.texts]


@pytest.fixture
def filled(guard):
    guard.record("delete the temp directory", "build cache was wiped", "40 minutes lost")
    guard.record("delete the temp directory", "build cache was wiped")
    guard.record("echo $HOME and $PATH", "permission denied: $HOME")
    guard.record_success("list files", "12 files", scope="production")
    return guard


def test_every_node_is_there_with_how_often_it_was_seen(pyplot, filled):
    """A node is its text and its number, an edge is a line."""
    axes = plot_mistakes(filled)
    assert set(texts(axes)) == {
        "delete the temp directory 2 times",
        "build cache was wiped 2 times",
        "40 minutes lost once",
        "echo $HOME and $PATH once",
        "permission denied: $HOME once",
    }
    assert len(axes.patches) == 3
    axes.figure.canvas.draw()


def test_a_chain_reads_from_left_to_right(pyplot, filled):
    """Actions stand left, what came back in the middle, what it led to right."""
    at = {
        text.get_text().split("\n")[0]: text.get_position() for text in plot_mistakes(filled).texts
    }
    action, feedback, outcome = (
        at[name]
        for name in ("delete the temp directory", "build cache was wiped", "40 minutes lost")
    )
    assert (action[0], feedback[0], outcome[0]) == (0, 1, 2)
    assert action[1] == feedback[1] == outcome[1]


def test_no_two_nodes_stand_in_one_place(pyplot, guard):
    """Nodes of a column keep their distance however the chains cross."""
    for number in range(9):
        guard.record(f"run step {number}", f"error {number % 4}", f"lost {number % 2} hours")
    places = sorted(text.get_position() for text in plot_mistakes(guard).texts)
    for (left, up), (right, down) in itertools.pairwise(places):
        assert left != right or down - up >= 1 - 1e-9


def test_a_limit_keeps_the_most_frequent(pyplot, filled):
    """Beyond the limit the rarest actions go, with what only they led to; the plot says so."""
    axes = plot_mistakes(filled, limit=1)
    assert not any("HOME" in text for text in texts(axes))
    assert axes.get_xlabel() == "1 less frequent actions are left out"


def test_graphs_kinds_and_scopes_can_be_given(pyplot, filled):
    """A graph of a guard can be plotted, and another kind or scope of a guard."""
    assert len(texts(plot_mistakes(filled.graph(merged=True)))) == 5
    shown = texts(plot_mistakes(filled, kind="success", scope="production"))
    assert shown == ["list files once", "12 files once"]


def test_axes_can_be_given(pyplot, filled):
    """The plot goes where it is told."""
    _, axes = pyplot.subplots()
    assert plot_mistakes(filled, ax=axes) is axes


def test_hostile_texts_are_drawn_as_text(pyplot, guard, hostile):
    """A formula or an escape in a memory is drawn as it stands."""
    guard.record(hostile, hostile, hostile)
    axes = plot_mistakes(guard)
    axes.figure.canvas.draw()
    assert len(axes.texts) == 3
    assert all("<script>" in text.get_text() for text in axes.texts)
    assert not any(text.get_parse_math() for text in axes.texts)


def test_what_is_no_memory_is_refused(guard):
    """An empty memory and another graph are refused in a sentence."""
    with pytest.raises(InvalidInputError, match="The memory is empty in this scope"):
        plot_mistakes(guard)
    with pytest.raises(InvalidInputError, match="is no memory; give a DriftGuard"):
        plot_mistakes(nx.path_graph(3, create_using=nx.DiGraph))
    with pytest.raises(InvalidInputError, match="limit is 0"):
        plot_mistakes(guard, limit=0)
