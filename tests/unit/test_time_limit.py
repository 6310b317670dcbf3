"""Work that is waited for only so long."""

import asyncio
import threading
import time

import pytest

from langchain_drift.time_limit import TimeLimit


def test_quick_work_gives_its_result_and_its_errors():
    """What is done in time comes back as it is, also an error, also a time-out of its own."""
    limit = TimeLimit(5)
    assert limit.run("a", lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        limit.run("a", lambda: 1 / 0)

    def fail():
        message = "the disk sleeps"
        raise TimeoutError(message)

    with pytest.raises(TimeoutError, match="the disk sleeps"):
        limit.run("a", fail)
    assert limit.run("a", lambda: 8) == 8


def test_work_that_hangs_holds_up_one_call():
    """While late work goes on nothing else waits; once it is done all is as before."""
    limit, go = TimeLimit(0.05), threading.Event()
    with pytest.raises(TimeoutError, match=r"within 0\.05 seconds"):
        limit.run("a", go.wait)
    start = time.perf_counter()
    with pytest.raises(TimeoutError, match="still busy"):
        limit.run("a", go.wait)
    assert time.perf_counter() - start < 0.05
    go.set()
    for _ in range(200):
        try:
            assert limit.run("a", lambda: 7) == 7
        except TimeoutError:
            time.sleep(0.01)
        else:
            break
    else:
        pytest.fail("late work is never forgotten")


def test_late_work_worth_doing_is_bounded():
    """What is worth doing late is begun and not waited for, at most 32 threads of it."""
    limit, go, threads = TimeLimit(0.05), threading.Event(), []

    def work():
        threads.append(threading.current_thread())
        go.wait()

    for _ in range(50):
        with pytest.raises(TimeoutError):
            limit.run("a", work, even_late=True)
    assert limit.run("b", lambda: 7) == 7
    go.set()
    for _ in range(200):
        if len(threads) == 32:
            break
        time.sleep(0.01)
    assert len(threads) == 32


def test_on_a_loop_the_same_holds():
    """Results, errors, lateness and time-outs of its own are the same for who awaits."""
    limit, go = TimeLimit(0.05), threading.Event()

    def sleepy():
        message = "the disk sleeps"
        raise TimeoutError(message)

    async def main():
        assert await limit.arun("a", lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await limit.arun("a", lambda: 1 / 0)
        with pytest.raises(TimeoutError, match="the disk sleeps"):
            await limit.arun("a", sleepy)
        with pytest.raises(TimeoutError, match="within"):
            await limit.arun("a", go.wait)
        with pytest.raises(TimeoutError, match="still busy"):
            await limit.arun("a", go.wait)
        assert await TimeLimit(None).arun("a", lambda: 8) == 8

    asyncio.run(main())
    go.set()


def test_without_a_limit_the_thread_is_the_callers():
    """None waits for as long as it takes, and needs no thread."""
    assert TimeLimit(None).run("a", threading.current_thread) is threading.current_thread()
