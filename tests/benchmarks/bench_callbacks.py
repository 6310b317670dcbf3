"""Cost of being watched: `pytest tests/benchmarks/bench_callbacks.py -s` prints the numbers."""

import asyncio
import gc
import threading
import time
import tracemalloc
from itertools import count
from statistics import median

import pytest
from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langgraph.graph import START, MessagesState, StateGraph

from langchain_drift import DriftCallbackHandler, DriftScorer, Strategy
from langchain_drift.conversation.strategy import Judgement

BANK = "You are an assistant for Harbour Bank. Help with accounts, cards and loans."
ASK = "What is the fee of my account, and how do I order a second card?"
ANSWER = "Your account costs nine euros a month. Order the card in the app, under Cards. " * 3


class Instant(Strategy):
    """Judges at once, so that what is left is the handler's own cost."""

    name = "instant"

    def start(self):
        return {}

    def step(self, purpose, state, turn):
        return state, Judgement(score=90)


class Slow(Instant):
    """Takes 100 ms of waiting, as a hosted embedder does."""

    name = "slow"

    def step(self, purpose, state, turn):
        time.sleep(0.1)
        return super().step(purpose, state, turn)


NUMBERS = count()


def ask():
    """Return a question that no cache has seen."""
    return f"{ASK} My account is number {next(NUMBERS)}."


def answer():
    """Return an answer that no cache has seen."""
    return f"{ANSWER} Your account is number {next(NUMBERS)}."


class Endless(GenericFakeChatModel):
    """Answers for ever, each time in other words."""

    def __init__(self):
        super().__init__(messages=iter(lambda: AIMessage(answer()), None))


class Latent(Endless):
    """Takes 50 ms before it says so."""

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        await asyncio.sleep(0.05)
        return self._generate(messages)


def chain(model=None):
    """Return a chain of prompt, model and parser."""
    prompt = ChatPromptTemplate.from_messages([("system", BANK), ("human", "{question}")])
    return prompt | (model or Endless()) | StrOutputParser()


def graph(model=None):
    """Return a graph of three nodes, the second of which answers."""
    model = model or Endless()
    built = StateGraph(MessagesState)
    built.add_node("before", lambda state: {})
    built.add_node("answer", lambda state: {"messages": [model.invoke(state["messages"])]})
    built.add_node("after", lambda state: {})
    for one, other in ((START, "before"), ("before", "answer"), ("answer", "after")):
        built.add_edge(one, other)
    return built.compile()


def watcher(strategy, **options):
    return DriftCallbackHandler(scorer=DriftScorer(BANK, strategy=strategy), **options)


def config(*handlers, thread="1"):
    return {"callbacks": list(handlers), "metadata": {"thread_id": thread}}


RUNS = {
    "chain": (chain, {"question": ASK}),
    "graph": (graph, {"messages": [HumanMessage(ASK)]}),
}


def seconds(run, times=20):
    """Return the median seconds of a run."""
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        run()
        found.append(time.perf_counter() - begun)
    return median(found)


@pytest.mark.parametrize("manner", ["sync", "async"])
@pytest.mark.parametrize("kind", RUNS)
def test_being_watched_costs_little_more_than_counting_tokens(kind, manner, reference):
    """Scoring aside, a run costs at most 1.5 ms more than with LangChain's usage callback.

    On a busy machine, at most as much as what takes that long on a quiet one.
    """
    make, value = RUNS[kind]
    runnable = make()
    bare = config()
    usage = config(UsageMetadataCallbackHandler())
    drift = config(watcher(Instant()))

    def run(given):
        if manner == "async":
            return loop.run_until_complete(runnable.ainvoke(value, given))
        return runnable.invoke(value, given)

    loop = asyncio.new_event_loop()
    try:
        rounds = [[seconds(lambda g=g: run(g), 8) for g in (bare, usage, drift)] for _ in range(25)]
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
    # The quietest rounds: what else runs on the machine only adds.
    plain, counted, watched = (1_000 * min(column) for column in zip(*rounds, strict=True))
    print(  # noqa: T201 - the number is the result
        f"{manner} {kind}: bare {plain:.2f} ms, usage callback +{counted - plain:.2f} ms, "
        f"drift +{watched - plain:.2f} ms"
    )
    assert watched - counted <= 1.5 * max(1.0, 1_000 * median(reference() for _ in range(15)))


