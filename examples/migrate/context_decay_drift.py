"""From context-decay-drift 0.3.0: scores do not decay any more, and the memory file goes along.

Before, when even a perfect chat was critical at its 21st exchange:

    from context_decay_drift import DriftTracker

    tracker = DriftTracker(system_prompt=PROMPT, persist=True, persist_path=".session_memory")
    result = tracker.record_turn(user, assistant)
    tracker.end_session()
"""

import json
import tempfile
from pathlib import Path

from langchain_drift import DriftTracker

PROMPT = "You are a banking assistant. Help with savings accounts, credit cards and loans."
summary = {"session_number": 1, "summary": "The customer has a savings account."}
old = {"original_context": PROMPT, "session_count": 2, "total_turns": 0, "context_frozen": False}
old |= {"session_summaries": [{**summary, "turn_count": 3, "final_drift_score": 61.0}]}

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / ".session_memory"
    path.write_text(json.dumps({**old, "drift_history": []}), encoding="utf-8")

    tracker = DriftTracker(system_prompt=PROMPT, persist=True, persist_path=str(path))
    print(tracker.get_managed_context().removeprefix(PROMPT).strip())
    for _ in range(25):
        result = tracker.record_turn("What does a loan cost?", "A loan costs 4 % interest a year.")
    score = result.drift.score if result.drift else 0
    print(f"Exchange {tracker.turn_count}: {score:.0f}")
    report = tracker.end_session()
    print(report.summary if report else "")
