"""What sessions cost: a persisted turn in a file that grows, a summary, a managed context."""

import statistics
import time

from langchain_core.messages import AIMessage, HumanMessage

from langchain_drift import DriftTracker, KeywordStrategy
from langchain_drift.sessions.exchange import Exchange
from langchain_drift.sessions.extract import extract
from langchain_drift.sessions.managed import manage

TURN = ("What of my card?", "It is on its way. " * 20)


def timed(task):
    started = time.perf_counter()
    task()
    return 1000 * (time.perf_counter() - started)


def cost_of_turn(tracker):
    return timed(lambda: tracker.record_turn(*TURN))


def test_a_persisted_turn_costs_the_same_at_turn_1000_as_at_turn_10(tmp_path, capsys):
    """Two files side by side, one long and one short, so that the machine's load is the same."""

    def track(name):
        return DriftTracker(
            "Help with cards.",
            strategies=[KeywordStrategy()],
            persist=True,
            persist_path=tmp_path / name,
        )

    long = track("long")
    for _ in range(1000):
        long.record_turn(*TURN)
    pairs = []
    for _ in range(20):
        short = track("short")
        for _ in range(10):
            short.record_turn(*TURN)
        pairs += [(cost_of_turn(short), cost_of_turn(long)) for _ in range(5)]
        short.reset()
    # The lower quartile: what other programs do on the disk comes on top, now here, now there.
    early, late = (statistics.quantiles(each, n=4)[0] for each in zip(*pairs, strict=True))
    with capsys.disabled():
        print(  # noqa: T201 - the result
            f"\na persisted turn: {early:.1f} ms at turn 10, {late:.1f} ms at turn 1,000, "
            f"ratio {late / early:.2f}"
        )
    assert late / early <= 1.3


def test_summaries_and_contexts_are_quick(capsys):
    """A session of a hundred turns is summarised, and put into a budget, in moments."""
    exchanges = [
        Exchange(f"What of order {n}?", f"Order {n} left hall {n % 7}. " * 8) for n in range(100)
    ]
    summary = min(timed(lambda: extract(exchanges)) for _ in range(5))
    live = [
        message
        for one in exchanges
        for message in (HumanMessage(one.user), AIMessage(one.assistant))
    ]
    context = min(timed(lambda: manage("Help.", live, max_tokens=2000)) for _ in range(5))
    with capsys.disabled():
        print(  # noqa: T201 - the result
            f"\na summary of 100 turns: {summary:.0f} ms; a context of 100 turns: {context:.1f} ms"
        )
    assert summary < 500
    assert context < 100
