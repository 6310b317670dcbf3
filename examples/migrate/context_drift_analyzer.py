"""From context-drift-analyzer 0.5.0: the import changes, and the memory file goes along.

Before:

    from context_drift_analyzer import DriftTracker

    tracker = DriftTracker(system_prompt=PROMPT, persist=True, persist_path=".session_memory")
    result = tracker.record_turn(user, assistant)
    if result.drift.needs_reset:
        tracker.end_session()

    client = wrap(OpenAI(), system_prompt=PROMPT)
"""

import json
import tempfile
from pathlib import Path

from langchain_drift import DriftTracker, PublishedFormulaStrategy

PROMPT = "You are a banking assistant. Help with savings accounts, credit cards and loans."
said = {"exchange": 1, "user": "Is there a card without a fee?", "assistant": "The blue one."}
session = {"session_number": 1, "status": "completed", "final_drift_score": 97.5}
session |= {"summary": "Topics discussed: cards without a fee.", "exchanges": [said]}
old = {"original_context": PROMPT, "session_count": 2, "context_frozen": False}

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / ".session_memory"
    path.write_text(json.dumps({**old, "sessions": [session]}), encoding="utf-8")

    tracker = DriftTracker(system_prompt=PROMPT, persist=True, persist_path=str(path))
    print(f"Session {tracker.session_number} goes on from the old file:")
    print(tracker.get_managed_context().removeprefix(PROMPT).strip())
    result = tracker.record_turn(
        "How do I cook pasta?", "Boil it for nine minutes in salted water."
    )
    if result.drift is not None and result.drift.needs_reset:
        print(f"{result.drift.score:.0f}, {result.drift.verdict}: {result.explanation}")
        tracker.end_session()

# The numbers of before, if a threshold of yours was made for them:
same = DriftTracker(PROMPT, strategies=[PublishedFormulaStrategy()])
old_result = same.record_turn("Which loans are there?", "Home loans and car loans.")
print(old_result.drift.metadata if old_result.drift else "")

# wrap(OpenAI(), system_prompt=PROMPT) is in watch_an_sdk_client.py.
