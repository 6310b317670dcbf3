"""Cost of judging an answer: `pytest tests/benchmarks/bench_retrieval.py -s` prints the numbers.

Processor time is measured, the least of several runs: other work on the machine does not count.
"""

import random
import time

import pytest

from langchain_drift import RetrieverDriftDetector
from langchain_drift.embeddings.minilm import MiniLMEmbeddings
from langchain_drift.retrieval.case import Case
from langchain_drift.retrieval.vectors import EVERYDAY

WORD_LIST = """
    the library opens at nine and closes six members may borrow ten books for three weeks visitors
    pay two euros a day while students enter free on every second sunday of month guided tours begin
    in hall near old staircase staff answer questions about maps coins letters paintings photographs
"""
WORDS = WORD_LIST.split()
QUESTION = "When does the library open?"
ANSWER = "The library opens at nine, and members may borrow ten books for three weeks."


def prose(words, seed=1):
    """Return so many words in sentences of about eighteen."""
    rng = random.Random(seed)  # noqa: S311 - reproducible prose, no secret
    count = max(1, words // 18)
    return " ".join(" ".join(rng.choices(WORDS, k=18)).capitalize() + "." for _ in range(count))


def least(call, runs=15):
    """Return the least processor time of a call in seconds."""
    found = []
    for _ in range(runs):
        begun = time.process_time()
        call()
        found.append(time.process_time() - begun)
    return min(found)


def test_the_lexical_tier_is_linear_and_quick():
    """A thousand words take about a millisecond, a megabyte half a second."""
    detector = RetrieverDriftDetector(method="lexical")
    small, large = prose(1000), prose(10_000)
    detector.detect(QUESTION, small, ANSWER)
    one = least(lambda: detector.detect(QUESTION, small, ANSWER), 40)
    ten = least(lambda: detector.detect(QUESTION, large, ANSWER))
    huge = prose(170_000)[:1_000_000]
    megabyte = least(lambda: detector.detect(QUESTION, huge, ANSWER), 3)
    print(f"\n1,000 words {1000 * one:.2f} ms, 10,000 words {1000 * ten:.2f} ms")  # noqa: T201 - read with -s
    print(f"1 MB {megabyte:.2f} s")  # noqa: T201 - read with -s
    # Half again for slower machines than the one the figures in README come from.
    assert one <= 0.0015
    assert ten <= 15 * one
    assert megabyte <= 0.75


@pytest.mark.parametrize(
    "text",
    ["x" * 1_000_000, "a " * 500_000, "**" * 500_000, "limit 500 " * 100_000, "'" * 1_000_000],
    ids=["one word", "letters", "stars", "two words", "quotes"],
)
def test_odd_megabytes_are_no_trap(text):
    """No text of a megabyte takes more than a few seconds, as chunk or as answer."""
    detector = RetrieverDriftDetector(method="lexical")
    begun = time.process_time()
    detector.detect(QUESTION, text, "the limit limit limit is 500 500")
    detector.detect(QUESTION, "The limit is 500.", text)
    assert time.process_time() - begun <= 6


def test_the_semantic_tier_costs_little_more_than_its_embedder():
    """Twenty chunks of 200 words take at most 1.5 times what embedding their sentences takes."""
    chunks = [prose(200, seed) for seed in range(20)]
    case = Case.of(QUESTION, chunks, ANSWER)
    texts = [each.text for each in (*case.context.sentences, *case.question, *case.said)]
    texts += EVERYDAY
    embedder = MiniLMEmbeddings()
    embedder.embed_array(texts[:2])

    def judge():
        RetrieverDriftDetector(embeddings=MiniLMEmbeddings()).detect(QUESTION, chunks, ANSWER)

    alone = least(lambda: embedder.embed_array(texts), 3)
    whole = least(judge, 3)
    print(f"\nembedding {alone:.2f} s, judging {whole:.2f} s: {whole / alone:.2f} times")  # noqa: T201 - read with -s
    assert whole <= 1.5 * alone


def test_the_semantic_tier_reads_a_bounded_part_of_a_megabyte():
    """However long the chunks are, the first answer on them takes a few seconds."""
    sentences = (f"{each}, as page {n} says." for n, each in enumerate([prose(17)[:-1]] * 9_000))
    chunk = " ".join(sentences)[:1_000_000]
    detector = RetrieverDriftDetector(embeddings=MiniLMEmbeddings())
    begun = time.process_time()
    report = detector.detect(QUESTION, chunk, ANSWER)
    spent = time.process_time() - begun
    print(f"\n1 MB {spent:.1f} s, {100 * report.context_read:.0f} % of it read")  # noqa: T201 - read with -s
    assert 0 < report.context_read < 1
    assert spent <= 6


def test_further_answers_on_the_same_chunks_embed_only_themselves():
    """A second answer on twenty chunks takes a fraction of the first."""
    chunks = [prose(200, seed) for seed in range(20)]
    detector = RetrieverDriftDetector(embeddings=MiniLMEmbeddings())
    first = least(lambda: detector.detect(QUESTION, chunks, ANSWER), 1)
    second = least(lambda: detector.detect(QUESTION, chunks, "Guided tours begin in the hall."), 1)
    print(f"\nfirst answer {first:.2f} s, second {second:.2f} s")  # noqa: T201 - read with -s
    assert second <= first / 2
