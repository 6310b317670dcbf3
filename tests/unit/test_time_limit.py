"""Work that is waited for only so long."""

import threading
import time

import pytest

from langchain_drift.time_limit import TimeLimit


def test_quick_work_gives_its_result_and_its_errors():
    """What is done in time comes back as it is, also an error, also a time-out of its own."""
    limit = TimeLimit(5)
    assert limit.run(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        limit.run(lambda: 1 / 0)

    def fail():
        message = "the disk sleeps"
        raise TimeoutError(message)

    with pytest.raises(TimeoutError, match="the disk sleeps"):
        limit.run(fail)
    assert limit.run(lambda: 8) == 8


def test_work_that_hangs_holds_up_one_call():
    """While late work goes on nothing else waits; once it is done all is as before."""
    limit, go = TimeLimit(0.05), threading.Event()
    with pytest.raises(TimeoutError, match=r"within 0\.05 seconds"):
        limit.run(go.wait)
    start = time.perf_counter()
    with pytest.raises(TimeoutError, match="still busy"):
        limit.run(go.wait)
    assert time.perf_counter() - start < 0.05
    go.set()
    for _ in range(200):
        try:
            assert limit.run(lambda: 7) == 7
        except TimeoutError:
            time.sleep(0.01)
        else:
            break
    else:
        pytest.fail("late work is never forgotten")


def test_without_a_limit_the_thread_is_the_callers():
    """None waits for as long as it takes, and needs no thread."""
    assert TimeLimit(None).run(threading.current_thread) is threading.current_thread()
