"""Cost of a turn: `pytest tests/benchmarks/bench_conversation.py -s` prints the numbers."""

import hashlib
import json
import subprocess
import sys
import time
from statistics import median

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from langchain_drift import DriftScorer, MiniLMEmbeddings, PurposeStrategy

BANK = (
    "You are an assistant for Harbour Bank. Help with accounts, cards and loans. "
    "Never give legal advice."
)
TURNS = [
    (f"What is the fee of account number {i}?", f"Account {i} costs {i % 9} euros a month. " * 3)
    for i in range(20)
]
FIRST_SCORE = """
import json, re, resource, sys
from pathlib import Path
from langchain_drift import DriftTracker
tracker = DriftTracker("You are an assistant for a bank. Help with accounts, cards and loans.")
result = tracker.record_turn("What is my balance?", "Your account holds 12 euros.")
assert result.drift.verdict in ("fresh", "mild"), result
use = resource.getrusage(resource.RUSAGE_SELF)
unit = 1 if sys.platform == "darwin" else 1024
peak = use.ru_maxrss * unit
status = Path("/proc/self/status")
if status.exists():
    # Linux lets ru_maxrss of a new program begin with the size of the process that started it.
    peak = int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1]) * 1024
print(json.dumps([use.ru_utime + use.ru_stime, peak / 2**20]))
"""


class Cheap(Embeddings):
    """Gives a text the sum of its words' directions, almost for free, and counts its calls."""

    fingerprint = "bench-cheap"

    def __init__(self):
        self.calls = []
        self.words = {}
        self.seconds = 0.0

    def embed_documents(self, texts):
        begun = time.perf_counter()
        self.calls.append(len(texts))
        found = [np.sum([self.direction(word) for word in text.split()], axis=0) for text in texts]
        self.seconds += time.perf_counter() - begun
        return found

    def embed_query(self, text):
        return self.embed_documents([text])[0]

    def direction(self, word):
        if word not in self.words:
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
            self.words[word] = np.random.default_rng(seed).normal(size=384)
        return self.words[word]


def conversation():
    """Return a scorer with a cheap embedder and the state after its first turns."""
    cheap = Cheap()
    scorer = DriftScorer(BANK, strategy=PurposeStrategy(cheap))
    state = scorer.start()
    for turn in TURNS:
        state, _ = scorer.step(state, *turn)
    return scorer, cheap, state


def cost(scorer, cheap, state):
    """Return the seconds of one step from a state, embedding aside."""
    own = []
    for turn in TURNS:
        cheap.seconds = 0.0
        begun = time.perf_counter()
        scorer.step(state, *turn)
        own.append(time.perf_counter() - begun - cheap.seconds)
    return median(own)


def walk(turns):
    """Return a scorer, its embedder and the states after turn 10 and after the last of some."""
    scorer, cheap, _ = conversation()
    state, early = scorer.start(), None
    for number in range(1, turns):
        state, _ = scorer.step(state, *TURNS[number % len(TURNS)])
        if number == 9:
            early = state
    return scorer, cheap, early, state


def test_a_late_turn_costs_as_much_as_an_early_one():
    """Turn 5,000 takes at most 1.2 times as long as turn 10, and its state is no longer."""
    scorer, cheap, early, late = walk(5_000)
    assert (early["turns"], late["turns"]) == (9, 4_999)
    pairs = [(cost(scorer, cheap, early), cost(scorer, cheap, late)) for _ in range(15)]
    ratio = median(late / early for early, late in pairs)
    sizes = len(json.dumps(early)), len(json.dumps(late))
    print(f"turn 5,000 / turn 10: {ratio:.3f}; state {sizes[0]} and {sizes[1]} bytes")  # noqa: T201 - the number is the result
    assert ratio <= 1.2
    assert sizes[1] < sizes[0] + 2_000


def test_everything_besides_embedding_is_about_a_millisecond(reference):
    """All but the embedding costs at most 1 ms a turn, held against plain Python in this run."""
    scorer, cheap, state = conversation()
    pairs = [(cost(scorer, cheap, state), reference()) for _ in range(15)]
    taken, plain = median(one for one, _ in pairs), median(other for _, other in pairs)
    print(f"a turn: {taken * 1000:.2f} ms; 20,000 steps of Python: {plain * 1000:.2f} ms")  # noqa: T201 - the number is the result
    assert taken <= max(0.001, plain)


def test_a_turn_costs_little_beside_its_embedding():
    """All but the embedding costs less than a fifth of what the bundled embedder takes."""
    scorer, cheap, state = conversation()
    minilm = MiniLMEmbeddings()
    texts = [TURNS[0][0], TURNS[0][1], "\n".join(TURNS[0])]
    minilm.embed_documents(texts)

    def embedding():
        begun = time.perf_counter()
        minilm.embed_documents(texts)
        return time.perf_counter() - begun

    found = median(cost(scorer, cheap, state) / embedding() for _ in range(15))
    print(f"everything else / embedding: {found:.3f}")  # noqa: T201 - the number is the result
    assert found < 0.2


def test_a_turn_is_one_embedder_call():
    """Each turn after the first is one batch call of at most three texts."""
    scorer, cheap, _ = conversation()
    cheap.calls.clear()
    state = scorer.start()
    for turn in TURNS:
        state, _ = scorer.step(state, *turn)
    assert len(cheap.calls) == len(TURNS)
    assert max(cheap.calls) <= 3


def test_the_first_turn_is_few_embedder_calls():
    """The first turn reads the cohort, the purpose and the turn: one call each."""
    cheap = Cheap()
    cheap.fingerprint = "bench-cheap-first"
    scorer = DriftScorer(BANK, strategy=PurposeStrategy(cheap))
    scorer.step(scorer.start(), *TURNS[0])
    print(f"calls of the first turn: {cheap.calls}")  # noqa: T201 - the number is the result
    assert len(cheap.calls) == 3


def test_a_turn_that_is_not_judged_is_no_embedder_call():
    """A tool call and small talk are not embedded."""
    scorer, cheap, state = conversation()
    cheap.calls.clear()
    for turn in [("Freeze my card", None), ("Thanks!", "You're welcome!")]:
        state, _ = scorer.step(state, *turn)
    assert cheap.calls == []


def test_a_fresh_process_scores_soon():
    """From nothing to the first score: at most 3 seconds of CPU and 350 MB of memory."""
    found = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", FIRST_SCORE], check=True, capture_output=True, text=True
        )
        found.append(json.loads(done.stdout))
    seconds, megabytes = (median(column) for column in zip(*found, strict=True))
    print(f"first score: {seconds:.2f} s CPU, {megabytes:.0f} MB")  # noqa: T201 - the number is the result
    assert seconds <= 3
    assert megabytes <= 350


@pytest.mark.parametrize(
    "piece",
    ["Your card is frozen and your account is safe. ", "word ", "x", "![", "# a\n\n- **b**\n"],
    ids=["prose", "words", "one word", "brackets", "markdown"],
)
def test_a_megabyte_is_scored_in_time(piece):
    """A reply of a megabyte takes at most 2 seconds of CPU with the bundled embedder."""
    scorer = DriftScorer(BANK)
    state, _ = scorer.step(scorer.start(), *TURNS[0])
    begun = time.process_time()
    _, result = scorer.step(state, TURNS[1][0], piece * (1_000_000 // len(piece)))
    taken = time.process_time() - begun
    print(f"1 MB: {taken:.2f} s")  # noqa: T201 - the number is the result
    assert taken <= 2
    assert result.evidence is None or result.evidence.coverage < 1