def test_scoring_is_most_of_the_cost():
    """With the bundled embedder a watched run costs at most 1.3 times the run and the scoring."""
    scorer = DriftScorer(BANK)
    handler = DriftCallbackHandler(scorer=scorer)
    runnable = chain()
    runnable.invoke({"question": ASK}, config(handler))
    ratios = []
    for _ in range(5):
        bare = seconds(lambda: runnable.invoke({"question": ask()}), 7)
        alone = seconds(lambda: scorer.step(scorer.start(), ask(), answer()), 7)
        watched = seconds(lambda: runnable.invoke({"question": ask()}, config(handler)), 7)
        ratios.append(watched / (bare + alone))
    print(f"watched / (bare + scoring): {median(ratios):.2f}; scoring {1_000 * alone:.1f} ms")  # noqa: T201 - the number is the result
    assert median(ratios) <= 1.3


async def stall_while(work):
    """Return the longest time the event loop did not turn while something was awaited."""
    longest, done = 0.0, False

    async def watch():
        nonlocal longest
        while not done:
            begun = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - begun)

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0.01)
    longest = 0.0
    await work
    done = True
    await watching
    return longest


@pytest.mark.parametrize("strategy", [None, Slow()], ids=["bundled", "100 ms"])
def test_the_event_loop_is_not_blocked(strategy):
    """While ten replies are scored the loop turns at least every 50 ms."""
    scorer = DriftScorer(BANK, strategy=strategy)
    scorer.step(scorer.start(), ASK, ANSWER)

    async def runs():
        handler = DriftCallbackHandler(scorer=scorer)
        runnable = chain(Latent())
        await asyncio.gather(
            *(
                runnable.ainvoke({"question": ask()}, config(handler, thread=str(number)))
                for number in range(10)
            )
        )
        assert all(turn.drift for turn in handler.turns)
        assert len(handler.turns) == 10

    stalls = [asyncio.run(stall_while(runs())) for _ in range(5)]
    print(  # noqa: T201 - the number is the result
        f"longest stall of the loop: {1_000 * min(stalls):.0f} to {1_000 * max(stalls):.0f} ms, "
        f"median {1_000 * median(stalls):.0f} ms"
    )
    assert median(stalls) <= 0.05


def test_ten_runs_at_once_cost_their_runs_and_their_scoring():
    """Ten watched runs take at most 1.2 times ten runs and ten scorings, both at once too."""
    scorer = DriftScorer(BANK)
    scorer.step(scorer.start(), ASK, ANSWER)
    runnable = chain(Latent())

    async def runs(*handlers):
        begun = time.perf_counter()
        await asyncio.gather(
            *(
                runnable.ainvoke({"question": ask()}, config(*handlers, thread=str(number)))
                for number in range(10)
            )
        )
        return time.perf_counter() - begun

    def scorings():
        threads = [
            threading.Thread(target=scorer.step, args=(scorer.start(), ask(), answer()))
            for _ in range(10)
        ]
        begun = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter() - begun

    handler = DriftCallbackHandler(scorer=scorer)
    ratios = []
    for _ in range(9):
        bare, alone, watched = asyncio.run(runs()), scorings(), asyncio.run(runs(handler))
        ratios.append(watched / (bare + alone))
    print(  # noqa: T201 - the number is the result
        f"ten watched / (ten bare + ten scorings): {median(ratios):.2f} "
        f"(bare {1_000 * bare:.0f} ms, scorings {1_000 * alone:.0f} ms)"
    )
    assert median(ratios) <= 1.2


def test_memory_is_flat_once_the_bounds_are_reached():
    """10,000 turns over 1,000 conversations: the last 5,000 add less than 5 % of memory."""
    handler = watcher(Instant(), max_turns=1_000, max_threads=500)
    model = Endless()

    def talk(turns):
        for number in turns:
            model.invoke(ASK, config(handler, thread=str(number % 1_000)))

    def used():
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = used()
        talk(range(5_000))
        half = used() - before
        talk(range(5_000, 10_000))
        whole = used() - before
    finally:
        tracemalloc.stop()
    print(f"5,000 turns: {half / 2**20:.2f} MB; 10,000 turns: {whole / 2**20:.2f} MB")  # noqa: T201 - the number is the result
    assert len(handler.turns) == 1_000
    assert handler.dropped.turns == 9_000
    assert handler.dropped.threads == 9_500
    assert whole <= half * 1.05
    assert len(handler._runs) == 0
