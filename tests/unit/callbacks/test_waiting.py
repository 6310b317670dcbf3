"""How long an answer waits for its score: a little, once too long, and then not at all."""

import asyncio
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, MessagesState, StateGraph

from langchain_drift import Strategy
from langchain_drift.callbacks import crew, deadline
from langchain_drift.callbacks.crew import Crew
from langchain_drift.callbacks.deadline import Deadline, Wait
from langchain_drift.conversation.strategy import Judgement

ASK = "What do I need for a loan?"
ANSWER = "A loan takes proof of income."


class Held(Strategy):
    """Judges once it is allowed to."""

    name = "held"

    def __init__(self):
        self.allowed = threading.Event()

    def start(self):
        return {}

    def step(self, purpose, state, turn):
        self.allowed.wait(10)
        return state, Judgement(score=70)


def test_a_hanging_scorer_holds_up_one_answer(kit, manner):
    """The first answer waits as long as it may, the next not at all; no score is lost."""
    strategy, called = Held(), []
    handler = kit.handler(kit.BANK, strategy=strategy, timeout=0.2, on_turn=called.append)
    config = {"callbacks": [handler], "metadata": {"thread_id": "1"}}
    times = []
    for text in ("one", "two", "three"):
        begun = time.perf_counter()
        assert manner.invoke(kit.FakeModel(ANSWER), text, config).text == ANSWER
        times.append(time.perf_counter() - begun)
    assert 0.2 <= times[0] < 1
    assert max(times[1:]) < 0.15
    assert [turn.drift for turn in handler.turns] == [None, None, None]
    assert "longer than 0.2 seconds" in handler.turns[0].explanation
    assert handler.errors == {"scoring: TimeoutError": 3}
    strategy.allowed.set()
    kit.until(lambda: len(called) == 3)
    assert [turn.user_message for turn in called] == ["one", "two", "three"]
    assert [turn.drift.turn_number for turn in handler.turns] == [1, 2, 3]


def test_answers_wait_again_once_scores_come_in_time(kit, manner):
    """A scorer that has hung and is quick again is waited for again."""
    strategy = Held()
    handler = kit.handler(kit.BANK, strategy=strategy, timeout=0.1)
    config = {"callbacks": [handler], "metadata": {"thread_id": "1"}}
    manner.invoke(kit.FakeModel(ANSWER), "hangs", config)
    strategy.allowed.set()
    manner.invoke(kit.FakeModel(ANSWER), "is quick", config)
    kit.until(lambda: all(turn.drift for turn in handler.turns))
    kit.until(lambda: not handler._recorder._deadline._is_behind)
    manner.invoke(kit.FakeModel(ANSWER), "is waited for", config)
    assert handler.turns[-1].drift.turn_number == 3


def test_a_timeout_of_0_waits_for_nothing(kit, manner):
    """Scored in the background, turns are there once they are scored, and nothing is an error."""
    strategy, called = Held(), []
    handler = kit.handler(kit.BANK, strategy=strategy, timeout=0, on_turn=called.append)
    begun = time.perf_counter()
    manner.invoke(kit.FakeModel(ANSWER), ASK, {"callbacks": [handler]})
    assert time.perf_counter() - begun < 1
    assert handler.turns == ()
    strategy.allowed.set()
    kit.until(lambda: len(called) == 1)
    assert kit.said(handler) == [(ASK, ANSWER)]
    assert handler.errors == {}


@pytest.mark.parametrize("timeout", [0, 0.05])
def test_a_late_graph_is_scored_once(kit, manner, timeout):
    """What was begun for the stream of a graph and came too late is the score of its turn."""
    strategy = kit.Loans(seconds=0.2)
    handler = kit.handler(kit.BANK, strategy=strategy, timeout=timeout)
    built = StateGraph(MessagesState).add_edge(START, "answer")
    built.add_node("answer", lambda state: {"messages": [kit.FakeModel(ANSWER).invoke(ASK)]})
    start, config = {"messages": [("user", ASK)]}, {"callbacks": [handler]}
    assert manner.stream(built.compile(), start, config, stream_mode="custom") == []
    kit.until(lambda: handler.turns and handler.turns[0].drift)
    assert strategy.turns == [(ASK, ANSWER)]


def test_waiting_holds_no_thread_of_the_event_loop(kit):
    """While many scores are waited for, a loop with one thread in its pool still works."""
    handler = kit.handler(kit.BANK, strategy=kit.Loans(seconds=0.1))

    async def main():
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        begun = time.perf_counter()
        config = {"callbacks": [handler]}
        await asyncio.gather(*(kit.FakeModel(ANSWER).ainvoke(ASK, config) for _ in range(10)))
        return time.perf_counter() - begun

    assert asyncio.run(main()) < 0.8
    assert [turn.drift.score for turn in handler.turns] == [90] * 10


