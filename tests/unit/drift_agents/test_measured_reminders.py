"""The effect of reminders, on a few of the chats that README's figures are of."""

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.usefixtures("kit")
def test_reminders_and_second_questions_halve_what_leaves_the_purpose():
    """A model that drifts unless it is reminded gives less than half of such replies."""
    run_chat = runpy.run_path(str(ROOT / "scripts" / "measure_reminders.py"))["run_chat"]
    lines = (ROOT / "tests/data/conversations_f.jsonl").read_text("utf-8").splitlines()
    chats = [chat for chat in map(json.loads, lines) if is_long(chat)][:2]
    given = {
        on_drift: sum(run_chat(chat, on_drift)["off given"] for chat in chats)
        for on_drift in ("remind", "re_ask")
    }
    off = [turn for chat in chats for turn in chat["turns"] if turn["label"] == "off"]
    assert max(given.values()) < len(off) / 2


def is_long(chat):
    """Tell whether a chat leaves its purpose for several turns."""
    return sum(turn["label"] == "off" for turn in chat["turns"]) > 2
