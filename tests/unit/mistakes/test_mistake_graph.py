import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.mistakes.graph import build_graph
from langchain_drift.mistakes.nodes import NodeCount, chain_of
from langchain_drift.mistakes.prune import plan_prune
from langchain_drift.mistakes.stores.record import Record

DAY = 86_400.0


def record(action, feedback="", outcome="", *, kind="mistake", at=0.0):
    """Return a record; its action is its key."""
    name = f"{kind}-{action}-{feedback}-{outcome}-{at}"
    return Record("", name, kind, action, feedback, outcome, at, False, "", action, (), (), None)  # noqa: FBT003


def test_a_graph_counts_what_happened():
    """Nodes and edges carry frequency, wordings and when they were seen."""
    graph = build_graph([record("a", "F", "o", at=1), record("a", "f", "", at=5)])
    assert set(graph) == {("action", "a"), ("feedback", "f"), ("outcome", "o")}
    assert graph.nodes["action", "a"]["frequency"] == 2
    feedback = graph.nodes["feedback", "f"]
    assert (feedback["first_seen"], feedback["last_seen"]) == (1, 5)
    assert feedback["wordings"] == ["F", "f"]
    assert feedback["text"] == "f"
    assert graph.edges[("action", "a"), ("feedback", "f")]["frequency"] == 2


def test_the_two_graphs_never_touch(guard):
    """A success adds nothing to the graph of mistakes."""
    guard.record("run[x]", "failed", "stopped")
    guard.record_success("run[x]", "ok", "went on")
    mistakes, successes = guard.graph(), guard.graph("success")
    assert isinstance(mistakes, nx.DiGraph)
    assert {text for _, text in mistakes if text in ("failed", "ok")} == {"failed"}
    assert {text for _, text in successes if text in ("failed", "ok")} == {"ok"}


def test_the_neighbourhood_of_an_action(guard):
    """Around an action stands only what its review stands on."""
    guard.record("delete the temp directory", "cache was wiped")
    guard.record("clear out /tmp before the run", "cache directory got removed")
    guard.record("send the invoice to the customer", "wrong customer")
    around = guard.graph(around="remove everything under the tmp folder")
    texts = {data["text"] for _, data in around.nodes(data=True)}
    assert "cache was wiped" in texts
    assert "wrong customer" not in texts
    assert not guard.graph(around="water the plants")


def test_paraphrases_merge_by_the_merge_rule(guard):
    """Merged, near-same wordings and the same error in other words are one node."""
    guard.record("delete all the old log files", "Unknown column 'u.id' in 'where clause'")
    guard.record("delete all of the old log files", "Unknown column 'users.id' in 'on clause'")
    guard.record("keep all of the old log files", "the disk was full")
    guard.record("run[x]", "the disk was full")
    plain, merged = guard.graph(), guard.graph(merged=True)
    assert plain.number_of_nodes() == 7
    assert merged.number_of_nodes() == 5
    frequencies = {d["frequency"] for _, d in merged.nodes(data=True) if d["role"] == "action"}
    assert frequencies == {1, 2}
    assert sum(d["frequency"] for *_, d in merged.edges(data=True)) == 4


texts = st.sampled_from(["", "x", "X ", "y"])
records = st.lists(
    st.builds(
        record,
        st.sampled_from(["a", "b"]),
        texts,
        texts,
        kind=st.sampled_from(["mistake", "success"]),
        at=st.floats(0, 200 * DAY),
    ),
    max_size=10,
    unique_by=lambda r: r.event_id,
)


@given(records)
def test_counters_say_what_the_graph_has(told):
    """Nodes and edges created are those of the graphs; the others were there before."""
    count, created, edges, total = NodeCount(), 0, 0, 0
    for one in told:
        found = count.count(one)
        created += found["nodes_created"]
        edges += found["edges_created"]
        total += found["nodes_created"] + found["nodes_merged"]
        count.add(one)
    graphs = [build_graph(r for r in told if r.kind == kind) for kind in ("mistake", "success")]
    assert created == sum(graph.number_of_nodes() for graph in graphs)
    assert edges == sum(graph.number_of_edges() for graph in graphs)
    assert total == sum(len(chain_of(one)) for one in told)


@given(records, st.integers(1, 90), st.integers(1, 3))
def test_pruning_spares_what_is_fresh_and_settles(told, days, frequency):
    """Fresh events stay; what stays would stay again."""
    now = 200 * DAY
    plan = plan_prune(told, now=now, stale_days=days, min_frequency=frequency)
    gone = {*plan.weak, *plan.stale}
    kept = [one for one in told if one.event_id not in gone]
    assert all(one.at < now - days * DAY for one in told if one.event_id in gone)
    again = plan_prune(kept, now=now, stale_days=days, min_frequency=frequency)
    assert not again.weak
    assert not again.stale
    graphs = [build_graph(r for r in told if r.kind == kind) for kind in ("mistake", "success")]
    left = [build_graph(r for r in kept if r.kind == kind) for kind in ("mistake", "success")]
    assert plan.nodes == sum(map(len, graphs)) - sum(map(len, left))
    assert plan.edges == sum(g.size() for g in graphs) - sum(g.size() for g in left)


def test_pruning_goes_weak_stale_isolated():
    """Rare old chains go, then actions not seen for long; what nothing leads to goes with them."""
    told = [
        record("a", "rare", "r", at=0),
        *(record("a", "often", "o", at=day * DAY) for day in (0, 1, 2)),
        record("a", "fresh", "", at=100 * DAY),
        *(record("b", "old", "", at=day * DAY) for day in (1, 2, 3)),
    ]
    plan = plan_prune(told, now=100 * DAY, stale_days=60, min_frequency=2)
    assert len(plan.weak) == 1
    assert len(plan.stale) == 3
    assert plan.isolated == 3  # rare, r and old
    assert plan.nodes == 4  # and b
    assert plan.edges == 3


def test_pruning_hides_and_purging_deletes(make_guard, clock):
    """Pruned events are out of the view, can be shown again, and go for good after a dry run."""
    guard = make_guard(prune_node_stale_days=30)
    guard.record("run[x]", "failed", event_id="old")
    clock.pass_days(31)
    guard.record("stop[y]", "failed", event_id="new")
    assert guard.prune(dry_run=True)["hidden_events"] == 1
    assert guard.review("run[x]").warnings[0].evidence == "same"
    summary = guard.prune()
    assert summary["hidden_events"] == summary["edges_removed"] == summary["nodes_removed"] == 1
    assert [event.event_id for event in guard.events()] == ["new"]
    assert [event.event_id for event in guard.events(hidden=True)] == ["old"]
    assert guard.stats()["hidden_events"] == 1
    assert guard.unhide(["old"]) == 1
    guard.prune()
    assert guard.purge()["event_ids"] == ["old"]
    assert guard.events(hidden=True)
    assert guard.purge(dry_run=False)["events"] == 1
    assert not guard.events(hidden=True)
    counters = guard.stats()["metrics"]["counters"]
    assert counters["prune_runs_total"] == 2
    assert counters["prune_nodes_removed_total"] == 2


def test_the_least_frequency_takes_effect(make_guard, clock):
    """`prune_edge_min_frequency` decides what is rare."""
    for least, hidden in ((1, 0), (2, 1)):
        guard = make_guard(prune_edge_min_frequency=least)
        guard.record("run[x]", "failed")
        clock.pass_days(61)
        guard.record_success("run[x]", "ok")
        assert guard.prune()["hidden_events"] == hidden
