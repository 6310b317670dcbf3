"""What other processes do to a session memory in the tests.

`record PATH TURNS` records turns in four processes at once. `kill PATH TIMES` starts a process that
records for ever and kills it, so many times, and prints how many turns each was told to be kept and
how many were.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from langchain_drift import DriftTracker, KeywordStrategy


def track(path: str) -> DriftTracker:
    """Return a tracker on the file that judges by words."""
    return DriftTracker(
        "Help with cards.", strategies=[KeywordStrategy()], persist=True, persist_path=path
    )


def record(path: str, name: str, turns: int) -> None:
    """Record turns."""
    tracker = track(path)
    for number in range(turns):
        tracker.record_turn(f"{name} {number}", "Your card is on its way. " * 8)


def record_together(path: str, turns: int) -> None:
    """Record turns in four processes; they are forked, so that none spends its life importing."""
    record(f"{path}.warm", "w", 1)
    children = []
    for name in "abcd":
        child = os.fork()
        if not child:
            record(path, name, turns)
            os._exit(0)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    sys.exit(max(codes))


def record_until_killed(path: str, told: int) -> None:
    """Record turns for ever, telling of each that is kept by a byte."""
    tracker = track(path)
    while True:
        tracker.record_turn("k", "Your card is on its way. " * 40)
        os.write(told, b".")


def kill(path: str, times: int) -> None:
    """Start recording and kill it at any moment, again and again."""
    source = random.Random(7)  # noqa: S311 - no secrets
    before = 0
    record(f"{path}.warm", "w", 1)  # so that no child spends its life importing
    for _ in range(times):
        heard, told = os.pipe()
        child = os.fork()
        if not child:
            record_until_killed(path, told)
        os.close(told)
        time.sleep(source.uniform(0.005, 0.07))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(heard, "rb") as pipe:
            promised = before + len(pipe.read())
        file = Path(path)
        sessions = json.loads(file.read_bytes())["sessions"] if file.exists() else [{}]
        numbers = [each["exchange"] for each in sessions[-1].get("exchanges", ())]
        before = len(numbers)
        print(promised, before, numbers == list(range(1, before + 1)))  # noqa: T201 - the result


if __name__ == "__main__":
    task, *rest, count = sys.argv[1:]
    {"record": record_together, "kill": kill}[task](*rest, int(count))
