"""The demo: a real conversation, scored."""

import json
from importlib.resources import files

from rich.text import Text

from langchain_drift.cli.table import make_console, show_turns
from langchain_drift.tracker import DriftTracker


def show_demo() -> None:
    """Score the conversation that ships with the package and print it."""
    row = json.loads((files(__package__) / "demo.json").read_text(encoding="utf-8"))
    tracker = DriftTracker(system_prompt=row["purpose"])
    results = [tracker.record_turn(turn["user"], turn["assistant"]) for turn in row["turns"]]
    console = make_console()
    console.print(Text(f"Purpose: {row['purpose']}\n"))
    show_turns(console, row["title"], results)
    console.print(
        Text(
            "\nA real conversation from the Schema-Guided Dialogue dataset (CC BY-SA 4.0).\n"
            "Score your own with\n"
            '  langchain-drift score chat.json --purpose "You are …"'
        )
    )
