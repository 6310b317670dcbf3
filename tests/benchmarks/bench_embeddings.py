"""Speed of embedding, as ratios of two ways timed in turns, so that a busy machine hurts both."""

import time
from functools import partial

from langchain_drift.embeddings.cache import CachedEmbeddings
from langchain_drift.embeddings.minilm import MiniLMEmbeddings

TEXTS = [f"Please move my appointment number {i} to next week." for i in range(32)]


def ratio(slow, fast, rounds=7):
    """Return how many times longer the one takes than the other, by the shortest of some runs."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for place, run in enumerate((slow, fast)):
            start = time.perf_counter()
            run()
            best[place] = min(best[place], time.perf_counter() - start)
    return best[0] / best[1]


def singles(minilm, texts):
    """Embed texts one by one."""
    for text in texts:
        minilm.embed_array([text])


def test_a_batch_is_quicker_than_singles():
    """One call with 32 texts takes less time than 32 calls."""
    minilm = MiniLMEmbeddings()
    minilm.embed_array(TEXTS)
    found = ratio(partial(singles, minilm, TEXTS), partial(minilm.embed_array, TEXTS))
    print(f"32 singles / batch of 32: {found:.2f}")  # noqa: T201 - the number is the result
    assert found > 1.0


def test_known_texts_cost_next_to_nothing():
    """Texts in the cache take less than a fiftieth of the time."""
    minilm = MiniLMEmbeddings()
    cached = CachedEmbeddings(minilm)
    cached.embed_array(TEXTS)
    found = ratio(partial(minilm.embed_array, TEXTS), partial(cached.embed_array, TEXTS))
    print(f"computed / cached: {found:.0f}")  # noqa: T201 - the number is the result
    assert found > 50


def test_sorting_by_length_saves_padding():
    """One long text among short ones does not make each short one as slow as itself."""
    minilm = MiniLMEmbeddings(batch_size=8)
    mixed = [*TEXTS[:16], "word " * 250]
    # The work of the same texts if each were padded to the longest.
    padded = ["word " * 250] * len(mixed)
    found = ratio(partial(minilm.embed_array, padded), partial(minilm.embed_array, mixed), 3)
    print(f"all long / one long of 17: {found:.2f}")  # noqa: T201 - the number is the result
    assert found > 2
