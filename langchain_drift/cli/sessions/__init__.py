"""What sessions have kept: `langchain-drift status`, `history`, `reset`, `freeze`, `audit`, …."""

from langchain_drift.cli.sessions.commands import add_commands

__all__ = ["add_commands"]