def test_a_blocking_run_inside_a_loop_waits_too(kit):
    """A blocking `invoke` from a coroutine returns with its score."""
    handler = kit.handler(kit.BANK, strategy=kit.Loans(seconds=0.05))

    async def main():
        (kit.FakeModel(ANSWER) | RunnableLambda(str)).invoke(ASK, {"callbacks": [handler]})
        return handler.turns[0].drift.score

    assert asyncio.run(main()) == 90


def test_a_loop_that_closes_takes_its_last_turn(kit):
    """A loop that ends while a score is waited for loses neither the turn nor its call."""
    called, strategy = [], kit.Loans(seconds=0.2)
    handler = kit.handler(kit.BANK, strategy=strategy, on_turn=called.append)

    async def main():
        run = asyncio.create_task(kit.FakeModel(ANSWER).ainvoke(ASK, {"callbacks": [handler]}))
        await asyncio.sleep(0.1)
        run.cancel()

    asyncio.run(main())
    assert kit.said(handler) == [(ASK, ANSWER)]
    assert called == list(handler.turns)
    assert handler.errors == {}


def test_jobs_that_hang_leave_their_places(kit, monkeypatch):
    """However many jobs hang, those that wait for a place behind them are done all the same."""
    monkeypatch.setattr(deadline, "_AT_ONCE", 2)
    own, release, done = Deadline(0.05), threading.Event(), []
    hung = [own.begin(lambda: release.wait(5), lambda: None) for _ in range(2)]
    waiting = [
        own.begin(lambda n=number: done.append(n), lambda n=number: done.append(f"late {n}"))
        for number in range(3)
    ]
    kit.until(lambda: all(job.thread for job in hung))
    assert {own.end(job) for job in (*waiting, *hung)} == {Wait.LATE}
    kit.until(lambda: len(done) == 6)
    assert done == [0, "late 0", 1, "late 1", 2, "late 2"]
    release.set()


def test_late_work_is_bounded(kit, monkeypatch):
    """Behind work that hangs a bounded number of jobs waits; more are refused."""
    monkeypatch.setattr(crew, "_MOST", 3)
    own, release, done = Deadline(0.01), threading.Event(), []
    first = own.begin(lambda: release.wait(5), lambda: done.append("first"))
    assert own.end(first) is Wait.LATE
    jobs = [
        own.begin(lambda: release.wait(5), lambda n=number: done.append(n)) for number in range(6)
    ]
    found = [own.end(job) for job in jobs]
    # Which are refused depends on when the thread takes the first: at most one at work, three wait.
    taken = [number for number, wait in enumerate(found) if wait is Wait.QUEUED]
    assert found.count(Wait.REFUSED) == len(found) - len(taken) >= 2
    release.set()
    kit.until(lambda: len(done) == 1 + len(taken))
    assert "first" in done
    assert [n for n in done if n != "first"] == taken


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_crew_goes_on_after_a_task_that_raises():
    """What a task raises ends its thread, not the work that is queued."""
    done = threading.Event()
    work = Crew("test")

    def fail():
        raise SystemExit

    assert work.add(fail)
    assert work.add(done.set)
    for _ in range(100):
        if done.wait(0.02):
            break
        work.add(lambda: None)
    assert done.is_set()


@pytest.mark.parametrize("is_behind", [False, True], ids=["in time", "behind"])
def test_no_thread_to_be_had_costs_a_score_and_no_turn(kit, monkeypatch, is_behind):
    """Where the system gives no thread the turn is kept without a score."""
    handler = kit.handler(kit.BANK)
    handler._recorder._deadline._is_behind = is_behind

    def refuse(thread):
        message = "can't start new thread"
        raise RuntimeError(message)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    kit.FakeModel(ANSWER).invoke(ASK, {"callbacks": [handler]})
    assert kit.said(handler) == [(ASK, ANSWER)]
    assert handler.turns[0].drift is None
    assert len(handler.errors) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_scores_though_its_parent_hangs(kit):
    """A thread that hangs in the parent, with the locks it holds, holds up no child."""
    strategy = Held()
    handler = kit.handler(kit.BANK, strategy=strategy, timeout=0.05)
    config = {"callbacks": [handler], "metadata": {"thread_id": "1"}}
    for text in ("hangs", "waits"):
        kit.FakeModel(ANSWER).invoke(text, config)
    child = os.fork()
    if child == 0:
        strategy.allowed.set()
        for _ in range(2):
            kit.FakeModel(ANSWER).invoke("in the child", config)
        deadline = time.monotonic() + 3
        while not handler.turns[-1].drift and time.monotonic() < deadline:
            time.sleep(0.01)
        scored = [turn.user_message for turn in handler.turns if turn.drift]
        os._exit(0 if scored == ["in the child"] * 2 else 1)
    strategy.allowed.set()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
