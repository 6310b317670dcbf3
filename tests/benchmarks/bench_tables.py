"""Throughput of archives: `pytest tests/benchmarks/bench_tables.py -s` prints the numbers.

Processor time of one core is measured: other work on the machine does not count.
"""

import json
import time
from pathlib import Path

import pytest

from langchain_drift import DriftScorer, MiniLMEmbeddings, PurposeStrategy, score_table

CHATS = Path(__file__).parent.parent / "data/conversations_c.jsonl"
MOST = 120


@pytest.fixture(scope="module")
def archive():
    """Return an Arrow table of real-looking chats, all held against the first one's purpose."""
    arrow = pytest.importorskip("pyarrow")
    chats = [json.loads(line) for line in CHATS.read_text(encoding="utf-8").splitlines()]
    rows = [
        {"conversation": name, "turn": number, "user": turn["user"], "assistant": turn["assistant"]}
        for name, chat in enumerate(chats)
        for number, turn in enumerate(chat["turns"], start=1)
    ]
    return chats[0]["purpose"], arrow.Table.from_pylist(rows[:MOST])


def one_by_one(purpose, table):
    """Score the rows as a program does that has one conversation at a time."""
    scorer = DriftScorer(purpose, strategy=PurposeStrategy(MiniLMEmbeddings()))
    name = state = None
    for row in table.to_pylist():
        if row["conversation"] != name:
            name, state = row["conversation"], scorer.start()
        state, _ = scorer.step(state, row["user"], row["assistant"])


def seconds(call):
    """Return the processor time of a call."""
    begun = time.process_time()
    call()
    return time.process_time() - begun


def test_turns_a_second_and_core(archive):
    """An archive is scored faster than turn by turn, because its texts share batches."""
    purpose, table = archive
    score_table(table.slice(0, 1), purpose, embeddings=MiniLMEmbeddings())
    together = min(
        seconds(lambda: score_table(table, purpose, embeddings=MiniLMEmbeddings()))
        for _ in range(2)
    )
    apart = seconds(lambda: one_by_one(purpose, table))
    words = sum(len(f"{r['user']} {r['assistant']}".split()) for r in table.to_pylist())
    print(f"\n{table.num_rows} turns of {words / table.num_rows:.0f} words on average")  # noqa: T201 - read with -s
    print(f"score_table {table.num_rows / together:.1f} turns a second and core")  # noqa: T201 - read with -s
    print(f"one by one  {table.num_rows / apart:.1f}")  # noqa: T201 - read with -s
    assert together <= apart
